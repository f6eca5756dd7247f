// What the volume strategies say of themselves, what they refuse, and filters that are a product over x, y and t.
#include "kernels/kinds/volume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check/verify.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/filter/volume_separability.h"
#include "kernels/kinds/frames.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

Problem volume(int width, int height, const Filter& filter, PixelFormat format = PixelFormat::gray32f) {
  return {width, height, format, Border::mirror, filter, &volume_kind};
}
const Strategy& emulated_volume_strategy(const char* id) { return *find_strategy(Backend::emulated, id, volume_kind); }
Cost cost_of(const char* id, const Problem& problem, const Tuning& tuning = {}) {
  return emulated_volume_strategy(id).model(problem, tuning);
}
std::string refusal(const char* id, const Problem& problem, const Tuning& tuning = {}) {
  return emulated_volume_strategy(id).unsupported(problem, make_compute(Backend::emulated)->device(), tuning);
}

TEST(VolumeModels, CountTheLoadsOfTheirTiles) {
  const Problem cube = volume(640, 480, random_filter(3, 3, 3));
  EXPECT_EQ(cost_of("constant", cube).global_loads_per_output, 27);
  EXPECT_DOUBLE_EQ(flop_per_loaded_byte(cube, cost_of("constant", cube)), 0.5);
  EXPECT_DOUBLE_EQ(flop_per_loaded_byte(cube, cost_of("global", cube)), 0.25);

  const Cost tiled = cost_of("tiled", cube);  // 32 × 16 outputs
  EXPECT_DOUBLE_EQ(tiled.global_loads_per_output, 3 * 34 * 18 / 512.0);
  EXPECT_EQ(tiled.shared_loads_per_output, 27);
  EXPECT_DOUBLE_EQ(load_reduction(cube, tiled), 27 * 512 / (3 * 34 * 18.0));

  // Of the 3 × 3 taps of a 32 × 16 tile, (32 + 2·31)/32 · (16 + 2·15)/16 lie inside.
  const Cost cached = cost_of("tiled-cached-halo", cube);
  EXPECT_DOUBLE_EQ(cached.shared_loads_per_output, 3 * (94 / 32.0) * (46 / 16.0));
  EXPECT_DOUBLE_EQ(cached.global_loads_per_output, 27 + 3 - 3 * (94 / 32.0) * (46 / 16.0));
  for (const char* id :
       {"global", "constant", "tiled", "tiled-cached-halo", "register-stream", "async-stream", "separable"})
    EXPECT_EQ(cost_of(id, cube).dram_bytes, 4.0 * 640 * 480 * 4) << id << ": three frames in, one out";
}

TEST(VolumeModels, CountTheProductsThatAreMade) {
  const Problem cube = volume(640, 480, random_filter(3, 3, 3));
  const double pixels = 640.0 * 480;
  EXPECT_DOUBLE_EQ(cost_of("separable", cube).flop, 2 * pixels * (3 * 34 * 18 / 512.0 + 3 * 34 / 32.0 + 3));

  EXPECT_DOUBLE_EQ(cost_of("register-stream", cube, {{"strip_rows", 16}}).global_loads_per_output,
                   3 * (6 / 4.0) * (18 / 16.0));
  const Problem wide = volume(640, 480, random_filter(7, 7, 3));
  EXPECT_DOUBLE_EQ(cost_of("register-stream", wide, {{"strip_rows", 16}, {"columns", 8}}).global_loads_per_output,
                   3 * (14 / 8.0) * (22 / 16.0));
  EXPECT_DOUBLE_EQ(cost_of("register-stream", cube).global_loads_per_output, 3 * (6 / 4.0) * (6 / 4.0))
      << "short strips";
  EXPECT_DOUBLE_EQ(cost_of("async-stream", cube).shared_loads_per_output, 3 * (12 / 4.0) * (34 / 32.0));
  EXPECT_DOUBLE_EQ(cost_of("async-stream", wide).global_loads_per_output, 3 * (136 / 128.0) * (38 / 32.0));
  const Problem flat = volume(640, 480, random_filter(5, 3, 3));
  EXPECT_DOUBLE_EQ(cost_of("register-stream", flat).flop, filter_flop(flat) * 25 / 15) << "padded to 5 × 5";
}

TEST(VolumeStrategies, RefuseWithNumbers) {
  EXPECT_EQ(refusal("register-stream", volume(64, 48, random_filter(9, 3, 5))),
            "Its loops are unrolled for filters up to 7 × 7 over 7 frames; this one is 9 × 3 over 5");
  EXPECT_THAT(refusal("register-stream", volume(64, 48, random_filter(3, 3, 9))), HasSubstr("3 × 3 over 9"));
  EXPECT_THAT(refusal("register-stream", volume(64, 48, random_filter(3, 3, 5)), {{"columns", 8}}),
              HasSubstr("in 5 frames do not fit in registers"));
  EXPECT_EQ(refusal("register-stream", volume(64, 48, random_filter(7, 7, 7))), "");
  EXPECT_THAT(refusal("async-stream", volume(64, 48, random_filter(3, 3, 9))), HasSubstr("3 × 3 over 9"));
  EXPECT_THAT(refusal("async-stream", volume(64, 48, random_filter(3, 3, 5)), {{"depth", 9}}), HasSubstr("9 steps"));
  EXPECT_THAT(refusal("separable", volume(64, 48, random_filter(3, 3, 3))), HasSubstr("3 frames have rank 3"));
  EXPECT_THAT(refusal("separable", volume(64, 48, volume_kind.parse("box:radius=63"), PixelFormat::rgba8)),
              HasSubstr("A block would need 399,424 bytes of shared memory"));
  EXPECT_THAT(refusal("tiled", volume(64, 48, random_filter(3, 3, 3)), {{"tile_height", 64}}), HasSubstr("2,048"));
  EXPECT_THAT(refusal("cudnn", volume(64, 48, random_filter(3, 3, 3))), HasSubstr("cuDNN"));
}

// Where all that a thread reads lies in the frame and rows are aligned, the wide loads and stores are taken: in the
// memory that this seed makes, rows of 596 pixels are.
TEST(VolumeStrategies, TakeFramesWiderThanTheirStrips) {
  for (const Backend backend : {Backend::cpu, Backend::emulated}) {
    const auto compute = make_compute(backend);
    for (const Strategy* strategy : strategies(backend, volume_kind))
      for (const PixelFormat format : volume_kind.formats)
        for (const auto& [radius, depth] : {std::pair{1, 7}, {2, 5}, {3, 3}}) {
          const Filter filter = random_filter(2 * radius + 1, 2 * radius + 1, depth);
          const VerifyRow row = verify_one(*compute, *strategy, volume(596, 19, filter, format), {}, 13);
          EXPECT_FALSE(row.failed()) << strategy->id << ", " << to_string(format) << ", " << filter.name << ": "
                                     << row.failure;
        }
  }
}

// Warps at the edges take whole rows too, and make of them what lies beyond. Which rows are aligned, the seed says.
TEST(VolumeStrategies, RingsFillWhatLiesBeyondTheFrames) {
  for (const Backend backend : {Backend::emulated, Backend::cuda}) {
    if (!why_unavailable(backend).empty()) continue;
    const auto compute = make_compute(backend);
    const Strategy& strategy = *find_strategy(backend, "async-stream", volume_kind);
    for (const Border border : all_borders)
      for (const PixelFormat format : volume_kind.formats)
        for (const int width : {4, 8, 12, 124, 128, 132, 260})
          for (unsigned seed = 1; seed <= 4; ++seed) {
            Problem problem = volume(width, 9, random_filter(seed % 2 ? 7 : 3, 3, 3), format);
            problem.border = border;
            const VerifyRow row = verify_one(*compute, strategy, problem, {}, seed);
            EXPECT_TRUE(row.passed) << to_string(backend) << ", " << to_string(border) << ", " << width << ": "
                                    << row.failure << row.skipped_reason;
          }
  }
}

// Strips that are walked upwards and downwards, rings of every depth, rows that are no multiple of 16 bytes, and steps
// of two rows that end beyond a strip.
TEST(VolumeStrategies, RingsGiveTheSameRowsAtAnyDepth) {
  const auto compute = make_compute(Backend::emulated);
  const Strategy& strategy = emulated_volume_strategy("async-stream");
  for (const Tuning& tuning : {Tuning{{"depth", 4}}, Tuning{{"depth", 8}}, Tuning{{"warps", 8}}})
    for (const int radius : {2, 3})
      for (const int width : {300, 259, 5}) {
        const Problem problem = volume(width, 23, random_filter(2 * radius + 1, 2 * radius - 1, 3));
        const VerifyRow row = verify_one(*compute, strategy, problem, tuning, 5);
        EXPECT_TRUE(row.passed) << width << ", " << problem.filter.name << ": " << row.failure << row.skipped_reason;
      }
}

Filter product(const std::vector<float>& frames, const std::vector<float>& column, const std::vector<float>& row) {
  Filter filter{.name = "product",
                .width = static_cast<int>(row.size()),
                .height = static_cast<int>(column.size()),
                .depth = static_cast<int>(frames.size())};
  for (const float t : frames)
    for (const float y : column)
      for (const float x : row) filter.weights.push_back(t * y * x);
  return filter;
}

TEST(VolumeSeparability, FactorsMultiplyBackToTheWeights) {
  const Filter filter = product({0.5f, -1, 0.25f}, {1, 2, 3, 2, 5}, {0.1f, 0.7f, -0.3f});
  const auto factors = factor_volume(filter);
  ASSERT_TRUE(factors);
  ASSERT_EQ(factors->frames.size(), 3u);
  ASSERT_EQ(factors->column.size(), 5u);
  ASSERT_EQ(factors->row.size(), 3u);
  EXPECT_LT(factors->error, 1e-5);
  double error = 0;
  const float* weight = filter.weights.data();
  for (const double t : factors->frames)
    for (const double y : factors->column)
      for (const double x : factors->row) error += std::abs(*weight++ - t * y * x);
  EXPECT_NEAR(error, factors->error, 1e-12);
  EXPECT_NEAR(factors->frames[0] / factors->frames[1], -0.5, 1e-6);
}

TEST(VolumeSeparability, IsFoundFromTheWeights) {
  for (const char* text : {"box:radius=1,rt=1", "gaussian:radius=3,rt=2", "identity", "sobel-x:rt=1"})
    EXPECT_EQ(separable_volume_reason(volume_kind.parse(text)), "") << text;
  EXPECT_EQ(separable_volume_reason(product({0, 0, 0}, {1}, {1})), "") << "all zero";
  // Every frame the same picture, which is no product; and products that differ from frame to frame.
  EXPECT_EQ(separable_volume_reason(volume_kind.parse("sharpen:rt=1")),
            "Each frame of the filter has rank 2: only a filter that is the product of one over time, a column and a "
            "row can be done in three passes");
  Filter filter = product({1, 1, 1}, {1, 2, 1}, {1, 2, 1});
  filter.weights[4] += 1e-3f;
  EXPECT_THAT(separable_volume_reason(filter), HasSubstr("The filter's 3 frames have rank 2"));
  EXPECT_FALSE(factor_volume(filter));
}

TEST(VolumeSeparability, TheBoundHoldsTheFactorsError) {
  const Filter filter = product({0.5f, -1, 0.25f}, {1, 2, 3, 2, 5}, {0.1f, 0.7f, -0.3f});
  const Problem problem = volume(64, 48, filter);
  EXPECT_GE(separable_volume_sum_bound(problem), float32_sum_bound(problem, 11) + factor_volume(filter)->error);
}

TEST(VolumeFilters, AreStatedAsPicturesOverFrames) {
  const Filter filter = volume_kind.parse("box:radius=1,rt=1");
  EXPECT_EQ(filter.name, "box:radius=1,rt=1");
  EXPECT_EQ(volume_kind.describe(volume(640, 480, filter)), "3 frames of 640 × 480 gray32f");
  EXPECT_EQ(volume_kind.inputs(volume(640, 480, filter)).size(), 3u);
}

}  // namespace
}  // namespace convoscope
