// A decoder that nothing can interrupt does not hold up whoever lets go of its player, and is joined later.
#include "app/media/play/stuck_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

struct Gate {
  std::atomic<bool> reached = false, open = false;
};

// Its decoder waits for memory until the gate opens.
std::unique_ptr<Player> stuck_player(const std::shared_ptr<Gate>& gate) {
  DecodeTarget target;
  target.cuda = true;  // there is no GPU here: software, into the memory that is given
  target.allocate_host = [gate](std::size_t bytes) {
    gate->reached = true;
    gate->open.wait(false);
    return std::shared_ptr<void>(std::aligned_alloc(64, (bytes + 63) / 64 * 64), std::free);
  };
  auto player = open(coded_clip("h264.mp4", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2"), Pace::clock, target);
  while (!gate->reached) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return player;
}

void open_gate(Gate& gate) {
  gate.open = true;
  gate.open.notify_all();
}

TEST(StuckThreads, AreKeptUntilTheyAreBack) {
  StuckThreads keeper;
  const auto gate = std::make_shared<Gate>();
  stuck_player(gate).reset();
  EXPECT_FALSE(keeper.are_back_within(std::chrono::milliseconds(0)));
  open_gate(*gate);
  EXPECT_TRUE(keeper.are_back_within(std::chrono::seconds(60)));
  EXPECT_EQ(gate.use_count(), 1) << "all that it used has gone with it";
}

TEST(StuckThreads, AreWaitedForWhereNobodyKeepsThem) {
  const auto gate = std::make_shared<Gate>();
  auto player = stuck_player(gate);
  const std::jthread opener([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));  // longer than the player's patience
    open_gate(*gate);
  });
  player.reset();
  EXPECT_TRUE(gate->open);
}

}  // namespace
}  // namespace convoscope::test
