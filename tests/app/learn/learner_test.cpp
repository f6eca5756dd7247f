// The layer that learns, as the window has it: what it reaches from the test pattern, and what it does when anything
// changes on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "app/state/workbench.h"
#include "tests/app/learn/learner_fixture.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

using test::LearnerTest;

TEST_F(LearnerTest, LearnsSobelXFromThePattern) {
  constexpr int minute = 3600;  // of frames; most of them are not needed
  int frames = 0;
  for (; frames < minute && stats_.largest_difference.value_or(1) >= 0.01; ++frames) show(frame());
  EXPECT_EQ(stats_.problem, "");
  EXPECT_LT(stats_.largest_difference.value_or(1), 0.01) << stats_.steps << " steps";
  EXPECT_GT(stats_.cosine.value_or(0), 0.999);
  EXPECT_LT(stats_.now, stats_.loss.front() / 100);
  EXPECT_LE(stats_.loss.size(), LossHistory::most);
  EXPECT_EQ(settings_.layer.bank, custom_bank);
  EXPECT_GT(stats_.milliseconds, 0);
  RecordProperty("frames", frames);
  RecordProperty("steps", static_cast<int>(stats_.steps));
}

TEST_F(LearnerTest, StepsAreUnderWayUntilTheirWeightsAreTheLayersAlsoWhereItHasPaused) {
  Learner beside(*compute_);
  const DeviceImage picture = frame();
  while (!stats_.under_way) {
    const Learner::Answer answer = beside.observe(picture, settings_, {.running = true}, stats_);
    if (answer.weights) settings_.layer.weights = *answer.weights;
    ASSERT_EQ(stats_.problem, "");
  }
  Learner::Answer answer;
  while (!answer.weights) {
    ASSERT_TRUE(stats_.under_way);
    answer = beside.observe(picture, settings_, {}, stats_);
    std::this_thread::yield();
  }
  EXPECT_FALSE(stats_.under_way);
}

TEST_F(LearnerTest, LearnsAWideGaussian) {
  settings_.layer.depthwise = false;
  settings_.layer.weights = find_bank_kind("random")->make(1, 1, 9);
  settings_.learn.target = parse_filter("gaussian:radius=4");
  for (int i = 0; i < 3000 && stats_.largest_difference.value_or(1) >= 0.01; ++i) show(frame(PixelFormat::gray32f));
  EXPECT_LT(stats_.largest_difference.value_or(1), 0.01) << stats_.steps << " steps";
  RecordProperty("steps", static_cast<int>(stats_.steps));
}

// A linear filter tells noise from what is smooth, and from nothing else: fine lines, text and the pattern's own noise
// leave it half a decibel.
TEST_F(LearnerTest, TakesNoiseFromWhatIsSmooth) {
  shown_ = "gradients";
  settings_.layer.depthwise = false;
  settings_.layer.weights = find_bank_kind("identity")->make(1, 1, 5);
  settings_.learn.task = LearnTask::denoise;
  const double given = std::pow(settings_.learn.noise / 255, 2);
  for (int i = 0; i < 400; ++i) show(frame(PixelFormat::gray32f));
  EXPECT_FALSE(stats_.largest_difference.has_value()) << "nobody knows the true weights";
  const double decibels = 10 * std::log10(given / stats_.now);
  EXPECT_NEAR(stats_.decibels.value_or(0), decibels, 1e-6);
  EXPECT_GT(decibels, 4) << stats_.steps << " steps";
  RecordProperty("decibels", std::to_string(decibels));
}

TEST_F(LearnerTest, TheTimeIsThatOfAStep) {
  const auto began = std::chrono::steady_clock::now();
  show_some(3);  // each makes steps, which are counted with the next frame
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  ASSERT_GE(stats_.steps, 2);
  EXPECT_GT(stats_.milliseconds, 0);
  // Half of the steps take at least their median.
  EXPECT_LE(stats_.milliseconds * static_cast<double>(stats_.steps / 2), took.count());
}

TEST_F(LearnerTest, DoesNotWaitForItsThread) {
  settings_.layer.depthwise = false;
  settings_.layer.weights = find_bank_kind("random")->make(64, 3, 15);  // a step takes long
  settings_.learn.target = parse_filter("sobel-x");
  Learner learner(*compute_);
  const DeviceImage picture = frame();
  EXPECT_FALSE(learner.observe(picture, settings_, {.running = true}, stats_).weights);
  EXPECT_TRUE(learner.at_work());
  EXPECT_TRUE(picture.is_shared()) << "it is not drawn over while it is looked at";
  while (learner.at_work()) learner.observe({}, settings_, {}, stats_);
  EXPECT_GE(stats_.steps, 1);
  EXPECT_FALSE(picture.is_shared());
}

TEST_F(LearnerTest, AStepThatIsWaitedForIsGivenUpWhenTheProgramShallEnd) {
  settings_.layer.depthwise = false;
  settings_.layer.weights = find_bank_kind("random")->make(64, 3, 15);
  settings_.learn.target = parse_filter("sobel-x");
  int asked = 0;
  Learner learner(*compute_, true, {}, [&] { return ++asked > 0; });
  learner.observe(frame(), settings_, {.running = true}, stats_);
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(learner.disturbs());
  learner.observe({}, settings_, {}, stats_);
  EXPECT_FALSE(learner.at_work());
  EXPECT_EQ(stats_.steps, 0);
  EXPECT_EQ(stats_.problem, "");
}

TEST_F(LearnerTest, RestsWhileItIsNotRunning) {
  show_some(3);
  at_hand_.learning = false;
  show_some(2);
  const std::int64_t steps = stats_.steps;
  const Filter bank = settings_.layer.weights;
  show_some(3);
  EXPECT_EQ(stats_.steps, steps);
  EXPECT_EQ(settings_.layer.weights, bank);
  at_hand_.learning = true;
  show_some(3);
  EXPECT_GT(stats_.steps, steps) << "it goes on where it was";
}

TEST_F(LearnerTest, BeginsAnewWithAnotherTargetTaskOrLayer) {
  const auto begins_anew_with = [&](const char* what, const std::function<void()>& change) {
    show_some(8);
    const std::int64_t before = stats_.steps;
    change();
    EXPECT_LT(stats_.steps, before) << what;
    EXPECT_TRUE(at_hand_.learning) << what << ": " << stats_.problem;
  };
  begins_anew_with("a target", [&] {
    settings_.learn.target = parse_filter("sobel-y");
    show_some(1);
  });
  begins_anew_with("a task", [&] {
    settings_.learn.task = LearnTask::denoise;
    show_some(1);
  });
  begins_anew_with("a layer", [&] {
    settings_.layer.weights = find_bank_kind("random")->make(6, 1, 5);
    show_some(1);
  });
  begins_anew_with("a format", [&] { show(frame(PixelFormat::gray32f)); });
}

TEST_F(LearnerTest, AnotherMethodIsAMarkOnTheWay) {
  show_some(8);
  const std::int64_t steps = stats_.steps;
  settings_.learn.method = DescentMethod::sgd;
  show_some(3);
  EXPECT_GE(stats_.steps, steps);
  EXPECT_EQ(stats_.marks.size(), 1u);
  EXPECT_EQ(stats_.anew, "");
  settings_.learn.target = parse_filter("sobel-y");
  show_some(1);
  EXPECT_EQ(stats_.anew, "the filter");
  EXPECT_TRUE(stats_.marks.empty());
}

TEST_F(LearnerTest, AnotherDeviceGoesOnFromTheStepsSoFar) {
  while (stats_.steps < 20) show(frame());
  const LearnStats before = stats_;
  learner_.leave_device();
  compute_ = make_compute(Backend::emulated);
  learner_.go_on_with(*compute_);
  while (stats_.steps <= before.steps) show(frame());
  EXPECT_EQ(stats_.anew, "");
  EXPECT_EQ(stats_.problem, "");
  EXPECT_LT(stats_.steps, before.steps + 20) << "from where it was";
  EXPECT_GE(stats_.loss.size(), before.loss.size());
  EXPECT_EQ(stats_.loss.front(), before.loss.front());
}

TEST_F(LearnerTest, SaysThatACheckWasDropped) {
  at_hand_.learning = false;
  const DeviceImage picture = frame();
  Learner learner(*compute_);
  learner.observe(picture, settings_, {.check_gradients = true}, stats_);
  EXPECT_TRUE(stats_.checking);
  ASSERT_TRUE(learner.at_work());
  learner.observe(picture, settings_, {.reset = true}, stats_);  // which it notices, or the check was faster
  EXPECT_TRUE(stats_.check_dropped_by == "the weights" || !learner.at_work());
  EXPECT_FALSE(stats_.checking);
}

TEST_F(LearnerTest, AnotherSizeOfPictureIsNoOtherLesson) {
  show_some(3);
  const std::int64_t steps = stats_.steps;
  show(frame(PixelFormat::rgba8, 200, 150));
  show(frame(PixelFormat::rgba8, 64, 64));
  EXPECT_GT(stats_.steps, steps);
  EXPECT_TRUE(at_hand_.learning);
}

TEST_F(LearnerTest, ATypeOfAPanesOwnIsNoOtherLesson) {
  show_some(8);
  const std::int64_t steps = stats_.steps;
  settings_.group().panes[0].precision = Precision::f16;
  show_some(1);
  EXPECT_GE(stats_.steps, steps);
  EXPECT_EQ(stats_.anew, "");
  EXPECT_TRUE(at_hand_.learning) << stats_.problem;
}

TEST_F(LearnerTest, GoesOnFromWeightsThatTheUserChanged) {
  show_some(4);
  settings_.layer.weights.weights = target().weights;
  show_some(3);
  EXPECT_LT(stats_.largest_difference.value_or(1), 0.1) << "of random ones it would be far more";
}

TEST_F(LearnerTest, StopsWhereOnlyRoundingIsLeft) {
  settings_.layer.weights = target();
  settings_.learn.method = DescentMethod::sgd;
  const DeviceImage picture = frame();
  for (int i = 0; i < 100 && at_hand_.learning; ++i) show(picture);
  EXPECT_FALSE(at_hand_.learning);
  EXPECT_TRUE(stats_.learnt_all) << stats_.now;
  EXPECT_EQ(stats_.problem, "");
  EXPECT_LT(stats_.largest_difference.value_or(1), 1e-4);
}

TEST(LossHistory, TheSmoothedLossForgetsALeap) {
  LossHistory history;
  history.add(1e-5);
  for (int i = 0; i < 60; ++i) history.add(1e-12);
  EXPECT_NEAR(history.now(), 1e-12, 1e-14);
}

TEST_F(LearnerTest, ResetsToSmallWeights) {
  show_some(8);
  const DeviceImage picture = frame();
  const Learner::Answer answer = show(picture, {.reset = true});
  ASSERT_TRUE(answer.weights);
  for (const float weight : answer.weights->weights) EXPECT_LT(std::abs(weight), 0.5f);
  EXPECT_LE(stats_.steps, 1);
  at_hand_.learning = false;
  show(picture);
  show(picture, {.reset = true});
  EXPECT_EQ(stats_.steps, 0) << "also while it rests";
}

TEST_F(LearnerTest, ChecksItsGradientsOnce) {
  at_hand_.learning = false;
  const DeviceImage picture = frame();
  const Filter bank = settings_.layer.weights;
  show(picture, {.check_gradients = true});
  show(picture);
  ASSERT_TRUE(stats_.gradients);
  EXPECT_EQ(stats_.gradients->weights, 12);
  EXPECT_LE(stats_.gradients->error, stats_.gradients->tolerance);
  EXPECT_EQ(stats_.steps, 0);
  EXPECT_EQ(settings_.layer.weights, bank);
}

TEST_F(LearnerTest, StopsAtALossThatIsNoNumber) {
  settings_.layer.weights = find_bank_kind("random")->make(3, 3, 3);
  settings_.layer.depthwise = false;
  const DeviceImage good = frame(PixelFormat::gray32f), bad = compute_->allocate(width, height, PixelFormat::gray32f);
  show(good);
  show(good);
  const Filter before = settings_.layer.weights;
  EXPECT_EQ(before.channels, 3) << "as the layer has them for colours";
  const std::vector<float> hole(width * height, std::numeric_limits<float>::quiet_NaN());
  compute_->upload({const_cast<float*>(hole.data()), width, height, width * 4, PixelFormat::gray32f}, bad.image());
  show(bad);
  show(bad);
  EXPECT_FALSE(at_hand_.learning);
  EXPECT_THAT(stats_.problem, HasSubstr("not a number"));
  for (const float weight : settings_.layer.weights.weights) ASSERT_TRUE(std::isfinite(weight));
  at_hand_.learning = true;
  show(good);
  show(good);
  EXPECT_EQ(stats_.problem, "");
  EXPECT_TRUE(at_hand_.learning);
}

TEST_F(LearnerTest, BringsBackWeightsThatWereNumbers) {
  show_some(3);
  Filter last = settings_.layer.weights;
  settings_.layer.weights.weights[2] = std::numeric_limits<float>::infinity();
  show_some(1);
  EXPECT_FALSE(at_hand_.learning);
  EXPECT_THAT(stats_.problem, HasSubstr("not numbers"));
  EXPECT_EQ(settings_.layer.weights.weights, last.weights);
}

TEST_F(LearnerTest, SaysWhatItCannotLearn) {
  const auto refusal = [&] {
    at_hand_.learning = true;
    show_some(2);
    EXPECT_FALSE(at_hand_.learning);
    return stats_.problem;
  };
  settings_.learn.target = parse_filter("gaussian:radius=4");
  EXPECT_THAT(refusal(), HasSubstr("Choose larger filters for the layer"));
  settings_.learn.target = parse_filter("sobel-magnitude");
  EXPECT_THAT(refusal(), HasSubstr("absolute values"));
  settings_.learn.target = parse_filter("sobel-x");
  settings_.layer.weights.relu = true;
  EXPECT_THAT(refusal(), HasSubstr("Switch ReLU off"));
  settings_.layer.weights = find_bank_kind("random")->make(4, 1, 3);
  EXPECT_THAT(refusal(), HasSubstr("must be a multiple of 3; it is 4"));
  settings_.layer.weights = find_bank_kind("random")->make(3, 1, 3);
  at_hand_.learning = true;
  show_some(2);
  EXPECT_TRUE(at_hand_.learning);
  EXPECT_EQ(stats_.problem, "");
}

TEST_F(LearnerTest, LearnsOnlyWhereThereIsALayer) {
  settings_ = in_workbench(settings_, "image");
  show_some(2);
  EXPECT_FALSE(learner_.at_work());
  EXPECT_EQ(stats_.steps, 0);
}

TEST(LossHistory, KeepsItsCourseInFewValues) {
  LossHistory history;
  for (int i = 0; i < 10'000; ++i) history.add(10'000 - i);
  EXPECT_LT(history.losses().size(), LossHistory::most);
  EXPECT_GE(history.losses().size(), LossHistory::most / 2 - 1);
  EXPECT_NEAR(history.losses().front(), 10'000, 100);
  EXPECT_NEAR(history.losses().back(), 1, 100);
  EXPECT_TRUE(std::ranges::is_sorted(history.losses(), std::greater()));
  EXPECT_NEAR(history.now(), 10.5, 1e-9) << "of the last 20";
}

TEST(LossHistory, TheFirstLossWeighsNoMoreThanTheNext) {
  LossHistory history;
  history.add(1);
  EXPECT_NEAR(history.now(), 1, 1e-12);
  for (int i = 0; i < 9; ++i) history.add(0);
  EXPECT_NEAR(history.now(), 0.1, 1e-12);
}

}  // namespace
}  // namespace convoscope
