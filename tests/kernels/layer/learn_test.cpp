// Layers that learn: the descents by hand, the gradients against finite differences, what is learnt and what is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/choose/stand_in.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/layer.h"
#include "kernels/learn/gradient_check.h"
#include "kernels/learn/loss.h"
#include "kernels/learn/planned_pass.h"
#include "kernels/text/error.h"
#include "kernels/threads/stop.h"
#include "tests/error_of.h"
#include "tests/kernels/layer/learn_samples.h"

namespace convoscope {
namespace {

using test::layer_of;
using test::Picture;
using testing::HasSubstr;

TEST(Adam, TakesItsFirstStepsAsComputedByHand) {
  Adam adam(2);
  std::vector<double> weights{1, 5};
  adam.step(weights, std::vector<float>{4, -0.001f}, 0.1);
  EXPECT_NEAR(weights[0], 0.9, 1e-8) << "the first step is as long as the rate, whatever the gradient";
  EXPECT_NEAR(weights[1], 5.1, 1e-5);
  // m = 0.9 · 0.1 · 4 − 0.1 · 4 = −0.04, over 1 − 0.81; v = 0.99 · 0.01 · 16 + 0.01 · 16 = 0.3184, over 1 − 0.9801.
  adam.step(weights, std::vector<float>{-4, -0.001f}, 0.1);
  EXPECT_NEAR(weights[0], 0.9 + 0.1 * (0.04 / 0.19) / std::sqrt(0.3184 / 0.0199), 1e-8);
  EXPECT_NEAR(weights[1], 5.2, 1e-5) << "the same gradient twice is the same step twice";
  EXPECT_EQ(adam.steps(), 2);
}

TEST(Sgd, KeepsMostOfItsWay) {
  Sgd sgd(2);
  std::vector<double> weights{1, 5};
  sgd.step(weights, std::vector<float>{4, -1}, 0.1);
  EXPECT_NEAR(weights[0], 0.6, 1e-12);
  EXPECT_NEAR(weights[1], 5.1, 1e-12);
  sgd.step(weights, std::vector<float>{4, 0}, 0.1);
  EXPECT_NEAR(weights[0], 0.6 - 0.36 - 0.4, 1e-12);
  EXPECT_NEAR(weights[1], 5.1 + 0.09, 1e-12) << "without a slope it still rolls";
  EXPECT_EQ(sgd.steps(), 2);
}

TEST(Noise, IsNormalAndFollowsItsSeed) {
  constexpr int count = 200'000;
  double sum = 0, squares = 0;
  int beyond = 0;
  for (int i = 0; i < count; ++i) {
    const double value = learning::normal_number(static_cast<std::uint32_t>(i), 7);
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
    beyond += std::abs(value) > 2;
  }
  // Five standard errors each.
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2.0 / count));
  EXPECT_NEAR(static_cast<double>(beyond) / count, 0.0455, 5 * std::sqrt(0.0455 / count));
  EXPECT_EQ(learning::normal_number(3, 7), learning::normal_number(3, 7));
  EXPECT_NE(learning::normal_number(3, 7), learning::normal_number(3, 8));
}

Problem depthwise(int size) { return layer_of(find_bank_kind("random")->make(3, 1, size), 3, 3); }
Lesson lesson_of(const char* filter, const Problem& layer, double rate = 0.01) {
  return {.target = bank_of_target(parse_filter(filter).filter, {layer}), .rate = rate};
}
double largest_difference(const Filter& bank, const Filter& target) {
  double most = 0, difference = 0;
  for (std::size_t i = 0; i < bank.weights.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(target.weights[i])));
    difference = std::max(difference, std::abs(static_cast<double>(bank.weights[i]) - target.weights[i]));
  }
  return difference / most;
}

class TrainerTest : public testing::TestWithParam<Backend> {
 protected:
  std::unique_ptr<Compute> compute_ = make_compute(GetParam());
};

TEST_P(TrainerTest, ItsGradientsAreTheSlopesOfItsLoss) {
  const auto random = [](int maps, int channels, int size) {
    return find_bank_kind("random")->make(maps, channels, size);
  };
  Problem strided = layer_of(random(4, 3, 3), 3), dilated = layer_of(random(2, 3, 3), 3);
  strided.layer.stride = 2;
  strided.layer.padding = 0;
  dilated.layer.dilation = dilated.layer.padding = 2;
  Problem biased = layer_of(random(3, 3, 3), 3);
  biased.filter.biases = {0.5f, -0.25f, 1};
  for (const Problem& layer :
       {layer_of(random(4, 3, 3), 3), layer_of(random(1, 1, 5), 1), depthwise(3), strided, dilated, biased})
    for (const double noise : {0.0, 0.1}) {
      SCOPED_TRACE(layer_kind.shape(layer) + (noise > 0 ? " with noise" : ""));
      const bool grey = layer.layer.channels == 1;
      const Picture picture(*compute_, grey ? PixelFormat::gray32f : PixelFormat::rgba8);
      Lesson lesson = lesson_of("sobel-x", layer);
      lesson.noise = noise;
      Trainer trainer(*compute_, {layer}, lesson, {.samples = 2, .side = 16}, 3);
      const GradientCheck check = check_gradients(trainer, picture.image.image());
      EXPECT_EQ(check.weights, std::min<int>(12, static_cast<int>(layer.filter.weights.size())));
      EXPECT_LE(check.error, check.tolerance);
      EXPECT_LT(check.tolerance, 1e-3) << "says nothing";
      const double most =
          std::abs(*std::ranges::max_element(trainer.gradient(), {}, [](float x) { return std::abs(x); }));
      EXPECT_GT(most, 0);
      EXPECT_EQ(trainer.bank().weights, layer.filter.weights) << "it only looked";
    }
}

TEST_P(TrainerTest, ALossIsTheMeanOfTheSquares) {
  const Problem layer = depthwise(3);
  const Picture picture(*compute_, PixelFormat::rgba8);
  Trainer trainer(*compute_, {layer}, lesson_of("box:radius=1", layer), {.samples = 2, .side = 16}, 3);
  const double loss = trainer.look_at(picture.image.image());
  std::vector<float> x = trainer.inputs();
  const Tensor in = tensor_of_rows(x.data(), layer_kind.inputs(trainer.network().front())[0], 16 * sizeof(float));
  const std::vector<double> y = layer_kind.reference(trainer.network().front(), {&in, 1});
  const std::vector<float> wanted = trainer.wanted();
  double squares = 0;
  for (std::size_t i = 0; i < y.size(); ++i) squares += (y[i] - wanted[i]) * (y[i] - wanted[i]);
  EXPECT_NEAR(loss, squares / static_cast<double>(y.size()), 1e-5 * loss);
}

TEST_P(TrainerTest, WhatIsNoNumberChangesNothing) {
  const Problem layer = layer_of(find_bank_kind("random")->make(1, 1, 3), 1);
  const std::vector<float> hole(16 * 16, std::numeric_limits<float>::quiet_NaN());
  const DeviceImage picture = compute_->allocate(16, 16, PixelFormat::gray32f);
  compute_->upload({const_cast<float*>(hole.data()), 16, 16, 64, PixelFormat::gray32f}, picture.image());
  Trainer trainer(*compute_, {layer}, lesson_of("sobel-x", layer), {.samples = 1, .side = 16}, 3);
  EXPECT_TRUE(std::isnan(trainer.step(picture.image())));
  EXPECT_EQ(trainer.bank().weights, layer.filter.weights);
  const Picture good(*compute_, PixelFormat::gray32f);
  EXPECT_GT(trainer.step(good.image.image()), 0);
  EXPECT_NE(trainer.bank().weights, layer.filter.weights) << "it goes on from there";
}

INSTANTIATE_TEST_SUITE_P(Backends, TrainerTest, testing::ValuesIn(test::learning_backends()),
                         [](const auto& one) { return to_string(one.param); });

struct Task {
  const char* filter;
  int size;
};
class LearningTest : public testing::TestWithParam<Task> {};

TEST_P(LearningTest, FindsTheFilterOfEachColour) {
  const auto compute = make_compute(Backend::cpu);
  const Picture picture(*compute, PixelFormat::rgba8);
  const Problem layer = depthwise(GetParam().size);
  const Lesson lesson = lesson_of(GetParam().filter, layer);
  Trainer trainer(*compute, {layer}, lesson, {.samples = 2, .side = 24}, 3);
  for (int step = 0; step < 1000; ++step) trainer.step(picture.image.image());
  EXPECT_LT(largest_difference(trainer.bank(), lesson.target), 0.01);
}

INSTANTIATE_TEST_SUITE_P(Filters, LearningTest,
                         testing::Values(Task{"sobel-x", 3}, Task{"sobel-x", 5}, Task{"box:radius=1", 3}),
                         [](const auto& one) {
                           std::string name = one.param.filter + std::to_string(one.param.size);
                           std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
                           return name;
                         });

TEST(Learning, ADifferentBankIsLearntOnFrom) {
  const auto compute = make_compute(Backend::cpu);
  const Picture picture(*compute, PixelFormat::rgba8);
  const Problem layer = depthwise(3);
  const Lesson lesson = lesson_of("sobel-x", layer);
  Trainer trainer(*compute, {layer}, lesson, {.samples = 2, .side = 16}, 3);
  EXPECT_GT(trainer.step(picture.image.image()), 1e-3);
  trainer.set_banks({&lesson.target, 1});
  EXPECT_LT(trainer.look_at(picture.image.image()), 1e-10);
}

TEST(Learning, AStepThatIsGivenUpChangesNothing) {
  const auto compute = make_compute(Backend::cpu);
  const Picture picture(*compute, PixelFormat::rgba8);
  const Problem layer = depthwise(3);
  Trainer trainer(*compute, {layer}, lesson_of("sobel-x", layer), {.samples = 2, .side = 16}, 3);
  std::stop_source stop;
  stop.request_stop();
  const StopScope scope(stop.get_token());
  EXPECT_TRUE(std::isnan(trainer.step(picture.image.image())));
  EXPECT_EQ(trainer.bank().weights, layer.filter.weights);
  EXPECT_EQ(trainer.steps(), 0);
}

TEST(Learning, EachMapSeesItsColourThroughTheTarget) {
  const Problem layer = layer_of(find_bank_kind("random")->make(6, 3, 5), 3);
  const Filter sobel = parse_filter("sobel-x").filter, bank = bank_of_target(sobel, {layer});
  ASSERT_EQ(bank.weights.size(), layer.filter.weights.size());
  for (int map = 0; map < 6; ++map)
    for (int channel = 0; channel < 3; ++channel)
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 5; ++x) {
          const bool own = channel == map / 2 && y >= 1 && y <= 3 && x >= 1 && x <= 3;
          const float wanted = own ? sobel.gain * sobel.weights[static_cast<std::size_t>((y - 1) * 3 + x - 1)] : 0;
          ASSERT_EQ(bank.weights[static_cast<std::size_t>(((map * 3 + channel) * 5 + y) * 5 + x)], wanted);
        }
}

TEST(Learning, SgdFindsTheFilter) {
  const auto compute = make_compute(Backend::cpu);
  const Picture picture(*compute, PixelFormat::rgba8);
  const Problem layer = depthwise(3);
  Lesson lesson = lesson_of("sobel-x", layer, 0.3);
  lesson.method = DescentMethod::sgd;
  Trainer trainer(*compute, {layer}, lesson, {.samples = 2, .side = 24}, 3);
  for (int step = 0; step < 1000; ++step) trainer.step(picture.image.image());
  EXPECT_LT(largest_difference(trainer.bank(), lesson.target), 0.01);
}

TEST(Learning, BiasesAreLearntToo) {
  const auto compute = make_compute(Backend::cpu);
  const Picture picture(*compute, PixelFormat::rgba8);
  Problem layer = depthwise(3);
  layer.filter.biases = {0.25f, -0.5f, 0};
  const Lesson lesson = lesson_of("sobel-x", layer);
  Trainer trainer(*compute, {layer}, lesson, {.samples = 2, .side = 24}, 3);
  for (int step = 0; step < 1500; ++step) trainer.step(picture.image.image());
  EXPECT_LT(largest_difference(trainer.bank(), lesson.target), 0.02);
  for (const float bias : trainer.bank().biases) EXPECT_NEAR(bias, 0, 0.01);
}

std::string refusal(const Problem& layer, const char* filter) {
  const auto compute = make_compute(Backend::cpu);
  return error_of([&] { Trainer(*compute, {layer}, lesson_of(filter, layer), {}, 1); });
}

TEST(PlannedPass, LeavesOutWhatHasNoRoom) {
  const auto cpu = make_compute(Backend::cpu);
  const Problem layer = layer_of(find_bank_kind("edges")->make(4, 3, 3), 3);
  const Strategy& able = *able_strategies(layer, cpu->device()).front();
  Strategy failing = able;
  failing.id = "too-large";
  failing.plans = [](const Problem&, const Device&, const Tuned&) -> std::unique_ptr<Plan> {
    throw Error("no memory is left");
  };
  const auto plan = [&](std::initializer_list<const Strategy*> candidates) {
    PlannedPass(*cpu, layer, false, {}, {}, candidates);
  };
  EXPECT_NO_THROW(plan({&failing, &able}));
  try {
    plan({&failing, &failing});
    FAIL() << "nothing is left";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("too-large: no memory is left"));
  }
}

TEST(Learning, SaysWhatItCannotLearn) {
  EXPECT_EQ(refusal(depthwise(3), "sobel-x"), "no error");
  EXPECT_THAT(refusal(depthwise(3), "sobel-magnitude"), HasSubstr("absolute values"));
  EXPECT_THAT(refusal(depthwise(3), "gaussian:radius=4"),
              HasSubstr("9 × 9 is larger than the layer's filters of 3 × 3"));
  Problem rectified = depthwise(3);
  rectified.filter.relu = true;
  EXPECT_THAT(refusal(rectified, "sobel-x"), HasSubstr("ReLU"));
  Problem broken = depthwise(3);
  broken.filter.weights[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal(broken, "sobel-x"), HasSubstr("not numbers"));
  Problem wide = depthwise(15);
  wide.layer.padding = 0;
  wide.width = 8;
  EXPECT_THAT(refusal(wide, "sobel-x"), HasSubstr("spans 15 columns"));
}

}  // namespace
}  // namespace convoscope
