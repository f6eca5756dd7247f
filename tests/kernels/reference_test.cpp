#include "kernels/kinds/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

Image gray(std::vector<float>& pixels, int width) {
  return {pixels.data(), width, static_cast<int>(pixels.size()) / width, 4ull * width, PixelFormat::gray32f};
}

std::vector<double> filter_gray(std::vector<float> pixels, int width, const Filter& filter,
                                Border border = Border::zero) {
  const Image image = gray(pixels, width);
  return reference({image.width, image.height, image.format, border, filter}, image);
}

TEST(Reference, WorkedExamplesIn1D) {
  const auto y = filter_gray({8, 2, 5, 4, 1, 7, 3}, 7, parse_matrix("1 3 5 3 1"));
  EXPECT_EQ(y[1], 53);
  EXPECT_EQ(y[2], 52);
  EXPECT_EQ(y[3], 47);
  const auto z = filter_gray({1, 2, 3, 4, 5, 6, 7}, 7, parse_matrix("3 4 5 4 3"));
  EXPECT_EQ(z[1], 38);
  EXPECT_EQ(z[2], 57);
  EXPECT_EQ(z[3], 76);
  const auto inner = filter_gray({1, 2, 3, 4, 5, 6, 7}, 7, parse_matrix("1 2 1"));
  EXPECT_EQ(std::vector(inner.begin() + 1, inner.end() - 1), (std::vector<double>{8, 12, 16, 20, 24}));
}

TEST(Reference, WorkedExampleIn2D) {
  const auto y = filter_gray({1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5}, 5,
                             parse_matrix("1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1"));
  EXPECT_EQ(y[12], 321);
}

TEST(Reference, CorrelatesWithoutFlipping) {
  EXPECT_EQ(filter_gray({0, 0, 1, 0, 0}, 5, parse_matrix("1 2 3")), (std::vector<double>{0, 3, 2, 1, 0}));
}

TEST(Reference, Borders) {
  const std::vector<float> x{1, 2, 4};
  const Filter sum = parse_matrix("1 0 0 0 1");
  EXPECT_EQ(filter_gray(x, 3, sum, Border::zero), (std::vector<double>{4, 0, 1}));
  EXPECT_EQ(filter_gray(x, 3, sum, Border::replicate), (std::vector<double>{1 + 4, 1 + 4, 1 + 4}));
  EXPECT_EQ(filter_gray(x, 3, sum, Border::mirror), (std::vector<double>{4 + 4, 2 + 2, 1 + 1}));
  EXPECT_EQ(filter_gray(x, 3, sum, Border::wrap), (std::vector<double>{2 + 4, 4 + 1, 1 + 2}));
}

TEST(Reference, GainBiasAbsolute) {
  Filter filter = parse_matrix("-2");
  filter.gain = 3;
  filter.bias = 0.5f;
  EXPECT_EQ(filter_gray({1}, 1, filter)[0], -5.5);
  filter.absolute = true;
  EXPECT_EQ(filter_gray({1}, 1, filter)[0], 5.5);
}

TEST(Reference, MagnitudeIsTheRootOfTheSquares) {
  Filter filter = parse_matrix("3");
  filter.weights_y = {4};
  EXPECT_DOUBLE_EQ(filter_gray({2}, 1, filter)[0], 10);
}

TEST(Reference, Rgba8FiltersColoursClampsAndLeavesAlphaOut) {
  Rgba8 pixel{10, 20, 200, 77};
  const Image image{&pixel, 1, 1, 4, PixelFormat::rgba8};
  Filter filter = parse_matrix("2");
  filter.bias = -0.1f;
  const auto y = reference({1, 1, PixelFormat::rgba8, Border::zero, filter}, image);
  ASSERT_EQ(y.size(), 3u);
  EXPECT_EQ(y[0], 0);  // 20 − 25.5
  EXPECT_NEAR(y[1], 14.5, 1e-5);
  EXPECT_EQ(y[2], 255);
}

TEST(Reference, HonoursThePitch) {
  std::vector<float> padded{1, 2, -99, 3, 4, -99};
  const Image image{padded.data(), 2, 2, 12, PixelFormat::gray32f};
  EXPECT_EQ(reference({2, 2, image.format, Border::replicate, parse_matrix("1")}, image),
            (std::vector<double>{1, 2, 3, 4}));
}

class Compare : public testing::Test {
 protected:
  Problem rgba_{1, 1, PixelFormat::rgba8, Border::zero, parse_matrix("1")};
  Problem gray_{1, 1, PixelFormat::gray32f, Border::zero, parse_matrix("1")};

  Difference rgba(Rgba8 in, Rgba8 out, std::vector<double> expected) {
    return compare(rgba_, expected, {&in, 1, 1, 4, PixelFormat::rgba8}, {&out, 1, 1, 4, PixelFormat::rgba8});
  }
  Difference gray(float out, double expected) {
    float in = 0;
    return compare(gray_, {expected}, {&in, 1, 1, 4, PixelFormat::gray32f}, {&out, 1, 1, 4, PixelFormat::gray32f});
  }
};

TEST_F(Compare, RoundingIsNoError) {
  EXPECT_EQ(rgba({0, 0, 0, 9}, {10, 11, 12, 9}, {10.4, 10.5, 12.5}).max_error, 0);
  const Difference one = rgba({0, 0, 0, 9}, {10, 11, 12, 9}, {10, 11, 13.5});
  EXPECT_EQ(one.max_error, 1);
  EXPECT_EQ(one.channel, 2);
  EXPECT_EQ(one.expected, 13.5);
  EXPECT_EQ(one.actual, 12);
}

TEST_F(Compare, AlphaMustBeCarriedOver) {
  const Difference lost = rgba({0, 0, 0, 9}, {10, 11, 12, 8}, {10, 11, 12});
  EXPECT_EQ(lost.max_error, 255);
  EXPECT_EQ(lost.channel, 3);
}

TEST_F(Compare, FloatsAreComparedAsTheyAre) {
  EXPECT_EQ(gray(0.25f, 0.5).max_error, 0.25);
  EXPECT_TRUE(std::isinf(gray(std::numeric_limits<float>::quiet_NaN(), 0.5).max_error));
  EXPECT_TRUE(std::isinf(gray(std::numeric_limits<float>::infinity(), 0.5).max_error));
}

TEST(Bound, GrowsWithTermsWeightsAndGain) {
  Problem problem{1, 1, PixelFormat::gray32f, Border::zero, parse_filter("box:radius=2").filter};
  const double u = std::ldexp(1.0, -24), bound = float32_sum_bound(problem, 25);
  EXPECT_GT(bound, 25 * u);
  EXPECT_LT(bound, 28 * u);
  EXPECT_NEAR(float32_sum_bound(problem, 50) / bound, 2, 0.1);
  problem.filter.gain = 4;
  EXPECT_NEAR(float32_sum_bound(problem, 25) / bound, 4, 0.01);
  problem.filter.gain = 1;
  problem.format = PixelFormat::rgba8;
  EXPECT_NEAR(float32_sum_bound(problem, 25) / bound, 255, 0.01);
}

// Sums in float32 of the worst kind stay within it, and not by orders of magnitude.
TEST(Bound, HoldsForSumsInFloat) {
  double worst = 0;
  for (int seed = 1; seed <= 2000; ++seed) {
    std::srand(seed);
    Filter filter{.name = "", .width = 9, .height = 9};
    std::vector<float> pixels(81);
    float sum = 0;
    double exact = 0;
    for (int i = 0; i < 81; ++i) {
      filter.weights.push_back(static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX));
      pixels[i] = static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX);
      sum += filter.weights[i] * pixels[i];
      exact += static_cast<double>(filter.weights[i]) * pixels[i];
    }
    const double bound = float32_sum_bound({9, 9, PixelFormat::gray32f, Border::zero, filter}, 81);
    worst = std::max(worst, std::abs(sum - exact) / bound);
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 1e-3);
}

}  // namespace
}  // namespace convoscope
