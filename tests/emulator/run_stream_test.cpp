// int8-stream and separable-mma-stream: warps that walk down runs of eight outputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/frames.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

constexpr const char *of_bytes = "int8-stream", *of_floats = "separable-mma-stream";
constexpr std::pair<const char*, PixelFormat> both_runs[] = {{of_bytes, PixelFormat::rgba8},
                                                             {of_floats, PixelFormat::gray32f}};

// No side of it is like another, so that a tap in the wrong place shows.
Filter lopsided(int columns, int rows) {
  Filter filter;
  filter.width = columns, filter.height = rows;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      filter.weights.push_back((0.3f - 0.07f * static_cast<float>(x)) * (0.1f + 0.05f * static_cast<float>(y)));
  return filter;
}

// Left and right edges that are whole quads or not, warps with both edges, with none, and beyond the image; strips that
// begin or end beyond it.
TEST(Runs, AtEveryEdge) {
  const auto compute = make_compute(Backend::emulated);
  for (const auto& [id, format] : both_runs)
    for (const int across : {1, 12, 16, 20, 61, 64, 68, 72, 128, 132, 200, 256, 263})
      for (const int down : {1, 4, 5, 21})
        for (const Border border : {Border::zero, Border::replicate, Border::mirror, Border::wrap}) {
          SCOPED_TRACE(testing::Message() << id << " " << across << " × " << down << ", " << to_string(border));
          const Problem problem{across, down, format, border, lopsided(9, 9)};
          const VerifyRow row =
              verify_one(*compute, *find_strategy(Backend::emulated, id), problem, {{"strip_rows", 8}}, 7);
          EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
        }
}

TEST(Runs, FiltersWiderThanHighAndHigherThanWide) {
  const auto compute = make_compute(Backend::emulated);
  for (const auto& [id, format] : both_runs)
    for (const int columns : {1, 3, 5, 9})
      for (const int rows : {1, 3, 7, 9}) {
        SCOPED_TRACE(testing::Message() << id << " " << columns << " × " << rows);
        const Problem problem{136, 40, format, Border::mirror, lopsided(columns, rows)};
        const VerifyRow row = verify_one(*compute, *find_strategy(Backend::emulated, id), problem, {}, 7);
        EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
      }
}

// Weights and gains at either end of what a float holds; those that do not fit are refused.
TEST(Runs, FiltersOfAnySizeAreRightOrRefused) {
  const auto compute = make_compute(Backend::emulated);
  const std::pair<float, float> scales[] = {{1, 1},      {1e-30f, 1e30f}, {1e30f, 1e-30f}, {1e30f, 1}, {1, 1e30f},
                                            {1e-30f, 1}, {0, 1},          {1, 0},          {1, -1},    {1, 300}};
  for (const char* name : {"gaussian:radius=2", "gaussian:radius=4", "sharpen", "emboss", "sobel-x"})
    for (const auto& [weights, gain] : scales)
      for (const float bias : {0.0f, 0.5f, -1e20f})
        for (const auto& [id, format] : both_runs) {
          SCOPED_TRACE(testing::Message() << id << " " << name << " " << weights << " " << gain << " " << bias);
          Filter filter = parse_filter(name).filter;
          for (float& weight : filter.weights) weight *= weights;
          filter.gain *= gain;
          filter.bias += bias;
          const Problem problem{70, 9, format, Border::mirror, filter};
          const VerifyRow row = verify_one(*compute, *find_strategy(Backend::emulated, id), problem, {}, 3);
          EXPECT_FALSE(row.failed()) << row.failure;
          if (weights == 1 && gain == 1 && bias == 0 && std::string_view(name).starts_with("gaussian")) {
            EXPECT_FALSE(row.skipped()) << row.skipped_reason;
          }
        }
}

TEST(Runs, AStripsRowsAreTakenEightAtATime) {
  for (const auto& [id, format] : both_runs)
    for (const int radius : {1, 2, 3, 4})
      for (const auto& [across, down] : {std::pair{3840, 2160}, {1920, 1080}, {640, 480}, {100, 3}}) {
        Device device = make_compute(Backend::emulated)->device();
        device.multiprocessors = 132;
        const Strategy& strategy = *find_strategy(Backend::emulated, id);
        const Problem problem{across, down, format, Border::zero,
                              parse_filter("gaussian:radius=" + std::to_string(radius)).filter};
        const std::string note = strategy.plan(problem, device, {})->note();
        const int rows = std::stoi(note.substr(note.find("strips of ") + 10));
        const int built = id == of_bytes && radius <= 2 ? 2 : 4;
        EXPECT_GT(rows, 0) << note;
        EXPECT_EQ((rows + 2 * built) % 8, 0) << note;
      }
}

TEST(Runs, RefuseWithAReason) {
  Device device = make_compute(Backend::emulated)->device();
  const auto why_not = [&](const char* id, const char* filter, PixelFormat format, Tuning tuning = {}) {
    return find_strategy(Backend::emulated, id)
        ->unsupported({64, 64, format, Border::zero, parse_filter(filter).filter}, device, tuning);
  };
  for (const auto& [id, format] : both_runs) {
    EXPECT_EQ(why_not(id, "gaussian:radius=4", format), "");
    const PixelFormat other = format == PixelFormat::rgba8 ? PixelFormat::gray32f : PixelFormat::rgba8;
    EXPECT_THAT(why_not(id, "gaussian:radius=4", other), HasSubstr("this image is"));
    EXPECT_THAT(why_not(id, "gaussian:radius=5", format), HasSubstr("this filter's is 5"));
    EXPECT_THAT(why_not(id, "sobel-magnitude", format), HasSubstr("magnitude"));
    EXPECT_THAT(why_not(id, "gaussian:radius=4", format, {{"strip_rows", -1}}), HasSubstr("fewer than 0 rows"));
  }
  EXPECT_EQ(why_not(of_bytes, "disk:radius=4", PixelFormat::rgba8), "");
  EXPECT_THAT(why_not(of_floats, "disk:radius=4", PixelFormat::gray32f), HasSubstr("rank"));
  device.compute_capability = 70;
  for (const auto& [id, format] : both_runs)
    EXPECT_THAT(why_not(id, "gaussian:radius=4", format), HasSubstr("capability 7.5"));
}

}  // namespace
}  // namespace convoscope
