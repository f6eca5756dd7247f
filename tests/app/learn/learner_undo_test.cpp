// What is told of a layer whose weights an undo or a redo brings back.
#include <gtest/gtest.h>

#include "tests/app/learn/learner_fixture.h"

namespace convoscope {
namespace {

using test::LearnerTest;

TEST_F(LearnerTest, WhatIsToldFitsTheWeightsThatAreShownAfterAnUndo) {
  const Filter first = settings_.layer.weights;
  const DeviceImage picture = frame();
  while (stats_.steps < 100) show(picture);
  at_hand_.learning = false;
  show_some(3);
  const Filter learnt = settings_.layer.weights;
  const double difference = stats_.largest_difference.value_or(1);
  ASSERT_FALSE(stats_.others_shown);
  settings_.layer.weights = first;
  show(picture);
  EXPECT_TRUE(stats_.others_shown);
  EXPECT_GT(stats_.largest_difference.value_or(0), difference);
  settings_.layer.weights = learnt;
  show(picture);
  EXPECT_FALSE(stats_.others_shown);
  EXPECT_EQ(stats_.largest_difference.value_or(1), difference);
  settings_.layer.weights = first;
  show(picture);
  const std::int64_t before = stats_.steps;
  at_hand_.learning = true;
  show(picture);
  show(picture);
  EXPECT_LT(stats_.steps, before) << "other weights have a count of their own";
  EXPECT_EQ(stats_.anew, "the weights");
}

TEST_F(LearnerTest, TheLossIsThatOfWhatIsToBeLearnt) {
  const DeviceImage picture = frame();
  while (stats_.steps < 30) show(picture);
  at_hand_.learning = false;
  show_some(3);
  const LearnSettings learnt = settings_.learn;
  const std::vector<float> loss = stats_.loss;
  ASSERT_FALSE(stats_.other_goal);
  const auto change = [&](const auto& how) {
    settings_.learn = learnt;
    how(settings_.learn);
    show(picture);
    return stats_.other_goal;
  };
  EXPECT_TRUE(change([](LearnSettings& learn) { learn.task = LearnTask::denoise; }));
  EXPECT_TRUE(change([](LearnSettings& learn) { learn.task = LearnTask::pane; }));
  EXPECT_TRUE(change([](LearnSettings& learn) { learn.target = parse_filter("laplacian"); }));
  EXPECT_TRUE(change([](LearnSettings& learn) { learn.layers = 2; }));
  EXPECT_FALSE(change([](LearnSettings& learn) { learn.rate /= 2; }));
  EXPECT_FALSE(change([](LearnSettings& learn) { learn.noise /= 2; })) << "of another task";
  EXPECT_EQ(stats_.loss, loss) << "it is still known when that is chosen again";
  settings_.learn.target = parse_filter("laplacian");
  at_hand_.learning = true;
  show(picture);
  show(picture);
  EXPECT_FALSE(stats_.other_goal);
  EXPECT_LT(stats_.steps, 30);
}

TEST_F(LearnerTest, AnUndoOfAResetBringsTheLossBack) {
  const DeviceImage picture = frame();
  while (stats_.steps < 100) show(picture);
  at_hand_.learning = false;
  show_some(3);
  const Filter learnt = settings_.layer.weights;
  const LearnStats told = stats_;
  show(picture, {.reset = true});
  show(picture);
  const Filter random = settings_.layer.weights;
  ASSERT_NE(random, learnt);
  ASSERT_EQ(stats_.steps, 0);
  for (int again = 0; again < 2; ++again) {
    settings_.layer.weights = learnt;
    show(picture);
    EXPECT_EQ(stats_.steps, told.steps);
    EXPECT_EQ(stats_.loss, told.loss);
    EXPECT_EQ(stats_.now, told.now);
    EXPECT_EQ(stats_.largest_difference, told.largest_difference);
    EXPECT_FALSE(stats_.others_shown);
    settings_.layer.weights = random;
    show(picture);
    EXPECT_TRUE(stats_.others_shown) << "a redo";
  }
  at_hand_.learning = true;
  while (stats_.others_shown || stats_.steps < 50) show(picture);
  at_hand_.learning = false;
  show_some(3);
  const std::int64_t steps = stats_.steps;
  const Filter learnt_after = settings_.layer.weights;
  settings_.layer.weights = learnt;
  show(picture);
  EXPECT_EQ(stats_.loss, told.loss) << "also when the layer has learnt since";
  settings_.layer.weights = learnt_after;
  show(picture);
  EXPECT_EQ(stats_.steps, steps);
  settings_.layer.weights = learnt;
  show(picture);
  at_hand_.learning = true;
  while (stats_.steps <= told.steps) show(picture);
  EXPECT_EQ(stats_.anew, told.anew) << "it is learnt on";
}

}  // namespace
}  // namespace convoscope
