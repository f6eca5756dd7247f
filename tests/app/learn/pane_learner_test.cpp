// The layer that learns what a pane of the Picture workbench shows.
#include <gtest/gtest.h>

#include "tests/app/learn/learner_fixture.h"

namespace convoscope {
namespace {

using PaneLearnerTest = test::LearnerTest;

// As a pane has it: by any strategy, rounded, and clamped below zero.
TEST_F(PaneLearnerTest, LearnsWhatAPaneOfThePictureWorkbenchShows) {
  PaneSettings pane;
  pane.strategy = "cpu-separable";
  pane.filter = parse_filter("gaussian:radius=1,sigma=0.8");
  settings_.groups["image"].panes = {default_settings().group().panes[0], pane};
  settings_.learn.task = LearnTask::pane;
  settings_.learn.pane = 1;
  int frames = 0;
  for (; frames < 3000 && (frames < 10 || stats_.now > 1e-5); ++frames) show(frame());
  ASSERT_EQ(stats_.problem, "");
  EXPECT_LT(stats_.now, 1e-5) << stats_.steps << " steps";
  const Filter& bank = settings_.layer.weights;
  ASSERT_EQ(bank.weights.size(), 27u);
  for (std::size_t i = 0; i < bank.weights.size(); ++i)
    EXPECT_NEAR(bank.weights[i], pane.filter.filter.weights[i % 9], 0.05) << i;
  EXPECT_FALSE(stats_.largest_difference.has_value()) << "what a pane shows need not be one filter's";
  RecordProperty("frames", frames);
  const std::int64_t steps = stats_.steps;
  settings_.groups["image"].panes[1].filter = parse_filter("sobel-magnitude");
  show_some(2);
  EXPECT_LT(stats_.steps, steps) << "it is another target";
  EXPECT_TRUE(at_hand_.learning) << "a layer tries, whatever it is: " << stats_.problem;
  settings_.learn.pane = 7;
  show_some(2);
  EXPECT_TRUE(at_hand_.learning) << "the last one that there is: " << stats_.problem;
}

// Weights alone would have to make grey of what is not there.
TEST_F(PaneLearnerTest, LearnsThePictureOfAPaneWhoseFilterAddsABias) {
  PaneSettings pane;
  pane.strategy = "cpu-parallel";
  pane.filter = parse_filter("sobel-x");
  pane.filter.filter.gain = 0.125f;  // so that nothing is clamped: all of it can be learnt
  pane.filter.filter.bias = 0.5f;
  settings_.groups["image"].panes = {pane};
  settings_.learn.task = LearnTask::pane;
  ASSERT_TRUE(settings_.layer.weights.biases.empty());
  int frames = 0;
  for (; frames < 3000 && (frames < 10 || stats_.now > 1e-5); ++frames) show(frame());
  ASSERT_EQ(stats_.problem, "");
  EXPECT_LT(stats_.now, 1e-5) << stats_.steps << " steps";
  const Filter& bank = settings_.layer.weights;
  ASSERT_EQ(bank.biases.size(), 3u);
  for (const float bias : bank.biases) EXPECT_NEAR(bias, 0.5, 0.02);
  for (std::size_t i = 0; i < bank.weights.size(); ++i)
    EXPECT_NEAR(bank.weights[i], pane.filter.filter.weights[i % 9] / 8, 0.03) << i;
  RecordProperty("frames", frames);
  settings_.layer.weights.biases.clear();
  settings_.groups["image"].panes[0].strategy = "source";
  show_some(2);
  EXPECT_TRUE(settings_.layer.weights.biases.empty()) << "nothing is added to it";
}

TEST_F(PaneLearnerTest, TheGradientsOfAPanesPictureAreChecked) {
  settings_.learn.task = LearnTask::pane;
  settings_.groups["image"].panes[0].strategy = "source";
  at_hand_.learning = false;
  const DeviceImage picture = frame();
  show(picture, {.check_gradients = true});
  show(picture);
  EXPECT_EQ(stats_.problem, "");
  ASSERT_TRUE(stats_.gradients.has_value());
  EXPECT_LE(stats_.gradients->error, stats_.gradients->tolerance);
}

}  // namespace
}  // namespace convoscope
