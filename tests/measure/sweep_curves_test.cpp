// A sweep's rows as curves over one number of their problems.
#include "app/measure/sweep/sweep_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

using testing::ElementsAre;

SweepRow row(const std::string& strategy, const Problem& problem, double median, double spread = 0.01) {
  return {.strategy = strategy,
          .filter = "gaussian",
          .problem = problem,
          .median_ms = median,
          .p05_ms = median * (1 - spread),
          .p95_ms = median * (1 + spread),
          .copy_ms = 0.5,
          .verified = true,
          .reason = {}};
}
SweepRow row(const std::string& strategy, int radius, double median, double spread = 0.01, int width = 64,
             int height = 48) {
  const Filter filter{.width = 2 * radius + 1, .height = 2 * radius + 1};
  return row(strategy, Problem{width, height, PixelFormat::rgba8, Border::replicate, filter}, median, spread);
}
using Rows = std::vector<SweepRow>;

// Over the kind's first number, with the others of the first row.
std::vector<SweepCurve> curves_of(const Rows& rows) {
  const Kind& kind = *rows[0].problem.kind;
  return sweep_curves(rows, sweep_views(rows, kind, kind.parameters[0])[0]);
}

TEST(SweepCurves, OneForEachStrategyOfASizeByRadius) {
  const Rows all({row("a", 4, 3), row("a", 1, 1), row("b", 1, 2), row("a", 4, 2.5), row("a", 1, 9, 0.01, 128)});
  const auto curves = curves_of(all);
  ASSERT_EQ(curves.size(), 2u);
  ASSERT_EQ(curves[0].points.size(), 2u);
  EXPECT_EQ(curves[0].points[0].at, 1);
  EXPECT_EQ(curves[0].points[1].median_ms, 2.5) << "the faster of two tunings";
  const auto views = sweep_views(all, image_kind, image_kind.parameters[0]);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].like.width, 64);
  EXPECT_EQ(views[1].like.width, 128) << "as high as the others, but wider";
}

TEST(SweepCurves, LayersOfOtherGroupsAreOtherCurves) {
  const auto layer = [](const char* shape) { return row("a", layer_problem(shape, Pass::forward, false), 1); };
  const Rows rows({layer("1,6,9,9,6,3"), layer("1,6,9,9,6,3,groups=6"), layer("1,6,9,9,12,3,groups=6"),
                   layer("1,6,9,9,6,3,groups=2")});
  const auto views = sweep_views(rows, layer_kind, layer_kind.parameters[0]);
  ASSERT_EQ(views.size(), 3u);
  EXPECT_EQ(groups_text(views[0].like), "");
  EXPECT_EQ(groups_text(views[1].like), "depthwise");
  EXPECT_EQ(groups_text(views[2].like), "2 groups");
  EXPECT_EQ(sweep_curves(rows, views[1])[0].points.size(), 2u);
  EXPECT_EQ(sweep_curves(rows, views[0])[0].points.size(), 1u);
}

TEST(SweepCurves, TheFastestTwoCross) {
  // a ∝ r², b ∝ r; equal at r = 4 on logarithmic axes.
  const auto curves = curves_of(
      Rows({row("a", 2, 1), row("a", 8, 16), row("b", 2, 2), row("b", 8, 8), row("c", 2, 50), row("c", 8, 60)}));
  const auto found = crossings(curves);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].before, "a");
  EXPECT_EQ(found[0].after, "b");
  EXPECT_NEAR(found[0].at, 4, 1e-6);
  EXPECT_NEAR(found[0].milliseconds, 4, 1e-6);
}

TEST(SweepCurves, NoCrossingWhereSpreadsOverlapOnOneSide) {
  EXPECT_TRUE(crossings(curves_of(Rows({row("a", 2, 1, 0.5), row("a", 8, 16), row("b", 2, 1.2, 0.5), row("b", 8, 8)})))
                  .empty());
}

TEST(SweepCurves, AutoCrossesNothing) {
  EXPECT_TRUE(
      crossings(curves_of(Rows({row("auto", 2, 1), row("auto", 8, 16), row("b", 2, 2), row("b", 8, 8)}))).empty());
}

TEST(SweepCurves, NothingToCross) {
  EXPECT_TRUE(crossings({}).empty());
  EXPECT_TRUE(crossings(curves_of(Rows({row("a", 2, 1)}))).empty());
  EXPECT_TRUE(crossings(curves_of(Rows({row("a", 2, 1), row("b", 8, 2)}))).empty());
}

Rows layer_rows() {
  Rows all;
  for (const char* const shape : {"1,3,36,64,4,3", "1,3,36,64,16,3", "1,3,36,64,4,5", "1,3,36,64,16,5"})
    for (const Pass pass : {Pass::forward, Pass::to_input})
      all.push_back(row("direct", layer_problem(shape, pass, false), 1));
  all.push_back(row("constant", 1, 2));
  return all;
}

TEST(SweepViews, AreOfOneKindOverOneOfItsNumbers) {
  const Rows all = layer_rows();
  const SweepParameter &maps = layer_parameters[0], &filter = layer_parameters[2];
  const auto views = sweep_views(all, layer_kind, maps);
  ASSERT_EQ(views.size(), 4u) << "two filter widths, two passes";
  const auto curves = sweep_curves(all, views[3]);
  ASSERT_EQ(curves.size(), 1u);
  ASSERT_EQ(curves[0].points.size(), 2u);
  EXPECT_EQ(curves[0].points[1].at, 16);
  EXPECT_EQ(curves[0].points[1].copied_bytes, curves[0].points[0].copied_bytes) << "dX is as large as X, whatever M is";
  EXPECT_EQ(sweep_curves(all, sweep_views(all, layer_kind, filter)[0])[0].points[1].text, "5");
  EXPECT_EQ(sweep_views(all, image_kind, image_kind.parameters[0]).size(), 1u);
}

TEST(SweepViews, LieAlongWhatWasVaried) {
  const Rows all = layer_rows();
  const auto axis = [&](const char* wanted) {
    const auto found = std::ranges::find(layer_parameters, wanted, &SweepParameter::id);
    return shown_axis(all, layer_kind, *found).id;
  };
  EXPECT_EQ(axis("K"), "K");
  EXPECT_EQ(axis("C"), "M") << "all have three channels";
  EXPECT_EQ(shown_axis({}, layer_kind, layer_parameters[1]).id, "C");
}

}  // namespace
}  // namespace convoscope
