// dp2a-stream and separable-dp2a: two bytes at a time by weights of 16 bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/frames.h"
#include "kernels/strategies/shared/image/pair_weights.h"

namespace convoscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* both[] = {"dp2a-stream", "separable-dp2a"};

TEST(BytePairs, WeightsBeginAtAnEvenColumnOrAtAnOddOne) {
  const std::vector<int> three{1, -2, 3};
  EXPECT_THAT(weight_pairs(three, 3, 1), ElementsAre(0xFFFE0001u, 0x00000003u, 0x00010000u, 0x0003FFFEu));
  EXPECT_THAT(weight_pairs(three, 3, 2), ElementsAre(0x00010000u, 0x0003FFFEu, 0u, 0u, 0xFFFE0001u, 0x00000003u));
  EXPECT_THAT(weight_pairs(std::vector<int>{7, 8}, 1, 1), ElementsAre(0x00070000u, 0u, 0u, 7u, 0x00080000u, 0u, 0u, 8u))
      << "a row after the other";
}

// What rounding costs is promised, and the reference is held against it: here without a kernel between.
TEST(BytePairs, SeparableTapsCostWhatIsSaid) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(-1, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const int columns = 1 + 2 * (trial % 3), rows = 1 + 2 * (trial / 3 % 3);
    std::vector<float> row(static_cast<std::size_t>(columns)), column(static_cast<std::size_t>(rows));
    for (float& tap : row) tap = any(random);
    for (float& tap : column) tap = any(random);
    Filter filter;
    filter.width = columns, filter.height = rows, filter.gain = 0.5f + any(random) / 4, filter.bias = any(random);
    for (const float c : column)
      for (const float r : row) filter.weights.push_back(c * r);
    const SeparablePairs pairs = separable_pairs(filter);
    ASSERT_EQ(pairs.trouble, "");
    ASSERT_EQ(pairs.row.size(), row.size());
    ASSERT_EQ(pairs.column.size(), column.size());
    for (int picture = 0; picture < 20; ++picture) {
      double exact = 255.0 * filter.bias;
      float sum = pairs.start;
      for (int y = 0; y < rows; ++y) {
        int integers = 0;
        for (int x = 0; x < columns; ++x) {
          const int byte = picture == 0 ? 255 : static_cast<int>(random() % 256);
          integers += pairs.row[static_cast<std::size_t>(x)] * byte;
          exact += static_cast<double>(filter.gain) *
                   static_cast<double>(filter.weights[static_cast<std::size_t>(y * columns + x)]) * byte;
        }
        ASSERT_LE(std::abs(integers), 4194303) << "or the float's exponent changes";
        sum = std::fma(pairs.column[static_cast<std::size_t>(y)], SeparablePairs::base + static_cast<float>(integers),
                       sum);
      }
      EXPECT_NEAR(std::ldexp(static_cast<double>(sum), -SeparablePairs::of_sums), exact, pairs.cost);
    }
  }
  EXPECT_LT(separable_pairs(parse_filter("gaussian:radius=2").filter).cost, 0.05);
}

TEST(BytePairs, FiltersWiderThanHighAndHigherThanWide) {
  const auto compute = make_compute(Backend::emulated);
  for (const char* id : both)
    for (const auto& [columns, rows] : {std::pair{1, 1}, {3, 1}, {1, 3}, {5, 1}, {1, 5}, {3, 5}, {5, 3}, {5, 5}})
      for (const int across : {1, 2, 70, 132, 256, 391})
        for (const Border border : {Border::zero, Border::mirror}) {
          SCOPED_TRACE(testing::Message() << id << " " << columns << " × " << rows << ", " << width);
          Filter filter = random_filter(columns, rows);
          if (std::string_view(id) == "separable-dp2a")
            for (int y = 0; y < rows; ++y)
              for (int x = 0; x < columns; ++x)
                filter.weights[static_cast<std::size_t>(y * columns + x)] =
                    (0.3f - 0.2f * static_cast<float>(x)) * (0.1f + 0.2f * static_cast<float>(y));
          const Problem problem{across, 21, PixelFormat::rgba8, border, filter};
          const VerifyRow row = verify_one(*compute, *find_strategy(Backend::emulated, id), problem, {}, 7);
          EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
        }
}

// Weights and gains at either end of what a float holds; those that do not fit are refused.
TEST(BytePairs, FiltersOfAnySizeAreRightOrRefused) {
  const auto compute = make_compute(Backend::emulated);
  const std::pair<float, float> scales[] = {{1, 1},          {1e-30f, 1e30f}, {1e30f, 1e-30f}, {1e-38f, 3e37f},
                                            {3e34f, 1e-34f}, {1e30f, 1},      {1, 1e30f},      {1e-30f, 1},
                                            {0, 1},          {1, 0},          {1, -1},         {1, 300}};
  for (const char* name : {"gaussian:radius=1", "gaussian:radius=2", "box:radius=2", "sharpen", "emboss", "sobel-x"})
    for (const auto& [weights, gain] : scales)
      for (const float bias : {0.0f, 0.5f, -1e20f})
        for (const char* id : both) {
          SCOPED_TRACE(testing::Message() << id << " " << name << " " << weights << " " << gain << " " << bias);
          Filter filter = parse_filter(name).filter;
          for (float& weight : filter.weights) weight *= weights;
          filter.gain *= gain;
          filter.bias += bias;
          const Problem problem{70, 9, PixelFormat::rgba8, Border::mirror, filter};
          const VerifyRow row = verify_one(*compute, *find_strategy(Backend::emulated, id), problem, {}, 3);
          EXPECT_FALSE(row.failed()) << row.failure;
          if (weights == 1 && gain == 1 && bias == 0 && std::string_view(name).starts_with("gaussian")) {
            EXPECT_FALSE(row.skipped()) << row.skipped_reason;
          }
        }
}

TEST(BytePairs, RefuseWithAReason) {
  const Device device = make_compute(Backend::emulated)->device();
  const auto why_not = [&](const char* id, const char* filter, PixelFormat format = PixelFormat::rgba8) {
    return find_strategy(Backend::emulated, id)
        ->unsupported({64, 64, format, Border::zero, parse_filter(filter).filter}, device, {});
  };
  for (const char* id : both) {
    EXPECT_EQ(why_not(id, "gaussian:radius=2"), "");
    EXPECT_THAT(why_not(id, "gaussian:radius=2", PixelFormat::gray32f), HasSubstr("gray32f"));
    EXPECT_THAT(why_not(id, "gaussian:radius=3"), HasSubstr("this filter's is 3"));
    EXPECT_THAT(why_not(id, "sobel-magnitude"), HasSubstr("magnitude"));
  }
  EXPECT_EQ(why_not("dp2a-stream", "disk:radius=2"), "");
  EXPECT_THAT(why_not("separable-dp2a", "disk:radius=2"), HasSubstr("rank"));
}

}  // namespace
}  // namespace convoscope
