#include "app/end_of_patience.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

namespace convoscope {
namespace {

using namespace std::chrono_literals;

class EndOfPatienceTest : public testing::Test {
 protected:
  bool is_given_up_within(std::chrono::milliseconds time) const {
    for (const auto end = std::chrono::steady_clock::now() + time;
         std::chrono::steady_clock::now() < end && !given_up_;)
      std::this_thread::sleep_for(1ms);
    return given_up_;
  }

  StopSignal stop_;
  std::atomic<bool> given_up_ = false;
};

TEST_F(EndOfPatienceTest, ComesSomeTimeAfterASignalAndNotBefore) {
  const EndOfPatience patience(stop_, 50ms, [this] { given_up_ = true; });
  EXPECT_FALSE(is_given_up_within(200ms));
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(is_given_up_within(10s));
}

TEST_F(EndOfPatienceTest, WaitsForWhatIsFinished) {
  EndOfPatience patience(stop_, 50ms, [this] { given_up_ = true; });
  patience.finishes(true);
  kill(getpid(), SIGTERM);
  EXPECT_FALSE(is_given_up_within(300ms));
  patience.finishes(false);
  EXPECT_TRUE(is_given_up_within(10s));
}

TEST_F(EndOfPatienceTest, IsNotNeededWhereTheEndComesInTime) {
  {
    const EndOfPatience patience(stop_, 1min, [this] { given_up_ = true; });
    kill(getpid(), SIGTERM);
    for (int i = 0; i < 10'000 && !stop_; ++i) std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(stop_);
  EXPECT_FALSE(given_up_);
}

}  // namespace
}  // namespace convoscope
