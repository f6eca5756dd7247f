// A network in a pane: the layers that it runs, what is seen of them, and what is said when they do not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "app/panes/pane_set.h"
#include "app/state/workbench.h"
#include "kernels/convert/feature_map_pixels.h"
#include "kernels/text/error.h"
#include "tests/network_reference.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

class NetworkPane : public testing::TestWithParam<Backend> {
 protected:
  static constexpr int width = 40, height = 32;

  void SetUp() override {
    settings_ = in_workbench(settings_, "layer");
    settings_.group().panes[0].strategy = GetParam() == Backend::cpu ? "cpu-gemm" : "constant";
    load_layer_network("corners", settings_.layer);
  }
  void show(const DeviceImage& picture) {
    set_.arrange(settings_.group().panes, stats_, 60);
    set_.configure(settings_.group().panes, width, height, picture.image().format, work_of(settings_));
    set_.filter(picture);
    set_.wait();
    set_.collect(stats_);
  }
  DeviceImage random_picture() {
    std::minstd_rand random{7};
    std::vector<Rgba8> pixels(width * height);
    for (Rgba8& pixel : pixels)
      pixel = {static_cast<std::uint8_t>(random() >> 8), static_cast<std::uint8_t>(random() >> 8),
               static_cast<std::uint8_t>(random() >> 8), 255};
    DeviceImage picture = compute_->allocate(width, height, PixelFormat::rgba8);
    compute_->upload({pixels.data(), width, height, width * 4, PixelFormat::rgba8}, picture.image());
    return picture;
  }
  const PaneRunner& pane() { return set_.runner(0); }
  // What the layer that is seen has made, and what the references of all layers make of the same picture.
  void expect_the_references_maps(const DeviceImage& picture) {
    std::vector<float> x(3 * width * height);
    for (int i = 0; i < width * height; ++i) {
      const Rgba8 pixel = picture_row<Rgba8>(picture.image(), i / width)[i % width];
      const std::uint8_t colours[] = {pixel.r, pixel.g, pixel.b};
      for (std::size_t c = 0; c < 3; ++c)
        x[c * width * height + static_cast<std::size_t>(i)] = static_cast<float>(colours[c]) / 255;
    }
    const Problem first =
        problem_of(settings_.group().panes[0], work_of(settings_), width, height, picture.image().format);
    const std::vector<LayerProblem> stages = layer_problems(first, settings_.layer.pooled, settings_.layer.further);
    const std::size_t seen = seen_layer(settings_.layer);
    const std::vector<double> exact =
        network_reference(stages, tensor_of_rows(x.data(), {{1, 3, 1, height, width}}, sizeof(float) * width))[seen];
    ASSERT_NE(pane().view(), nullptr);
    const Tensor& maps = pane().view()->outputs({})[0];
    ASSERT_EQ(maps.shape, maps_of(stages[seen]));
    const Shape& s = maps.shape;
    double worst = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const int at = static_cast<int>(i), row = at / s.width();
      const float value = row_of<float>(maps, 0, row / s.height(), row % s.height())[at % s.width()];
      worst = std::max(worst, std::abs(value - exact[i]));
    }
    EXPECT_LT(worst, 1e-4) << "layer " << seen + 1;
  }

  std::unique_ptr<Compute> compute_ = make_compute(GetParam());
  PaneSet set_{*compute_};
  Settings settings_ = default_settings();
  std::vector<PaneStats> stats_;
};

TEST_P(NetworkPane, EveryLayerCanBeSeenAndIsRight) {
  const DeviceImage picture = random_picture();
  for (const int seen : {-1, 0, 1, 2, 3}) {
    settings_.layer.seen = seen;
    show(picture);
    ASSERT_EQ(stats_[0].problem, "");
    expect_the_references_maps(picture);
    EXPECT_EQ(stats_[0].wall->maps, seen == 0 ? 8 : 6);
    ASSERT_EQ(stats_[0].layers.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(stats_[0].layers[i].seen, i == (seen < 0 ? 3u : static_cast<std::size_t>(seen)));
  }
  EXPECT_EQ(stats_[0].filter, "corners 8×3×3×3, 4 layers");
}

TEST_P(NetworkPane, ANewWeightIsSeenWithoutANewPlan) {
  const DeviceImage picture = random_picture();
  show(picture);
  const PaneView* const view = pane().view();
  for (float& weight : settings_.layer.weights.weights) weight *= 0.5f;
  show(picture);
  EXPECT_EQ(pane().view(), view);
  expect_the_references_maps(picture);
}

// A number that is not even equal to itself shows whether all of them are looked at once more in every frame.
TEST_P(NetworkPane, LayersThatNobodyHasChangedAreNotCompared) {
  const LayerSettings before = settings_.layer;
  EXPECT_EQ(before.further.begin(), settings_.layer.further.begin()) << "nor copied";
  settings_.layer.further.change(0).bank.weights[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(settings_.layer, before);
  EXPECT_TRUE(std::isfinite(before.further[0].bank.weights[0]));
  set_.arrange(settings_.group().panes, stats_, 60);
  set_.configure(settings_.group().panes, width, height, PixelFormat::rgba8, work_of(settings_));
  EXPECT_FALSE(pane().differs({&settings_.group().panes[0], work_of(settings_), {width, height}}));
}

TEST_P(NetworkPane, EachLayerHasAStrategyThatCanRunIt) {
  settings_.group().panes[0].strategy =
      GetParam() == Backend::cpu ? "cpu-direct" : "winograd";  // which is for 3 × 3 alone
  const DeviceImage picture = random_picture();
  show(picture);
  ASSERT_EQ(stats_[0].problem, "");
  expect_the_references_maps(picture);
  if (GetParam() == Backend::cpu) return;
  EXPECT_EQ(stats_[0].layers[0].strategy, "winograd");
  EXPECT_NE(stats_[0].layers[1].strategy, "winograd");
  EXPECT_THAT(stats_[0].note, HasSubstr("Layer 2: winograd cannot run"));
  EXPECT_THAT(stats_[0].why_substitute, HasSubstr("winograd cannot run")) << "of the layer that is seen";
}

TEST_P(NetworkPane, ALayerRunsWhatWasChosenForIt) {
  const bool cpu = GetParam() == Backend::cpu;
  const std::string other = cpu ? "cpu-direct" : "direct";
  choose_for_layer(settings_.group().panes[0], 1, other);
  const DeviceImage picture = random_picture();
  show(picture);
  ASSERT_EQ(stats_[0].problem, "");
  ASSERT_EQ(stats_[0].layers.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(stats_[0].layers[i].strategy, i == 1 ? other : settings_.group().panes[0].strategy) << i;
  expect_the_references_maps(picture);

  settings_.layer.seen = 1;
  show(picture);
  expect_the_references_maps(picture);
  EXPECT_EQ(pane().strategy()->id, other);
  EXPECT_NE(stats_[0].name().find(other), std::string::npos) << stats_[0].name() << ": it is the name of all layers";

  choose_for_layer(settings_.group().panes[0], 1, {});
  show(picture);
  EXPECT_EQ(stats_[0].layers[1].strategy, settings_.group().panes[0].strategy);
}

TEST_P(NetworkPane, WhatCannotRunALayerIsToldOfThatLayer) {
  choose_for_layer(settings_.group().panes[0], 1, GetParam() == Backend::cpu ? "depthwise" : "winograd");
  show(random_picture());
  ASSERT_EQ(stats_[0].problem, "");
  EXPECT_THAT(stats_[0].note, HasSubstr("Layer 2: " + settings_.group().panes[0].layers[1] + " cannot run"));
  EXPECT_EQ(stats_[0].why_substitute, "") << "of the layer that is seen";
}

TEST_P(NetworkPane, TheWorkOfAllLayersIsCounted) {
  show(random_picture());
  double flop = 0;
  for (const LayerStats& layer : stats_[0].layers) flop += 2 * layer_products(layer.work);
  EXPECT_GE(stats_[0].cost.flop, flop);
  EXPECT_LT(stats_[0].cost.flop, 1.5 * flop);
}

TEST_P(NetworkPane, WhatDoesNotFitIsSaidAndThePictureStays) {
  const DeviceImage picture = random_picture();
  settings_.layer.weights = find_bank_kind("edges")->make(9, 3, 3);
  show(picture);
  EXPECT_THAT(stats_[0].problem, HasSubstr("Layer 2 takes 8 channels, but layer 1 makes 9 maps of 32 × 40"));
  EXPECT_TRUE(stats_[0].layers.empty());
  settings_.layer.weights = find_bank_kind("edges")->make(8, 3, 3);
  show(picture);
  EXPECT_EQ(stats_[0].problem, "");
  expect_the_references_maps(picture);
  drop_network(settings_.layer);
  show(picture);
  EXPECT_TRUE(stats_[0].layers.empty());
  EXPECT_EQ(pane().problem().layer.maps, 8);
}

TEST(NetworkSettings, AFileThatIsNoneLeavesTheLayerAsItWas) {
  LayerSettings layer;
  load_layer_network("blur-sharpen", layer);
  const LayerSettings before = layer;
  EXPECT_THROW(load_layer_network("/nowhere/net.safetensors", layer), Error);
  EXPECT_EQ(layer, before);
}

TEST_P(NetworkPane, EachLayerIsTimed) {
  if (GetParam() != Backend::cpu) return;  // the emulator's times say nothing
  const DeviceImage picture = random_picture();
  for (int i = 0; i < 2 * runs_uncounted_after_change; ++i) {
    set_.arrange(settings_.group().panes, stats_, 60);
    set_.configure(settings_.group().panes, width, height, PixelFormat::rgba8, work_of(settings_));
    set_.filter(picture, {.again = true});
    set_.wait();
    set_.collect(stats_);
  }
  ASSERT_EQ(stats_[0].layers.size(), 4u);
  for (const LayerStats& layer : stats_[0].layers) {
    EXPECT_EQ(layer.times.count(), stats_[0].kernel.count());
    EXPECT_EQ(layer.times.window(), stats_[0].kernel.window());
  }
  EXPECT_GT(stats_[0].kernel.count(), 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, NetworkPane, testing::Values(Backend::cpu, Backend::emulated),
                         [](const auto& backend) { return std::string(to_string(backend.param)); });

}  // namespace
}  // namespace convoscope
