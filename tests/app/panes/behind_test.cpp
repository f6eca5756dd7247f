// How far a pane is said to be behind the newest frame, and who comes first so that it is not.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "app/panes/filter_step.h"
#include "app/panes/shown_pictures.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

TEST(FrameIds, FramesAreCountedWhereNoJumpLiesBetween) {
  EXPECT_EQ(frames_behind({10, 1, 1}, {113, 1, 1}), 103);
  EXPECT_EQ(frames_behind({10, 1, 1}, {113, 2, 1}), -1) << "a seek, or another round of the loop";
  EXPECT_EQ(frames_behind({110, 1, 1}, {3, 2, 1}), -1);
  EXPECT_EQ(frames_behind({3, 1, 1}, {3, 2, 1}), 0) << "there and back";
  EXPECT_EQ(frames_behind({3, 1, 1}, {3, 2, 2}), -1) << "of another source";
}

TEST(FrameIds, AreInTheOrderInWhichFramesCame) {
  const FrameId first{7, 1, 1}, next{8, 1, 1}, after_a_seek{3, 2, 1}, of_another_source{0, 3, 2};
  EXPECT_LT(first, next);
  EXPECT_LT(next, after_a_seek);
  EXPECT_LT(after_a_seek, of_another_source);
  EXPECT_LT(std::optional<FrameId>(), std::optional(first)) << "none yet";
}

// One pane that is quick and one whose picture takes minutes, so that it stays at the first one.
class Behind : public testing::Test {
 protected:
  Behind() {
    panes_[0].strategy = panes_[1].strategy = "source";
    give(10);
    finish();
    panes_[1].strategy = "cpu-direct";
    panes_[1].filter = parse_filter("disk:radius=63");
  }

  void give(int number, bool at_once = false) {
    VideoFrame frame;
    frame.format.width = 1280;
    frame.format.height = 720;
    frame.planes[0] = pixels_->data();
    frame.pitch[0] = frame.format.width * 4;
    frame.owner = pixels_;
    frame.number = number;
    frame.seconds = number;
    stage_.give(frame, PixelFormat::rgba8, at_once);
  }
  void turn() {
    now_ += 0.001;
    stage_.arrange(panes_, stats_, 60, now_);
    stage_.filter({.now = now_});
    stage_.panes().collect(stats_);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void finish() {
    do turn();
    while (stage_.busy());
  }
  // Until the quick pane shows this frame. The slow one is at work on it then, or on one before.
  PaneStats& slow_pane_at(int number) {
    for (int i = 0; i < 20'000 && stats_[0].frame_number != number; ++i) turn();
    EXPECT_EQ(stats_[0].frame_number, number);
    return stats_[1];
  }

  std::unique_ptr<Compute> compute_ = make_compute(Backend::cpu);
  const std::unique_ptr<FilterStep> made_ = make_filter_step(*compute_, false);
  FilterStep& stage_ = *made_;
  std::shared_ptr<std::vector<std::uint8_t>> pixels_ = std::make_shared<std::vector<std::uint8_t>>(1280 * 720 * 4);
  std::vector<PaneSettings> panes_{2};
  std::vector<PaneStats> stats_;
  double now_ = 0;
};

TEST_F(Behind, FramesAreCountedAlongTheSource) {
  give(20);
  EXPECT_EQ(slow_pane_at(20).frames_behind, 10);
  EXPECT_EQ(stats_[1].frame_number, 10);
  EXPECT_EQ(stats_[0].frames_behind, 0);
}

TEST_F(Behind, ASeekIsNoLag) {
  give(113, true);
  EXPECT_EQ(slow_pane_at(113).frames_behind, -1);
  EXPECT_FALSE(stats_[1].of_source_before);
}

TEST_F(Behind, AStepIsOneFrame) {
  give(11, true);
  EXPECT_EQ(slow_pane_at(11).frames_behind, 1);
}

TEST_F(Behind, WhereTheUserHasGoneIsKnownUntilAPaneShowsIt) {
  EXPECT_FALSE(stage_.position_to_come());
  give(113, true);
  EXPECT_EQ(stage_.position_to_come(), 113);
  EXPECT_EQ(stage_.position(), 10);
  slow_pane_at(113);
  EXPECT_FALSE(stage_.position_to_come()) << "the slow one is still at work";
  EXPECT_EQ(stage_.position(), 113);
  give(20, true);
  give(21);
  EXPECT_EQ(stage_.position_to_come(), 20) << "it plays on from there";
  slow_pane_at(21);
  EXPECT_FALSE(stage_.position_to_come());
}

TEST_F(Behind, WhatIsGivenUpAtOnceIsNotTakenForQuick) {
  for (int number = 100; number < 108 && !HasFailure(); ++number) {
    give(number, true);
    slow_pane_at(number);
  }
}

TEST_F(Behind, WhatIsGivenUpIsNoFrameMadeNorAQuickOne) {
  const int made = stage_.panes().frames_made();
  const std::optional<double> seconds = stage_.panes().seconds_taken();
  EXPECT_GE(made, 1);
  ASSERT_TRUE(seconds);
  give(113, true);
  slow_pane_at(113);
  panes_[1].filter = parse_filter("disk:radius=62");
  turn();
  EXPECT_EQ(stage_.panes().frames_made(), made) << "though a quick pane has its picture, and others another input";
  EXPECT_GE(stage_.panes().seconds_taken(), seconds);
}

TEST_F(Behind, ThePictureOfAnotherFilterIsKnownAsSuch) {
  panes_[1].filter = parse_filter("identity");
  panes_[0].strategy = "cpu-parallel";
  panes_[0].filter = panes_[1].filter;
  give(20);
  finish();
  EXPECT_FALSE(stats_[1].of_filter_before);
  for (PaneSettings& pane : panes_) pane.filter = parse_filter("disk:radius=63");
  panes_[0].filter = parse_filter("box:radius=1");
  for (int i = 0; i < 20'000 && (i == 0 || stats_[0].of_filter_before); ++i) turn();
  EXPECT_FALSE(stats_[0].of_filter_before);
  EXPECT_TRUE(stats_[1].of_filter_before);
  panes_[1].filter = parse_filter("identity");
  turn();
  EXPECT_FALSE(stats_[1].of_filter_before) << "it is the filter of that picture again";
  panes_[1].strategy = "cpu-separable";
  turn();
  EXPECT_FALSE(stats_[1].of_filter_before) << "another strategy has the same result";
}

TEST_F(Behind, RoundsOfALoopAreNotCounted) {
  give(0);
  EXPECT_EQ(slow_pane_at(0).frames_behind, -1);
  give(113);
  EXPECT_EQ(slow_pane_at(113).frames_behind, -1) << "of the round before";
}

TEST_F(Behind, AFrameOfAnotherSourceIsNotCounted) {
  stage_.begin_source();
  give(113, true);
  EXPECT_EQ(slow_pane_at(113).frames_behind, -1);
  EXPECT_TRUE(stats_[1].of_source_before);
  EXPECT_FALSE(stats_[0].of_source_before);
}

// It takes no time, whatever was given up before its turn.
TEST(PanesUnseen, TheSourceIsNeverTakenForSlow) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  const DeviceImage inputs[] = {compute->allocate(3840, 2160, PixelFormat::rgba8),
                                compute->allocate(3840, 2160, PixelFormat::rgba8)};
  for (const DeviceImage& input : inputs) compute->fill(input.image(), 77);
  std::vector<PaneSettings> panes(3);
  panes[0].strategy = panes[1].strategy = "source";
  panes[2].strategy = "cpu-direct";
  panes[2].filter = parse_filter("disk:radius=63");  // minutes
  std::vector<PaneStats> stats;
  PaneSet set(*compute);
  set.arrange(panes, stats, 60);
  set.configure(panes, 3840, 2160, PixelFormat::rgba8);
  const auto seen = [](int pane) { return pane == 0; };
  for (int again = 0; again < 8; ++again) {  // the order is random
    set.filter(inputs[again % 2], {.seen = seen});
    while (set.at_work()) set.give_up_unseen();
    EXPECT_EQ(set.runner(1).expected_seconds(), 0);
  }
  EXPECT_GT(set.runner(2).expected_seconds(), 0.03);
}

TEST(PanesUnseen, TheSourceIsSeenWhileItsKeyIsHeld) {
  Settings settings;
  settings.group().panes.resize(3);
  settings.group().panes[2].strategy = "source";
  EXPECT_TRUE(is_seen(settings, View::single, 2, flick_source));
  EXPECT_FALSE(is_seen(settings, View::single, 0, flick_source)) << "the active pane is not what is shown";
  settings.group().panes[2].strategy = "constant";
  EXPECT_TRUE(is_seen(settings, View::single, 0, flick_source)) << "no pane shows it, so the active one goes on";
}

}  // namespace
}  // namespace convoscope
