// Which frames leave a time behind, and what filters when the chosen strategy cannot.
#include "app/panes/pane_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/filter/filter_catalogue.h"
#include "tests/app/panes/held_compute.h"

namespace convoscope {
namespace {

class PaneRunnerTest : public testing::Test {
 protected:
  PaneRunnerTest() {
    settings_.strategy = "cpu-direct";
    settings_.filter = parse_filter("gaussian:radius=1");
    compute_.fill(in_.image(), 7);
  }
  void run(int frames, bool counts = true) {
    for (int i = 0; i < frames; ++i) {
      runner_.configure({&settings_, work_, {8, 8}});
      runner_.plan_again();
      runner_.begin(in_, counts);
      runner_.compute(in_.image());
      runner_.show(in_);
      runner_.settle();
    }
  }
  std::vector<float> collect() {
    runner_.collect(stats_);
    return stats_.kernel.history();
  }
  void finish_all() { compute_.clockwork.finished = compute_.clockwork.started; }

  HeldCompute compute_;
  DeviceImage in_ = compute_.allocate(8, 8, PixelFormat::rgba8);
  PaneRunner runner_{compute_};
  PaneSettings settings_;
  Work work_;
  PaneStats stats_;
};

TEST_F(PaneRunnerTest, FirstLaunchesAreLeftOutHoweverLateTheyAreRead) {
  run(6);
  EXPECT_TRUE(collect().empty()) << "nothing is finished";
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 5, 6}));
}

TEST_F(PaneRunnerTest, WhatIsInFlightAtAChangeBelongsToNobody) {
  run(5);  // 4 and 5 would count
  settings_.strategy = "cpu-separable";
  run(1);
  finish_all();
  EXPECT_TRUE(collect().empty());
  run(3);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{9})) << "6, 7 and 8 are the first three of the new strategy";
  EXPECT_EQ(stats_.strategy, "cpu-separable");
}

TEST_F(PaneRunnerTest, NewWeightsKeepTheTimesAndLeaveOutTheFramesOfTheChange) {
  run(5);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 5}));
  settings_.filter = parse_filter("gaussian:radius=1,sigma=0.4");
  run(4);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 5, 9}));
}

// One weight of a Gaussian that is changed makes it a filter that rows and columns cannot have.
TEST_F(PaneRunnerTest, NewWeightsThatAnotherStrategyTakesKeepNoTimes) {
  settings_.strategy = "auto";
  settings_.filter = parse_filter("gaussian:radius=6");
  run(5);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 5}));
  const std::string before = stats_.runs;
  settings_.filter.filter.weights[0] += 0.3f;
  run(4);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{9})) << stats_.runs << " after " << before;
  EXPECT_NE(stats_.runs, before) << "the test shows nothing";
}

TEST_F(PaneRunnerTest, AFrameThatDoesNotCountLeavesNoTime) {
  run(4);
  run(2, false);
  run(1);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 7}));
}

TEST_F(PaneRunnerTest, WhenAllTimersAreInFlightFramesGoUntimed) {
  run(20);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 5, 6, 7, 8}));
  run(1);
  finish_all();
  EXPECT_EQ(collect().back(), 9) << "and the ring goes on";
}

TEST_F(PaneRunnerTest, TimesComeThoughItIsSetToWorkAgainAtOnce) {
  run(5);
  finish_all();
  run(1);  // settled after 4 and 5 are finished, and at work again before anybody collects
  runner_.begin(in_);
  EXPECT_EQ(collect(), (std::vector<float>{4, 5}));
  runner_.compute(in_.image());
  runner_.show(in_);
  runner_.settle();
}

TEST_F(PaneRunnerTest, TimesThatNobodyCollectedBeforeAChangeBelongToNobody) {
  run(5);
  finish_all();
  run(1);
  settings_.strategy = "cpu-separable";
  runner_.configure({&settings_, {}, {8, 8}});
  EXPECT_TRUE(collect().empty());
}

TEST_F(PaneRunnerTest, AnotherStandsInWhileTheChosenOneCannotRunAndNoLonger) {
  settings_.strategy = "cpu-separable";
  run(5);
  finish_all();
  EXPECT_EQ(collect().size(), 2u);
  EXPECT_EQ(stats_.runs, "cpu-separable");
  EXPECT_EQ(stats_.substitute, "");
  EXPECT_EQ(stats_.why_substitute, "");

  settings_.filter = parse_filter("disk:radius=1.4");  // of the same size, but its rank is not 1
  ASSERT_EQ(settings_.filter.filter.width, 3);
  run(1);
  EXPECT_TRUE(collect().empty()) << "the times are another strategy's";
  EXPECT_EQ(stats_.strategy, "cpu-separable") << "the choice stays the choice";
  EXPECT_EQ(stats_.runs, "cpu-parallel");
  EXPECT_EQ(stats_.substitute, "cpu-parallel");
  EXPECT_NE(stats_.why_substitute.find("cpu-parallel runs instead."), std::string::npos) << stats_.why_substitute;
  EXPECT_EQ(stats_.problem, "");
  ASSERT_TRUE(runner_.strategy());
  EXPECT_EQ(runner_.strategy()->id, "cpu-parallel") << "the check asks this one's tolerance";

  settings_.filter = parse_filter("gaussian:radius=1");
  run(1);
  collect();
  EXPECT_EQ(stats_.runs, "cpu-separable");
  EXPECT_EQ(stats_.substitute, "");
}

TEST_F(PaneRunnerTest, APictureThatIsFilteredAgainIsNoOtherPicture) {
  run(10);
  collect();
  EXPECT_EQ(stats_.pictures_a_second, 0) << "however often it is";
}

TEST_F(PaneRunnerTest, WhatFailsAtWorkIsDoneByAnotherThatSaysSo) {
  run(1);
  compute_.clockwork.failing_starts = 1;
  run(1);
  EXPECT_TRUE(runner_.has_failed());
  run(1);
  collect();
  ASSERT_TRUE(runner_.strategy());
  const std::string other(runner_.strategy()->id);
  EXPECT_NE(other, "cpu-direct");
  EXPECT_EQ(stats_.strategy, "cpu-direct") << "the choice stays the choice";
  EXPECT_EQ(stats_.runs, other);
  EXPECT_EQ(stats_.substitute, other);
  EXPECT_EQ(stats_.why_substitute, "cpu-direct cannot run: The launch failed. " + other + " runs instead.");
  EXPECT_EQ(stats_.problem, "");
  EXPECT_TRUE(runner_.is_current());
  EXPECT_NE(runner_.output().data, in_.image().data);

  settings_.filter = parse_filter("gaussian:radius=1,sigma=0.4");
  run(1);
  collect();
  EXPECT_EQ(stats_.runs, other) << "other weights of the same size are no reason to fail once more";

  compute_.clockwork.failing_starts = 1;
  run(2);
  collect();
  EXPECT_THAT(stats_.runs, testing::AllOf(testing::Ne(""), testing::Ne("cpu-direct"), testing::Ne(other)));
  EXPECT_THAT(stats_.why_substitute, testing::StartsWith("cpu-direct cannot run: The launch failed."));

  settings_.filter = parse_filter("gaussian:radius=2");
  run(1);
  collect();
  EXPECT_EQ(stats_.runs, "cpu-direct") << "another problem";
  EXPECT_EQ(stats_.substitute, "");
}

TEST_F(PaneRunnerTest, WhereAllFailThePicturePassesThrough) {
  compute_.clockwork.failing_starts = 1000;
  run(20);
  collect();
  EXPECT_FALSE(runner_.strategy());
  EXPECT_FALSE(runner_.has_failed());
  EXPECT_EQ(stats_.substitute, "");
  EXPECT_EQ(stats_.problem, "cpu-direct cannot run, nor can any other strategy: The launch failed.");
  EXPECT_EQ(runner_.output().data, in_.image().data);

  compute_.clockwork.failing_starts = 0;
  settings_.filter = parse_filter("gaussian:radius=1,sigma=0.4");
  run(1);
  collect();
  EXPECT_EQ(stats_.runs, "cpu-direct") << "whatever is changed, all have another try";
  EXPECT_EQ(stats_.problem, "");
}

TEST_F(PaneRunnerTest, AnotherStandsInWhereThereIsNoRoomForTheFramesOfTheChosenOne) {
  work_ = {.kind = &volume_kind, .reach = 1};
  settings_.frames = 1;
  compute_.failing_allocations = 1;
  run(1);
  collect();
  ASSERT_TRUE(runner_.strategy());
  EXPECT_NE(runner_.strategy()->id, "cpu-direct");
  EXPECT_EQ(stats_.substitute, runner_.strategy()->id);
  EXPECT_THAT(stats_.why_substitute, testing::StartsWith("cpu-direct cannot run: There is no memory for it."));
  EXPECT_EQ(stats_.problem, "");
}

TEST_F(PaneRunnerTest, TheNoiseOfALayerIsNotThatOfThePictureAfterIt) {
  LayerSettings layer;
  layer.weights = catalogue_bank(layer);
  layer.noise = 25.5;
  const WallSettings wall;
  work_ = {&layer_kind, &layer, &wall};
  run(1);
  EXPECT_DOUBLE_EQ(runner_.largest_input(), 1.6);
  work_ = Work();
  run(1);
  EXPECT_EQ(runner_.largest_input(), 1);
}

}  // namespace
}  // namespace convoscope
