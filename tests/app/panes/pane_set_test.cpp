#include "app/panes/pane_set.h"

#include <gtest/gtest.h>

#include "app/panes/pane_ids.h"
#include "kernels/filter/filter_catalogue.h"
#include "tests/app/panes/held_compute.h"

namespace convoscope {
namespace {

class PaneSetTest : public testing::Test {
 protected:
  void SetUp() override {
    input_ = compute_->allocate(64, 48, PixelFormat::rgba8);
    for (const char* strategy : {"cpu-direct", "cpu-parallel", "cpu-separable"}) panes_.push_back(pane(strategy));
    play(8);
  }
  static PaneSettings pane(const char* strategy) {
    PaneSettings made;
    made.strategy = strategy;
    made.filter = parse_filter("box:radius=1");
    return made;
  }
  void play(int frames) {
    for (int i = 0; i < frames; ++i) {
      set_.arrange(panes_, stats_, 60);
      set_.configure(panes_, 64, 48, PixelFormat::rgba8);
      set_.filter(input_);
      set_.wait();
      set_.collect(stats_);
    }
  }
  std::vector<std::string> strategies() const {
    std::vector<std::string> ids;
    for (const PaneStats& row : stats_) ids.push_back(row.strategy);
    return ids;
  }
  using Names = std::vector<std::string>;

  std::unique_ptr<Compute> compute_ = make_compute(Backend::cpu);
  DeviceImage input_;
  PaneSet set_{*compute_};
  std::vector<PaneSettings> panes_;
  std::vector<PaneStats> stats_;
};

TEST_F(PaneSetTest, NamesPanesThatHaveNoIdOfTheirOwn) {
  std::vector<PaneSettings> panes(4);
  panes[1].id = panes[2].id = 7;
  name_panes(panes);
  EXPECT_EQ(panes[1].id, 7);
  for (std::size_t i = 0; i < panes.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(panes[i].id, panes[k].id);
  for (const PaneSettings& each : panes) EXPECT_GT(each.id, 0);
}

TEST_F(PaneSetTest, ClosingAPaneKeepsTheTimesAndPlansOfTheOthers) {
  stats_[0].kernel.clear();  // so that the histories differ
  const PaneRunner* const first = &set_.runner(0);
  const PaneRunner* const last = &set_.runner(2);
  const int times = stats_[2].kernel.count();
  ASSERT_GT(times, 0);
  panes_.erase(panes_.begin() + 1);
  set_.arrange(panes_, stats_, 60);
  EXPECT_EQ(strategies(), (Names{"cpu-direct", "cpu-separable"}));
  EXPECT_EQ(stats_[0].kernel.count(), 0);
  EXPECT_EQ(stats_[1].kernel.count(), times);
  EXPECT_EQ(&set_.runner(0), first);
  EXPECT_EQ(&set_.runner(1), last);
  play(runs_uncounted_after_change);
  EXPECT_EQ(stats_[1].kernel.count(), times) << "the change next door disturbs these frames";
  play(2);
  EXPECT_EQ(stats_[1].kernel.count(), times + 2) << "its plan is the same: it goes on at once";
}

TEST_F(PaneSetTest, TimesMoveWithTheirPane) {
  stats_[0].kernel.clear();
  const int times = stats_[1].kernel.count();
  std::swap(panes_[0], panes_[2]);
  std::swap(panes_[0], panes_[1]);  // 1 2 0
  set_.arrange(panes_, stats_, 60);
  EXPECT_EQ(strategies(), (Names{"cpu-parallel", "cpu-separable", "cpu-direct"}));
  EXPECT_EQ(stats_[0].kernel.count(), times);
  EXPECT_EQ(stats_[2].kernel.count(), 0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(stats_[i].id, panes_[i].id);
}

TEST_F(PaneSetTest, ACopyInTheMiddleStartsWithoutTimes) {
  PaneSettings copy = panes_[0];
  copy.strategy = "source";
  panes_.insert(panes_.begin() + 1, copy);
  const int times = stats_[1].kernel.count();
  set_.arrange(panes_, stats_, 60);
  ASSERT_EQ(stats_.size(), 4u);
  EXPECT_EQ(stats_[1].kernel.count(), 0);
  EXPECT_EQ(stats_[2].kernel.count(), times);
  play(1);
  EXPECT_EQ(strategies(), (Names{"cpu-direct", "source", "cpu-parallel", "cpu-separable"}));
}

TEST_F(PaneSetTest, AChangeOfOnePaneLeavesOutTheSameFramesOfTheOthers) {
  const int times = stats_[0].kernel.count();
  ASSERT_EQ(times, 8 - runs_uncounted_after_change);
  panes_[2].filter = parse_filter("box:radius=2");
  play(runs_uncounted_after_change);
  for (const int i : {0, 1}) EXPECT_EQ(stats_[static_cast<std::size_t>(i)].kernel.count(), times);
  play(1);
  EXPECT_EQ(stats_[0].kernel.count(), times + 1);
  EXPECT_EQ(stats_[2].kernel.count(), 1) << "new weights of another size start anew";
}

TEST_F(PaneSetTest, WhileTheDeviceIsBusyOtherwiseNoTimeCounts) {
  const int times = stats_[0].kernel.count();
  for (int i = 0; i < 5; ++i) {
    set_.filter(input_, {.quiet = false});
    set_.wait();
  }
  set_.collect(stats_);
  EXPECT_EQ(stats_[0].kernel.count(), times);
  play(1);
  EXPECT_EQ(stats_[0].kernel.count(), times + 1);
}

// Frames go to the cores and back through memory of the host that is the GPU's to read.
TEST(PaneSetBesideAGpu, KeepsMemoryOfTheHostForAsLongAsSomePanesAreOnCores) {
  HeldCompute gpu(Backend::cuda);
  gpu.clockwork.finished = 1 << 30;
  PaneSet set(gpu);
  const DeviceImage input = gpu.allocate(64, 48, PixelFormat::rgba8);
  std::vector<PaneSettings> panes(2);
  std::vector<PaneStats> stats;
  const auto play = [&](const char* strategy) {
    for (PaneSettings& pane : panes) {
      pane.strategy = strategy;
      pane.filter = parse_filter("box:radius=1");
    }
    set.arrange(panes, stats, 60);
    set.configure(panes, 64, 48, PixelFormat::rgba8);
    set.filter(input);
    set.wait();
    set.collect(stats);
  };
  for (int i = 0; i < 3; ++i) {
    play("cpu-separable");
    EXPECT_EQ(stats[0].runs, "cpu-separable") << stats[0].problem;
    EXPECT_EQ(gpu.blocks_on_host(), 3) << "a frame on its way there, and one of each pane on its way back";
    play("source");
    EXPECT_EQ(gpu.blocks_on_host(), 0);
  }
}

TEST(PaneSetBesideAGpu, WhereThereIsNoMemoryForTheWayDownTheNextFrameIsTriedAnew) {
  HeldCompute gpu(Backend::cuda);
  gpu.clockwork.finished = 1 << 30;
  PaneSet set(gpu);
  const DeviceImage input = gpu.allocate(64, 48, PixelFormat::rgba8);
  std::vector<PaneSettings> panes(1);
  panes[0].strategy = "cpu-separable";
  panes[0].filter = parse_filter("box:radius=1");
  std::vector<PaneStats> stats;
  set.arrange(panes, stats, 60);
  set.configure(panes, 64, 48, PixelFormat::rgba8);
  gpu.failing_host_allocations = 1;
  EXPECT_THROW(set.filter(input), Error);
  EXPECT_FALSE(set.at_work());
  set.take_finished_pictures();
  EXPECT_FALSE(set.is_complete());
  set.filter(input);
  set.wait();
  set.collect(stats);
  EXPECT_TRUE(set.is_complete());
  EXPECT_EQ(stats[0].runs, "cpu-separable") << stats[0].problem;
}

}  // namespace
}  // namespace convoscope
