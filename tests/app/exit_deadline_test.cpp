#include "app/exit_deadline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <future>

namespace convoscope {
namespace {

using namespace std::chrono_literals;

class ExitDeadlineTest : public testing::Test {
 protected:
  // Waits as for a display, without computing.
  bool is_given_up_within(std::chrono::milliseconds time) const {
    return is_.wait_for(time) == std::future_status::ready;
  }

  StopSignal stop_;
  std::promise<void> given_up_;
  const std::future<void> is_ = given_up_.get_future();
  const std::function<void()> give_up_ = [this] { given_up_.set_value(); };
};

TEST_F(ExitDeadlineTest, ComesSomeTimeAfterASignalAndNotBefore) {
  const ExitDeadline patience(stop_, {50ms, 1min}, give_up_);
  EXPECT_FALSE(is_given_up_within(200ms));
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(is_given_up_within(10s));
}

TEST_F(ExitDeadlineTest, WaitsForWhatIsFinished) {
  ExitDeadline patience(stop_, {50ms, 1min}, give_up_);
  patience.finishes(true);
  kill(getpid(), SIGTERM);
  EXPECT_FALSE(is_given_up_within(300ms));
  patience.finishes(false);
  EXPECT_TRUE(is_given_up_within(10s));
}

// Whoever waits for something slow gets an answer now and then.
TEST_F(ExitDeadlineTest, LastsWhileItsThreadGetsOnToItsLimit) {
  const ExitDeadline patience(stop_, {400ms, 2s}, give_up_);
  kill(getpid(), SIGTERM);
  int answers = 0;
  while (!is_given_up_within(20ms) && answers < 500) ++answers;
  EXPECT_GE(answers, 40) << "a bit less than two seconds";
  EXPECT_LT(answers, 500);
}

TEST_F(ExitDeadlineTest, IsNotNeededWhereTheEndComesInTime) {
  {
    const ExitDeadline patience(stop_, {1min, 1min}, give_up_);
    kill(getpid(), SIGTERM);
    for (int i = 0; i < 10'000 && !stop_; ++i) std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(stop_);
  EXPECT_FALSE(is_given_up_within(0ms));
}

}  // namespace
}  // namespace convoscope
