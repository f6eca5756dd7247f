// wgmma-stream, of pictures and of volumes: warpgroups that walk along runs of eight outputs, down and up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/frames.h"
#include "kernels/kinds/volume.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

const Strategy& strategy_for(const Kind& kind) { return *find_strategy(Backend::emulated, "wgmma-stream", kind); }

// Nor is a frame like another, so that a weight in the wrong place shows.
Filter unlike_on_all_sides(int columns, int rows, int frames = 1) {
  Filter filter;
  filter.width = columns, filter.height = rows, filter.depth = frames;
  for (int t = 0; t < frames; ++t)
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x)
        filter.weights.push_back(std::sin(static_cast<float>(1 + x + 3 * y + 7 * t)) /
                                 static_cast<float>(columns * frames));
  return filter;
}
Problem problem_for(int width, int height, Border border, const Filter& filter) {
  Problem problem{width, height, PixelFormat::gray32f, border, filter};
  if (filter.depth > 1) problem.kind = &volume_kind;
  return problem;
}

// Split numbers lose some 2u of what is summed, u = 2^-24, and the emulator sums exactly; the tolerance, which speaks
// of what the hardware may cut off, would not notice when low parts were missing, 2^-12 of it.
void expect_right(const Problem& problem, const Tuning& tuning) {
  SCOPED_TRACE(testing::Message() << problem.width << " × " << problem.height << ", " << to_string(problem.border)
                                  << ", " << problem.filter.width << " × " << problem.filter.height << " × "
                                  << problem.filter.depth);
  const auto compute = make_compute(Backend::emulated);
  const VerifyRow row = verify_one(*compute, strategy_for(*problem.kind), problem, tuning, 7);
  EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
  double total = 0;
  for (const float weight : problem.filter.weights) total += std::abs(static_cast<double>(weight));
  EXPECT_LT(row.max_error, 8 * 0x1p-24 * total);
}

// Left and right edges that are whole quads or not, warps with both edges, with none, and beyond the image; strips that
// begin or end beyond it; and groups whose last warps have nothing to do.
TEST(RunWarpgroups, AtEveryEdge) {
  for (const int across : {1, 12, 16, 20, 125, 128, 136, 263, 384})
    for (const int down : {1, 5, 21})
      for (const Border border : {Border::zero, Border::replicate, Border::mirror, Border::wrap})
        expect_right(problem_for(across, down, border, unlike_on_all_sides(9, 9)), {{"strip_rows", 8}});
}

TEST(RunWarpgroups, WindowsOfUpTo48Columns) {
  for (const int radius : {5, 12})
    for (const int across : {7, 140})
      for (const Border border : {Border::zero, Border::mirror, Border::wrap})
        expect_right(problem_for(across, 19, border, unlike_on_all_sides(2 * radius + 1, 2 * radius + 1)),
                     {{"strip_rows", 16}});
  for (const Border border : {Border::replicate, Border::mirror})
    expect_right(problem_for(136, 18, border, unlike_on_all_sides(33, 33)), {{"strip_rows", 16}});
}

TEST(RunWarpgroups, SeveralFrames) {
  for (const int radius : {0, 1, 2, 3})
    for (const int frames : {3, 5, 7})
      for (const auto& [across, down] : {std::pair{9, 4}, {132, 21}, {264, 13}})
        for (const Border border : {Border::replicate, Border::mirror})
          expect_right(problem_for(across, down, border, unlike_on_all_sides(2 * radius + 1, 2 * radius + 1, frames)),
                       {{"strip_rows", 8}});
}

TEST(RunWarpgroups, FiltersWiderThanHighAndHigherThanWide) {
  for (const int columns : {1, 3, 9, 17})
    for (const int rows : {1, 7, 9, 13})
      expect_right(problem_for(136, 40, Border::mirror, unlike_on_all_sides(columns, rows)), {});
}

// The emulator says of every kernel that a multiprocessor holds one block of it.
TEST(RunWarpgroups, AllBlocksOfAFrameAreThereAtOnce) {
  Device device = make_compute(Backend::emulated)->device();
  device.multiprocessors = 132;
  for (const auto& [across, down] : {std::pair{3840, 2160}, {1920, 1080}, {640, 480}, {100, 3}})
    for (const auto& [radius, frames] : {std::pair{4, 1}, {8, 1}, {16, 1}, {1, 3}, {3, 3}, {2, 5}, {3, 7}}) {
      const Problem problem =
          problem_for(across, down, Border::zero, unlike_on_all_sides(2 * radius + 1, 2 * radius + 1, frames));
      const auto plan = strategy_for(*problem.kind).plan(problem, device, {});
      const int blocks = plan->kernels().at(0).grid_x;
      EXPECT_LE(blocks, device.multiprocessors) << plan->note();
      if (down > 1000) {
        EXPECT_GT(blocks, device.multiprocessors * 3 / 4) << plan->note();
      }
    }
}

TEST(RunWarpgroups, RefuseWithAReason) {
  Device device = make_compute(Backend::emulated)->device();
  const auto why_not = [&](const char* filter, PixelFormat format, const Tuning& tuning = {}) {
    return strategy_for(image_kind)
        .unsupported({64, 64, format, Border::zero, parse_filter(filter).filter}, device, tuning);
  };
  EXPECT_EQ(why_not("disk:radius=16", PixelFormat::gray32f), "");
  EXPECT_THAT(why_not("disk:radius=17", PixelFormat::gray32f), HasSubstr("this filter's is 17"));
  EXPECT_THAT(why_not("disk:radius=4", PixelFormat::rgba8), HasSubstr("this image is rgba8"));
  EXPECT_THAT(why_not("sobel-magnitude", PixelFormat::gray32f), HasSubstr("magnitude"));
  EXPECT_THAT(why_not("disk:radius=4", PixelFormat::gray32f, {{"strip_rows", -1}}), HasSubstr("fewer than 0 rows"));
  const Filter disk = parse_filter("disk:radius=4").filter;
  EXPECT_EQ(strategy_for(image_kind).unsupported(problem_for(32000, 32000, Border::zero, disk), device, {}), "");
  EXPECT_THAT(strategy_for(image_kind).unsupported(problem_for(32768, 32768, Border::zero, disk), device, {}),
              HasSubstr("4 GiB"));
  const Strategy& of_volumes = strategy_for(volume_kind);
  EXPECT_EQ(of_volumes.unsupported(problem_for(64, 64, Border::zero, unlike_on_all_sides(7, 7, 7)), device, {}), "");
  EXPECT_THAT(of_volumes.unsupported(problem_for(64, 64, Border::zero, unlike_on_all_sides(9, 7, 3)), device, {}),
              HasSubstr("9 × 7 over 3"));
  EXPECT_THAT(of_volumes.unsupported(problem_for(64, 64, Border::zero, unlike_on_all_sides(7, 7, 9)), device, {}),
              HasSubstr("over 9"));
  device.compute_capability = 89;
  EXPECT_THAT(why_not("disk:radius=4", PixelFormat::gray32f), HasSubstr("9.0 alone"));
}

}  // namespace
}  // namespace convoscope
