// What the CPU's strategies take beside emulated kernels, of a picture that stays.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "app/panes/filter_step.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

class EmulatedTimes : public testing::Test {
 protected:
  void SetUp() override {
    constexpr int width = 64, height = 48;
    const auto pixels = std::make_shared<std::vector<std::uint8_t>>(width * height * 4, std::uint8_t{128});
    picture_.format.width = width;
    picture_.format.height = height;
    picture_.planes[0] = pixels->data();
    picture_.pitch[0] = width * 4;
    picture_.owner = pixels;
  }

  void add_pane(const char* strategy) {
    PaneSettings& pane = panes_.emplace_back();
    pane.strategy = strategy;
    pane.filter = parse_filter("box:radius=1");
  }

  // Lets a long time pass, and what begins then come to its end.
  void pass_time() {
    now_ += 1e6;
    do {
      stage_.arrange(panes_, stats_, 60, now_);
      stage_.filter({.now = now_});
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (stage_.panes().at_work());
    stage_.panes().collect(stats_);
  }

  void show_picture() {
    stage_.give(picture_, PixelFormat::rgba8, false);
    pass_time();
  }

  const std::unique_ptr<Compute> compute_ = make_compute(Backend::emulated);
  const std::unique_ptr<FilterStep> made_ = make_filter_step(*compute_, false);
  FilterStep& stage_ = *made_;
  VideoFrame picture_;
  std::vector<PaneSettings> panes_;
  std::vector<PaneStats> stats_;
  double now_ = 0;
};

TEST_F(EmulatedTimes, AStrategyOfTheCpuHasThemOfAPictureThatStays) {
  add_pane("cpu-parallel");
  add_pane("global");
  show_picture();
  for (int i = 0; i < runs_uncounted_after_change + 3; ++i) pass_time();
  EXPECT_GE(stats_[0].kernel.count(), 2);
  EXPECT_EQ(stats_[1].kernel.count(), 0) << "of an emulated kernel there is no time";
}

TEST_F(EmulatedTimes, AnEmulatedKernelIsNotRunAgainForThem) {
  add_pane("global");
  add_pane("source");
  show_picture();
  const int made = stage_.panes().frames_made();
  for (int i = 0; i < 3; ++i) pass_time();
  EXPECT_EQ(stage_.panes().frames_made(), made);
}

}  // namespace
}  // namespace convoscope
