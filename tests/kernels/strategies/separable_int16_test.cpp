// cpu-separable-int16: the bound on its rounding, which decides whether a filter may be written so, and its loops on
// every instruction set that this processor has.
#include "kernels/strategies/shared/image/separable_int16.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstring>
#include <functional>
#include <random>
#include <set>

#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/reference.h"

namespace convoscope {
namespace {

Filter row_filter(std::vector<float> taps, float gain = 1) {
  Filter filter{"row", static_cast<int>(taps.size()), 1, std::move(taps)};
  filter.gain = gain;
  return filter;
}

TEST(SeparableInt16, KeepsTapsThatArePowersOfTwo) {
  const SeparableInt16 fixed = separable_int16(parse_matrix("1 2 1; 2 4 2; 1 2 1"));
  EXPECT_EQ(fixed.column[1], 2 * fixed.column[0]);
  EXPECT_EQ(fixed.column[0], 1 << 13) << "a quarter";
  EXPECT_EQ(fixed.column[2], fixed.column[0]);
  EXPECT_LT(fixed.cost, 1e-4) << "nothing is rounded but the factors themselves";
  for (const int factor : {1, 7}) {
    Filter filter = parse_matrix("1 -3 1; -3 9 -3; 1 -3 1");
    for (float& weight : filter.weights) weight *= static_cast<float>(factor) / 32;
    const SeparableInt16 signs = separable_int16(filter);
    EXPECT_EQ(signs.column[1], -3 * signs.column[0]);
    EXPECT_EQ(signs.row[1], -3 * signs.row[0]);
  }
  const Filter normalised = parse_filter("gaussian:radius=1").filter;
  EXPECT_LT(separable_int16(normalised).cost, 0.006) << "half a unit of the intermediate, a 128th of a code value";
}

TEST(SeparableInt16, StatesACostThatGrowsWithTheGain) {
  for (const int radius : {1, 2, 4, 8, 16}) {
    Filter filter = parse_filter("gaussian:radius=" + std::to_string(radius)).filter;
    const double cost = separable_int16(filter).cost;
    EXPECT_GT(cost, 0.0039) << radius << ": less than half a unit of the intermediate";
    EXPECT_LT(cost, 0.1) << radius;
    filter.gain = -2;
    EXPECT_GT(separable_int16(filter).cost, 2 * 0.0039) << radius;
    EXPECT_EQ(separable_int16(filter).trouble, "") << radius;
    filter.gain = 100;
    EXPECT_THAT(separable_int16(filter).trouble, testing::HasSubstr("could be off by")) << radius;
  }
}

TEST(SeparableInt16, RefusesWhatDoesNotFit) {
  EXPECT_EQ(separable_int16(row_filter({0, 0, 0})).trouble, "");
  EXPECT_EQ(separable_int16(row_filter({1e-20f})).trouble, "");
  EXPECT_THAT(separable_int16(row_filter({1e9f})).trouble, testing::HasSubstr("do not fit in 32 bits"));
  EXPECT_THAT(separable_int16(row_filter({1}, 3e38f)).trouble, testing::HasSubstr("do not fit in 32 bits"));
  Filter biased = row_filter({1});
  biased.bias = 1e8f;
  EXPECT_THAT(separable_int16(biased).trouble, testing::HasSubstr("do not fit in 32 bits"));
  EXPECT_EQ(separable_int16(row_filter(std::vector<float>(1025, 1))).trouble, "") << "the sum of 1025 pixels is exact";
  Filter rough = parse_filter("gaussian:radius=2").filter;
  for (float& weight : rough.weights) weight *= 100;
  EXPECT_THAT(separable_int16(rough).trouble, testing::HasSubstr("could be off by"));
}

// The sums that the loops make, at their largest, in whatever order.
TEST(SeparableInt16, NeverLeavesItsIntegers) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> weight(-1, 1);
  int taken = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int width = 1 + 2 * static_cast<int>(random() % 20), height = 1 + 2 * static_cast<int>(random() % 20);
    Filter filter{"random", width, height, std::vector<float>(static_cast<std::size_t>(width) * height)};
    std::vector<float> row(width), column(height);
    for (float& tap : row) tap = weight(random);
    for (float& tap : column) tap = weight(random);
    for (int i = 0; i < width * height; ++i) filter.weights[i] = row[i % width] * column[i / width];
    filter.gain = std::exp(8 * weight(random) - 5);
    filter.bias = 4 * weight(random);
    const SeparableInt16 fixed = separable_int16(filter);
    if (!fixed.trouble.empty()) continue;
    ++taken;
    const auto total = [](const std::vector<int>& taps) {
      double sum = 0;
      for (const int tap : taps) {
        EXPECT_LE(std::abs(tap), 32767);
        sum += std::abs(tap);
      }
      return sum;
    };
    const double columns = 255 * total(fixed.column);
    ASSERT_LT(columns, 2147483648.0);
    const double intermediate = std::ceil(columns / std::exp2(fixed.column_shift));
    ASSERT_LE(intermediate, 32767);
    ASSERT_LT(intermediate * total(fixed.row) + std::abs(fixed.bias) + std::exp2(fixed.row_shift - 1), 2147483648.0);
    ASSERT_GE(fixed.column_shift, 1);
    ASSERT_GE(fixed.row_shift, 1);
  }
  EXPECT_GT(taken, 100);
}

// A picture of which value(x, y, channel) is a code value; rows end 3 pixels before the next begins.
struct PaddedPicture {
  PaddedPicture(int width, int height, const std::function<int(int, int, int)>& value)
      : pixels((width + 3) * height * 4) {
    image = {pixels.data(), width, height, 4 * static_cast<std::size_t>(width + 3), PixelFormat::rgba8};
    for (int y = 0; y < height; ++y)
      for (int i = 0; i < 4 * width; ++i)
        pixels[y * image.pitch + i] = static_cast<std::uint8_t>(value(i / 4, y, i % 4));
  }
  std::vector<std::uint8_t> pixels;
  Image image;
};

class OnTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { choose(GetParam()); }
  void TearDown() override { choose(0); }

 private:
  static void choose(std::int64_t targets) {  // 0: the best
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().DeInit();  // the next call looks again
  }
};

TEST_P(OnTarget, FiltersExtremePictures) {
  const Strategy& strategy = *find_strategy(Backend::cpu, "cpu-separable-int16");
  const auto compute = make_compute(Backend::cpu);
  std::mt19937 random(1);
  const std::vector<std::function<int(int, int, int)>> pictures{
      [](int, int, int) { return 255; },
      [](int x, int y, int c) { return (x + y + c) % 2 * 255; },
      [](int x, int y, int c) { return (x + y * 3 + c) % 5 < 2 ? 255 : 0; },
      [&](int, int, int) { return static_cast<int>(random() % 256); },
      [&](int, int, int) { return static_cast<int>(random() % 2 * 255); },
  };
  std::vector<Filter> filters;
  for (const char* text : {"gaussian:radius=1", "gaussian:radius=8", "box:radius=3", "sobel-x"})
    filters.push_back(parse_filter(text).filter);
  filters.push_back(parse_matrix("-1 3 -1; 3 -9 3; -1 3 -1"));  // clamps at both ends
  filters.push_back(row_filter({-2, 0.7f, 3.1f, 0, -1.3f}, -0.5f));
  filters.back().bias = 0.4f;
  filters.push_back(row_filter({-1, 0, 1}, 0.9f));
  filters.back().absolute = true;
  filters.push_back(row_filter(std::vector<float>(41, 1)));
  filters.push_back(filters.back());
  transpose(filters.back());
  for (const Filter& filter : filters)
    for (const auto& value : pictures)
      for (const auto& [width, height] : {std::pair{1, 1}, {5, 3}, {67, 9}, {300, 13}}) {
        const PaddedPicture in(width, height, value);
        PaddedPicture out(width, height, [](int, int, int) { return 77; });
        const Problem problem{width, height, PixelFormat::rgba8, Border::mirror, filter};
        ASSERT_EQ(strategy.unsupported(problem, compute->device(), {}), "");
        const auto plan = strategy.plan(problem, compute->device(), {});
        enqueue_image(*plan, in.image, out.image, {});
        const Difference worst = compare(problem, reference(problem, in.image), in.image, out.image);
        ASSERT_LE(worst.max_error, strategy.tolerance(problem))
            << filter.name << " " << filter.width << " × " << filter.height << " of " << width << " × " << height
            << " at " << worst.x << ", " << worst.y << ", " << worst.channel << ": " << worst.actual << " for "
            << worst.expected;
        for (int y = 0; y < height; ++y)
          for (int i = 4 * width; i < static_cast<int>(in.image.pitch); ++i)
            ASSERT_EQ(out.pixels[y * in.image.pitch + i], 0) << "written behind the end of row " << y;
      }
}

std::set<std::int64_t> targets() {
  std::set<std::int64_t> list{HWY_STATIC_TARGET};  // what every processor has
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS & ~HWY_SSSE3; left != 0; left &= left - 1)
    list.insert(left & -left);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Processor, OnTarget, testing::ValuesIn(targets()),
                         [](const testing::TestParamInfo<std::int64_t>& target) {
                           return std::string(hwy::TargetName(target.param));
                         });

}  // namespace
}  // namespace convoscope
