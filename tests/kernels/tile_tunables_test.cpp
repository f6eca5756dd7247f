// Choices that only make sense together: verify and the explanations walk one tunable at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kernels/check/verify.h"
#include "kernels/choose/auto_candidates.h"
#include "kernels/compute/compute.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

struct Choice {
  const char* strategy;
  Tuning tuning;
  const char* filter;
};

class TileTunables : public testing::TestWithParam<Choice> {
 protected:
  const Strategy& strategy() const { return *find_strategy(Backend::emulated, GetParam().strategy); }
  Problem problem(PixelFormat format, Border border) const {
    return {37, 23, format, border, parse_filter(GetParam().filter).filter};
  }
};

TEST_P(TileTunables, GiveTheSamePicture) {
  const auto compute = make_compute(Backend::emulated);
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f})
    for (const Border border : all_borders) {
      const VerifyRow row = verify_one(*compute, strategy(), problem(format, border), GetParam().tuning, 5);
      EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
    }
}

TEST_P(TileTunables, AreExplainedByAThreadOfTheBlockThatMakesTheOutput) {
  const Problem p = problem(PixelFormat::gray32f, Border::zero);
  for (const auto& [x, y] : {std::pair{0, 0}, {36, 22}, {17, 9}, {5, 5}}) {
    const KernelStep step =
        strategy().explain(p, typical_device(Backend::emulated), GetParam().tuning, x, y).steps.at(0);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(step.thread[i], step.block_size[i]);
    EXPECT_TRUE(std::ranges::any_of(step.thread_outputs, [&](const PixelArea& a) { return a.contains(x, y); }));
    EXPECT_TRUE(std::ranges::any_of(step.outputs, [&](const PixelArea& a) { return a.contains(x, y); }));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tiles, TileTunables,
    testing::Values(
        Choice{"tiled-input-block", {{"output_tile", 1}, {"tile_width", 16}, {"tile_height", 16}}, "gaussian:radius=2"},
        Choice{"tiled-input-block",
               {{"output_tile", 1}, {"tile_width", 4}, {"tile_height", 4}, {"leading", 1}},
               "box:radius=8"},
        Choice{"tiled-input-block", {{"tile_width", 16}, {"tile_height", 8}, {"leading", 1}}, "sobel-magnitude"},
        Choice{"global", {{"read_only", 1}, {"block_width", 4}, {"block_height", 4}}, "gaussian:radius=2"}));

// PMPP 4th ed., ch. 7.4: of a tile of 4 × 4 outputs under a filter of 17 × 17, 16 of 400 threads are at work, and each
// output costs 25 loads.
TEST(TileOfTheOutput, GrowsItsBlockWithTheFilter) {
  const Strategy& strategy = *find_strategy(Backend::emulated, "tiled-input-block");
  const Problem p{64, 64, PixelFormat::gray32f, Border::zero, parse_filter("box:radius=8").filter};
  const Tuning tuning{{"output_tile", 1}, {"tile_width", 4}, {"tile_height", 4}};
  EXPECT_DOUBLE_EQ(strategy.model(p, tuning).global_loads_per_output, 25);
  const KernelStep step = strategy.explain(p, typical_device(Backend::emulated), tuning, 0, 0).steps.at(0);
  EXPECT_EQ(step.block_size, (std::array{20, 20, 1}));
  EXPECT_EQ(step.thread, (std::array{8, 8, 0}));
  Tuning leading = tuning;
  leading["leading"] = 1;
  EXPECT_EQ(strategy.explain(p, typical_device(Backend::emulated), leading, 0, 0).steps.at(0).thread,
            (std::array{0, 0, 0}));
}

}  // namespace
}  // namespace convoscope
