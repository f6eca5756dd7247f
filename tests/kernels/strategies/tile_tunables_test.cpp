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
        strategy().explain(p, typical_device(Backend::emulated), GetParam().tuning, {x, y}).steps.at(0);
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
        Choice{"tiled-halo", {{"tile_width", 64}, {"tile_height", 64}, {"outputs", 8}}, "gaussian:radius=4"},
        Choice{"tiled-halo", {{"tile_width", 8}, {"tile_height", 8}, {"outputs", 8}}, "sobel-magnitude"},
        Choice{"separable", {{"apron", 1}, {"block_width", 16}, {"block_height", 4}}, "box:rx=20,ry=7"},
        Choice{"separable", {{"apron", 1}, {"block_width", 64}, {"block_height", 4}}, "sobel-magnitude"},
        Choice{"global", {{"read_only", 1}, {"block_width", 4}, {"block_height", 4}}, "gaussian:radius=2"}));

TEST(OutputsOfAThread, LieABlocksHeightApart) {
  const Strategy& strategy = *find_strategy(Backend::emulated, "tiled-halo");
  const Problem p{200, 200, PixelFormat::gray32f, Border::zero, parse_filter("box:radius=4").filter};
  const Tuning tuning{{"tile_width", 64}, {"tile_height", 64}, {"outputs", 8}};
  const KernelStep step = strategy.explain(p, typical_device(Backend::emulated), tuning, {70, 64 + 19}).steps.at(0);
  EXPECT_EQ(step.block, (std::array{1, 1, 0}));
  EXPECT_EQ(step.block_size, (std::array{64, 8, 1}));
  EXPECT_EQ(step.thread, (std::array{6, 3, 0}));
  ASSERT_EQ(step.thread_outputs.size(), 8u);
  EXPECT_EQ(step.thread_outputs[2], (PixelArea{70, 64 + 3 + 16, 1, 1}));
}

// The numbers of what is refused: threads of the block, rows of the tile, bytes of shared memory.
TEST(TileTunables, RefuseWithTheNumbers) {
  const Device device{.name = "Test device", .max_threads_per_block = 1024, .shared_bytes_per_block = 49152};
  const auto refusal = [&](const char* id, const char* filter, const Tuning& tuning) {
    const Problem p{200, 200, PixelFormat::gray32f, Border::zero, parse_filter(filter).filter};
    return find_strategy(Backend::emulated, id)->unsupported(p, device, tuning);
  };
  EXPECT_EQ(refusal("tiled-halo", "box:radius=1", {{"tile_width", 64}, {"tile_height", 64}}),
            "A block of 64 × 64 is 4,096 threads; Test device allows 1,024");
  EXPECT_EQ(refusal("tiled-halo", "box:radius=1", {{"tile_width", 64}, {"tile_height", 64}, {"outputs", 4}}), "");
  EXPECT_EQ(refusal("tiled-halo", "box:radius=24", {{"tile_width", 64}, {"tile_height", 64}, {"outputs", 8}}),
            "A block would need 50,176 bytes of shared memory; Test device has 49,152");
  EXPECT_EQ(refusal("tiled-halo", "box:radius=1", {{"tile_height", 4}, {"outputs", 8}}),
            "A tile of 4 rows has no 8 outputs for a thread: choose a higher tile or fewer outputs");
  EXPECT_EQ(refusal("separable", "box:radius=49", {}), "");
  EXPECT_EQ(refusal("separable", "box:radius=49", {{"apron", 1}}),
            "A block of 130 × 8 is 1,040 threads; Test device allows 1,024");
}

// PMPP 4th ed., ch. 7.4: of a tile of 4 × 4 outputs under a filter of 17 × 17, 16 of 400 threads are at work, and each
// output costs 25 loads.
TEST(TileOfTheOutput, GrowsItsBlockWithTheFilter) {
  const Strategy& strategy = *find_strategy(Backend::emulated, "tiled-input-block");
  const Problem p{64, 64, PixelFormat::gray32f, Border::zero, parse_filter("box:radius=8").filter};
  const Tuning tuning{{"output_tile", 1}, {"tile_width", 4}, {"tile_height", 4}};
  EXPECT_DOUBLE_EQ(strategy.model(p, tuning).global_loads_per_output, 25);
  const KernelStep step = strategy.explain(p, typical_device(Backend::emulated), tuning, {0, 0}).steps.at(0);
  EXPECT_EQ(step.block_size, (std::array{20, 20, 1}));
  EXPECT_EQ(step.thread, (std::array{8, 8, 0}));
  Tuning leading = tuning;
  leading["leading"] = 1;
  EXPECT_EQ(strategy.explain(p, typical_device(Backend::emulated), leading, {0, 0}).steps.at(0).thread,
            (std::array{0, 0, 0}));
}

}  // namespace
}  // namespace convoscope
