// Frames at their time: late ones are dropped and counted, but only with Pace::clock.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/media/play/playback_queue.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

PlaybackQueue::Item item(int number, double seconds, double duration) {
  PlaybackQueue::Item out;
  out.frame.number = number;
  out.frame.seconds = seconds;
  out.duration = duration;
  return out;
}

TEST(PlaybackQueue, GivesFramesAtTheirTime) {
  PlaybackQueue queue(8);
  for (int i = 0; i < 4; ++i) queue.push(item(i, i * 0.1, 0.1));
  EXPECT_EQ(queue.take_first(100).number, 0);
  EXPECT_FALSE(queue.take_due(100.05, 1));
  EXPECT_EQ(queue.take_due(100.1, 1)->number, 1);
  EXPECT_FALSE(queue.take_due(100.15, 1));
  EXPECT_EQ(queue.take_due(100.21, 1)->number, 2);
  EXPECT_FALSE(queue.take_due(100.29, 1)) << "a late call must not delay what follows";
  EXPECT_EQ(queue.take_due(100.3, 1)->number, 3);
  EXPECT_EQ(queue.dropped(), 0);
}

TEST(PlaybackQueue, DropsOnlyWhatTheNextFrameHasOvertaken) {
  PlaybackQueue queue(8);
  for (int i = 0; i < 6; ++i) queue.push(item(i, i * 0.1, 0.1));
  queue.take_first(100);
  EXPECT_EQ(queue.take_due(100.19, 1)->number, 1) << "late, but the next is not due";
  EXPECT_EQ(queue.dropped(), 0);
  EXPECT_EQ(queue.take_due(100.45, 1)->number, 4);
  EXPECT_EQ(queue.dropped(), 2);
}

TEST(PlaybackQueue, SpeedStretchesTime) {
  for (const double speed : {0.1, 0.5, 2.0, 4.0}) {
    PlaybackQueue queue(8);
    for (int i = 0; i < 3; ++i) queue.push(item(i, i * 0.1, 0.1));
    queue.take_first(100);
    EXPECT_FALSE(queue.take_due(100 + 0.1 / speed - 0.01 / speed, speed));
    EXPECT_EQ(queue.take_due(100 + 0.1 / speed + 1e-6, speed)->number, 1);
  }
}

TEST(PlaybackQueue, TheSeamOfALoopLastsAsLongAsTheLastFrame) {
  PlaybackQueue queue(8);
  queue.push(item(9, 0.9, 0.1));
  queue.take_first(100);
  PlaybackQueue::Item first = item(0, 0, 0.1);
  first.wrapped = true;
  queue.push(first);
  EXPECT_FALSE(queue.take_due(100.09, 1));
  EXPECT_EQ(queue.take_due(100.1, 1)->number, 0);
}

TEST(PlaybackQueue, AfterAStallItGoesOnInsteadOfDropping) {
  PlaybackQueue queue(8);
  queue.push(item(0, 0, 0.04));
  queue.take_first(100);
  queue.push(item(1, 0.04, 0.04));  // the decoder was late by a second
  EXPECT_EQ(queue.take_due(101, 1)->number, 1);
  queue.push(item(2, 0.08, 0.04));
  EXPECT_FALSE(queue.take_due(101.03, 1));
  EXPECT_EQ(queue.take_due(101.04, 1)->number, 2);
  EXPECT_EQ(queue.dropped(), 0);
}

TEST(PlaybackQueue, LiveFramesAreShownOnArrival) {
  PlaybackQueue queue(8);
  queue.push(item(0, 0, 0));
  queue.take_first(100);
  for (int i = 1; i < 4; ++i) {
    PlaybackQueue::Item live = item(i, i * 0.04, 0.04);
    live.on_arrival = true;
    queue.push(live);
  }
  EXPECT_EQ(queue.take_due(100.001, 1)->number, 3) << "the newest";
  EXPECT_EQ(queue.dropped(), 2);
}

std::string clip() {
  return coded_clip("seek-h264.mp4", 100, "-c:v libx264 -pix_fmt yuv420p -g 40 -bf 3", "25", 64, 32);
}

// Takes frames for some seconds, calling every `pause`.
std::vector<std::int64_t> watch(Player& player, double seconds, std::chrono::milliseconds pause, double speed) {
  PlaybackSettings settings;
  settings.speed = speed;
  std::vector<std::int64_t> numbers{next(player, settings).number};
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (const auto frame = player.next_frame(settings)) numbers.push_back(frame->number);
    std::this_thread::sleep_for(pause);
  }
  return numbers;
}

// Lets the clip's own time pass: until another player of it, which keeps to the clock, shows this frame.
void let_pass(Player& beside, std::int64_t number) {
  for (std::int64_t shown = 0; shown < number && !testing::Test::HasFailure();) shown = next(beside, {}).number;
}

TEST(Clock, PlaysInRealTime) {
  const auto player = open(clip(), Pace::clock);
  const std::vector<std::int64_t> numbers = watch(*player, 1.2, std::chrono::milliseconds(2), 1);
  EXPECT_NEAR(static_cast<double>(numbers.back()), 30, 8);  // wide: the machine may be busy
}

TEST(Clock, ASlowCallerSeesEveryFewFramesAndTheRestIsCounted) {
  const auto player = open(clip(), Pace::clock);
  const std::vector<std::int64_t> numbers = watch(*player, 1.2, std::chrono::milliseconds(130), 2);
  const std::int64_t missing = numbers.back() + 1 - static_cast<std::int64_t>(numbers.size());
  EXPECT_GT(missing, 20);
  EXPECT_GE(player->frames_dropped(), missing);
  EXPECT_LE(player->frames_dropped(), missing + 8);  // those after the last one shown
}

TEST(Clock, TheFirstFrameIsSlowToDrawAndNoneIsLateForIt) {
  const auto player = open(clip(), Pace::clock), beside = open(clip(), Pace::clock);
  const PlaybackSettings settings;
  EXPECT_EQ(next(*player, settings).number, 0);
  let_pass(*beside, 12);  // far more than are queued
  EXPECT_EQ(next(*player, settings).number, 1);
  EXPECT_EQ(player->frames_dropped(), 0);
}

TEST(Clock, PaceEveryNeverDrops) {
  const auto player = open(clip()), beside = open(clip(), Pace::clock);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(next(*player, once()).number, i);
    let_pass(*beside, 3 * i / 2);
  }
  EXPECT_EQ(player->frames_dropped(), 0);
}

TEST(Clock, EndsOnTheLastFrame) {
  const auto player = open(clip(), Pace::clock);
  player->seek_frame(95);
  PlaybackSettings settings = once();
  std::int64_t last = 0;
  for (int i = 0; i < 2000 && !player->stats().ended; ++i) {
    if (const auto frame = player->next_frame(settings)) last = frame->number;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(last, 99);
  EXPECT_TRUE(player->stats().ended);
  EXPECT_EQ(player->stats().frame_number, 99);
}

}  // namespace
}  // namespace convoscope::test
