// A pane of a layer whose numbers are of another type than the layer's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "app/panes/pane_set.h"
#include "app/state/workbench.h"
#include "kernels/contract/theory/type_rounding.h"

namespace convoscope {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class PaneTypeTest : public testing::Test {
 protected:
  static constexpr int width = 24, height = 16;

  PaneTypeTest() {
    settings_ = in_workbench(settings_, "layer");
    settings_.layer.weights = find_bank_kind("edges")->make(4, 3, 3);
    std::minstd_rand random{7};
    std::vector<Rgba8> pixels(width * height);
    for (Rgba8& pixel : pixels)
      pixel = {static_cast<std::uint8_t>(random() >> 8), static_cast<std::uint8_t>(random() >> 8),
               static_cast<std::uint8_t>(random() >> 8), 255};
    compute_->upload({pixels.data(), width, height, width * 4, PixelFormat::rgba8}, picture_.image());
  }
  void choose(const std::vector<std::pair<const char*, std::optional<Precision>>>& panes) {
    settings_.group().panes.resize(panes.size());
    for (std::size_t i = 0; i < panes.size(); ++i)
      std::tie(settings_.group().panes[i].strategy, settings_.group().panes[i].precision) = panes[i];
  }
  void show() {
    set_.arrange(settings_.group().panes, stats_, 60);
    set_.configure(settings_.group().panes, width, height, PixelFormat::rgba8, work_of(settings_));
    set_.filter(picture_);
    set_.wait();
    set_.collect(stats_);
  }
  double output(int pane, int map, int x, int y) {
    const Tensor seen = set_.runner(pane).view()->seen_output(set_.outputs()[static_cast<std::size_t>(pane)]);
    return row_of<float>(seen, 0, map, y)[x];
  }

  std::unique_ptr<Compute> compute_ = make_compute(Backend::emulated);
  DeviceImage picture_ = compute_->allocate(width, height, PixelFormat::rgba8);
  PaneSet set_{*compute_};
  Settings settings_ = default_settings();
  std::vector<PaneStats> stats_;
};

TEST_F(PaneTypeTest, StrategiesOfDifferentTypesRunSideBySide) {
  choose({{"direct", {}}, {"implicit-gemm-tensor", Precision::tf32}, {"cpu-direct", Precision::f16}});
  show();
  const Precision types[] = {Precision::f32, Precision::tf32, Precision::f16};
  const char* const said[] = {"", "tf32", "f16"};
  for (int i = 0; i < 3; ++i) {
    const PaneStats& pane = stats_[static_cast<std::size_t>(i)];
    EXPECT_EQ(pane.problem, "");
    EXPECT_EQ(pane.why_substitute, "");
    EXPECT_EQ(pane.runs, settings_.group().panes[static_cast<std::size_t>(i)].strategy);
    EXPECT_EQ(set_.runner(i).problem().layer.precision, types[i]);
    EXPECT_EQ(pane.type, said[i]);
  }
  EXPECT_EQ(stats_[0].filter, "edges 4×3×3×3");
  EXPECT_THAT(stats_[1].filter, EndsWith(", tf32 nchw"));
  EXPECT_EQ(stats_[1].name_and_type(), "implicit-gemm-tensor, tf32");
}

TEST_F(PaneTypeTest, AnotherTypeOfThePaneIsAnotherPlanAndOneOfTheLayerIsNot) {
  choose({{"cpu-direct", {}}, {"cpu-direct", Precision::f32}});
  show();
  const PaneView* const before = set_.runner(1).view();
  settings_.layer.precision = Precision::f16;
  show();
  EXPECT_EQ(set_.runner(0).problem().layer.precision, Precision::f16);
  EXPECT_EQ(set_.runner(1).problem().layer.precision, Precision::f32) << "it has its own";
  EXPECT_EQ(set_.runner(1).view(), before);
  EXPECT_EQ(stats_[0].type, "");
  EXPECT_EQ(stats_[1].type, "f32") << "which is another one than the layer's now";
  EXPECT_THAT(stats_[1].filter, EndsWith(", f32 nchw")) << "though it is the usual one";
  settings_.group().panes[1].precision = Precision::tf32;
  EXPECT_TRUE(set_.runner(1).differs({&settings_.group().panes[1], work_of(settings_), {width, height}}));
  show();
  EXPECT_EQ(set_.runner(1).problem().layer.precision, Precision::tf32);
  EXPECT_EQ(stats_[1].type, "tf32");
}

TEST_F(PaneTypeTest, WhereOnlyTheTypeIsInTheWayAnotherOneIsNamed) {
  choose({{"implicit-gemm-tensor", {}}, {"direct", Precision::f16}, {"winograd", {}}, {"direct", {}}});
  settings_.layer.weights = find_bank_kind("edges")->make(4, 3, 5);
  show();
  EXPECT_THAT(stats_[0].why_substitute, HasSubstr("implicit-gemm-tensor cannot run: "));
  EXPECT_EQ(stats_[0].takes_type, Precision::tf32);
  EXPECT_THAT(stats_[1].why_substitute, HasSubstr("this layer's are f16 nchw"));
  EXPECT_EQ(stats_[1].takes_type, Precision::f32);
  EXPECT_THAT(stats_[2].why_substitute, HasSubstr("winograd cannot run: "));
  EXPECT_EQ(stats_[2].takes_type, std::nullopt) << "a filter of 5 × 5 is in the way";
  EXPECT_EQ(stats_[3].takes_type, std::nullopt) << "it runs";
  settings_.group().panes[0].precision = stats_[0].takes_type;
  show();
  EXPECT_EQ(stats_[0].runs, "implicit-gemm-tensor");
  EXPECT_EQ(stats_[0].takes_type, std::nullopt);
  settings_.layer.layout = Layout::nhwc;
  show();
  EXPECT_EQ(stats_[3].takes_type, std::nullopt) << "the layout is in the way, whatever the type";
}

TEST_F(PaneTypeTest, AllLayersOfANetworkAreOfThePanesType) {
  load_layer_network("corners", settings_.layer);
  choose({{"cpu-direct", {}}, {"cpu-direct", Precision::f16}});
  show();
  ASSERT_EQ(stats_[1].layers.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(stats_[0].layers[i].work.layer.precision, Precision::f32) << i;
    EXPECT_EQ(stats_[1].layers[i].work.layer.precision, Precision::f16) << i;
  }
  EXPECT_EQ(stats_[1].type, "f16");
  EXPECT_FALSE(stats_[1].type_rounding) << "what the last layer sees differs already";
}

TEST_F(PaneTypeTest, OutputsDifferByNoMoreThanTheTypesRound) {
  settings_.layer.weights = random_bank(4, 3, 3);
  for (const Precision type : {Precision::tf32, Precision::f16}) {
    choose({{"cpu-direct", {}}, {"cpu-direct", type}});
    show();
    EXPECT_EQ(stats_[0].type_rounding, 0.0);
    ASSERT_TRUE(stats_[1].type_rounding);
    double worst = 0, most = *stats_[1].type_rounding;
    for (const int pane : {0, 1}) most += set_.runner(pane).strategy()->tolerance(set_.runner(pane).problem());
    for (int map = 0; map < 4; ++map)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) worst = std::max(worst, std::abs(output(0, map, x, y) - output(1, map, x, y)));
    EXPECT_GT(worst, most / 1000) << to_string(type) << ": the test shows nothing";
    EXPECT_LE(worst, most) << to_string(type);
  }
}

}  // namespace
}  // namespace convoscope
