// Several layers that learn together: their gradients against finite differences, and what does not fit together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/learn/gradient_check.h"
#include "kernels/learn/loss.h"
#include "tests/error_of.h"
#include "tests/kernels/layer/learn_samples.h"

namespace convoscope {
namespace {

using test::layer_of;
using test::Picture;
using testing::HasSubstr;

class NetworkTest : public testing::TestWithParam<Backend> {
 protected:
  std::unique_ptr<Compute> compute_ = make_compute(GetParam());
};

// Small ones, with a bias for each map and ReLU on all layers but the last.
Network network_of_maps(std::vector<int> maps, int channels, int size) {
  std::vector<Filter> banks;
  for (const int count : maps) {
    Filter bank = find_bank_kind("random")->make(count, channels, size);
    for (float& weight : bank.weights) weight *= 0.3f;
    for (int m = 0; m < count; ++m) bank.biases.push_back(0.05f * static_cast<float>(m % 3 - 1));
    bank.relu = banks.size() + 1 < maps.size();
    banks.push_back(std::move(bank));
    channels = count;
    size = 3;
  }
  return network_of(layer_of(banks.front(), banks.front().channels), std::span(banks).subspan(1));
}
Lesson lesson_of(const Network& network, bool residual) {
  const Filter as_it_is{.name = "identity", .weights = {1}};
  Lesson lesson{.target = bank_of_target(residual ? as_it_is : parse_filter("sobel-x").filter, network)};
  lesson.noise = residual ? 0.1 : 0;
  lesson.residual = residual;
  return lesson;
}

// The definition, as plainly as can be.
double loss_of(const Network& network, std::vector<double> x, const std::vector<float>& wanted, bool residual) {
  const std::vector<double> picture = x;
  for (const Problem& layer : network) {
    const LayerExtents e = layer_extents(layer);
    std::vector<double> y;
    for (int n = 0; n < e.samples; ++n)
      for (int m = 0; m < e.maps; ++m)
        for (int ho = 0; ho < e.out_height; ++ho)
          for (int wo = 0; wo < e.out_width; ++wo) {
            double sum = layer.filter.biases[static_cast<std::size_t>(m)];
            for (int c = 0; c < e.channels; ++c)
              for (int i = 0; i < e.filter; ++i)
                for (int j = 0; j < e.filter; ++j) {
                  const int hi = e.input_index(ho, i), wi = e.input_index(wo, j);
                  if (hi < 0 || hi >= e.height || wi < 0 || wi >= e.width) continue;
                  sum += layer.filter.weights[static_cast<std::size_t>(e.weight_index(m, c, i, j))] *
                         x[static_cast<std::size_t>(((n * e.channels + c) * e.height + hi) * e.width + wi)];
                }
            y.push_back(layer.filter.relu ? std::max(sum, 0.0) : sum);
          }
    x = std::move(y);
  }
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += std::pow(x[i] + (residual ? picture[i] : 0) - wanted[i], 2);
  return squares / static_cast<double>(x.size());
}

TEST_P(NetworkTest, SlopesOfANetworkGoBackThroughEveryLayer) {
  for (const bool residual : {false, true})
    for (const std::vector<int>& maps : {std::vector<int>{4, 3}, {3, 2, 3}}) {
      SCOPED_TRACE(testing::PrintToString(maps) + (residual ? " residual" : ""));
      const Network network = network_of_maps(maps, 3, 5);
      const Picture picture(*compute_, PixelFormat::rgba8);
      Trainer trainer(*compute_, network, lesson_of(network, residual), {.samples = 2, .side = 10}, 3);
      const double loss = trainer.look_at(picture.image.image());
      const std::vector<float> inputs = trainer.inputs(), wanted = trainer.wanted();
      const std::vector<double> x(inputs.begin(), inputs.end());
      Network moved = trainer.network();
      EXPECT_NEAR(loss, loss_of(moved, x, wanted, residual), 1e-5 * loss);
      const double most =
          std::abs(*std::ranges::max_element(trainer.gradient(), {}, [](float slope) { return std::abs(slope); }));
      std::size_t which = 0;
      for (Problem& layer : moved)
        for (std::vector<float>* const values : {&layer.filter.weights, &layer.filter.biases})
          for (std::size_t i = 0; i < values->size(); ++i, ++which) {
            if (values == &layer.filter.weights && i % 13 != 0) continue;  // some tell of all
            // Wide enough for float32, and so narrow that hardly any sum passes ReLU's corner.
            float& weight = (*values)[i];
            const float before = weight, above = before + 0x1p-16f, below = before - 0x1p-16f;
            weight = above;
            const double loss_above = loss_of(moved, x, wanted, residual);
            weight = below;
            const double loss_below = loss_of(moved, x, wanted, residual);
            weight = before;
            const double slope = (loss_above - loss_below) / (static_cast<double>(above) - below);
            EXPECT_NEAR(trainer.gradient()[which], slope, 1e-2 * most) << which;
          }
      EXPECT_EQ(which, trainer.gradient().size());
    }
}

TEST_P(NetworkTest, TheCheckFindsTheGradientOfANetworkRight) {
  const Picture picture(*compute_, PixelFormat::rgba8);
  for (const bool residual : {false, true}) {
    const Network network = network_of_maps({4, 4, 3}, 3, 5);
    Trainer trainer(*compute_, network, lesson_of(network, residual), {.samples = 1, .side = 16}, 3);
    const GradientCheck check = check_gradients(trainer, picture.image.image());
    EXPECT_EQ(check.weights, 36);
    EXPECT_LE(check.error, check.tolerance);
    EXPECT_LT(check.tolerance, 5e-3) << "says nothing";
    EXPECT_GT(check.tolerance, 0);
  }
}

TEST_P(NetworkTest, ACheckThatFindsNoWeightToCheckSaysWhy) {
  const Picture picture(*compute_, PixelFormat::rgba8);
  Network network = network_of_maps({4, 3}, 3, 5);
  network[0].filter.biases.assign(4, -100.0f);
  Trainer trainer(*compute_, network, lesson_of(network, true), {.samples = 1, .side = 16}, 3);
  const GradientCheck check = check_gradients(trainer, picture.image.image());
  EXPECT_EQ(check.weights, 0);
  EXPECT_NE(check.why_none.find("ReLU makes all maps of layer 1 zero"), std::string::npos) << check.why_none;
  EXPECT_EQ(trainer.share_above_zero(0), 0);
}

TEST_P(NetworkTest, AnEpilogueLetsPassWhatReluDid) {
  constexpr int maps = 3, samples = 2, width = 300;
  const Shape shape{{samples, maps, 1, 2, width}, Element::f32};
  const DeviceTensor y = dense_tensor(*compute_, shape), dy = dense_tensor(*compute_, shape);
  const std::shared_ptr<void> sums = compute_->allocate_bytes(maps * sizeof(float));
  std::vector<float> values(shape.elements()), slopes(shape.elements()), found(shape.elements()), added(maps);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 5) - 2;  // 0 among them
    slopes[i] = static_cast<float>(i % 11) - 4;
  }
  const auto image = [](void* data, std::size_t count) {
    return Image{data, static_cast<int>(count), 1, count * sizeof(float), PixelFormat::gray32f};
  };
  for (const bool relu : {false, true}) {
    std::vector<float> wanted = slopes, wanted_sums(maps);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (relu && values[i] <= 0) wanted[i] = 0;
      wanted_sums[i / (2 * width) % maps] += wanted[i];  // whole numbers: exact
    }
    compute_->copy_bytes(values.data(), y.tensor.data, shape.bytes());
    compute_->copy_bytes(slopes.data(), dy.tensor.data, shape.bytes());
    pass_epilogue_back(GetParam(), y.tensor, relu, dy.tensor, static_cast<float*>(sums.get()), compute_->stream());
    compute_->download(image(dy.tensor.data, found.size()), image(found.data(), found.size()));
    compute_->download(image(sums.get(), maps), image(added.data(), maps));
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(added, wanted_sums);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, NetworkTest, testing::ValuesIn(test::learning_backends()),
                         [](const auto& one) { return to_string(one.param); });

// Sobel's of every colour, out of sums that are cut off at 0: no linear layer is among its steps.
TEST(Network, ComesNearerStepByStep) {
  const auto compute = make_compute(Backend::cpu);
  const Picture picture(*compute, PixelFormat::gray32f);
  const Network network = network_of_maps({6, 1}, 1, 3);
  Lesson lesson = lesson_of(network, false);
  Trainer trainer(*compute, network, lesson, {.samples = 2, .side = 24}, 3);
  const double before = trainer.look_at(picture.image.image());
  for (int step = 0; step < 600; ++step) trainer.step(picture.image.image());
  EXPECT_LT(trainer.look_at(picture.image.image()), before / 4);
  EXPECT_EQ(trainer.steps(), 600);
}

TEST(Network, SaysWhatDoesNotFit) {
  const auto compute = make_compute(Backend::cpu);
  const auto refusal_of = [&](const Network& network, const Lesson& lesson) -> std::string {
    return error_of([&] { Trainer(*compute, network, lesson, {}, 1); });
  };
  const Network right = network_of_maps({4, 3}, 3, 5);
  Lesson lesson = lesson_of(right, true);
  EXPECT_EQ(refusal_of(right, lesson), "no error");
  Network wrong = right;
  wrong.back().filter.relu = true;
  EXPECT_THAT(refusal_of(wrong, lesson), HasSubstr("last layer has ReLU"));
  wrong = right;
  wrong.back().filter.biases[1] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refusal_of(wrong, lesson), HasSubstr("not numbers"));
  wrong = right;
  wrong.front().filter.biases.pop_back();
  EXPECT_THAT(refusal_of(wrong, lesson), HasSubstr("3 biases for 4 maps"));
  wrong = right;
  wrong.front().layer.padding = 0;
  EXPECT_THAT(refusal_of(wrong, lesson), HasSubstr("not as large as what is wanted"));
  const Network wide = network_of_maps({4, 6}, 3, 5);
  EXPECT_THAT(refusal_of(wide, lesson_of(wide, true)), HasSubstr("as large and as many"));
}

}  // namespace
}  // namespace convoscope
