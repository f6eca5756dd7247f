#include "kernels/filter/separability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

int rank_of(const char* spec) {
  const Filter filter = parse_filter(spec).filter;
  return filter_rank(filter.weights.data(), filter.width, filter.height);
}

TEST(Separability, RanksOfKnownFilters) {
  for (const char* spec :
       {"identity", "box:radius=3", "gaussian:radius=8,sigma=3", "gaussian:radius=63", "binomial:radius=2", "sobel-x",
        "scharr-y", "prewitt-x", "motion:length=9,angle=0", "motion:length=9,angle=90", "1 2 3"})
    EXPECT_EQ(rank_of(spec), 1) << spec;
  EXPECT_EQ(rank_of("sharpen"), 2);
  EXPECT_EQ(rank_of("laplacian"), 2);
  EXPECT_EQ(rank_of("laplacian:neighbours=8"), 2);
  EXPECT_EQ(rank_of("unsharp"), 2);
  EXPECT_EQ(rank_of("1 0 0; 0 1 0; 0 0 1"), 3);
  EXPECT_GT(rank_of("disk:radius=5"), 2);
}

TEST(Separability, FactorsMultiplyBackToTheWeights) {
  const Filter filter = parse_filter("binomial:radius=2").filter;
  const auto factors = factor_rank_one(filter.weights.data(), 5, 5, rank_one_tolerance);
  ASSERT_TRUE(factors);
  ASSERT_EQ(factors->row.size(), 5u);
  ASSERT_EQ(factors->column.size(), 5u);
  EXPECT_LT(factors->error, 1e-6);
  double error = 0;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x)
      error += std::abs(static_cast<double>(filter.weights[y * 5 + x]) -
                        static_cast<double>(factors->column[y]) * factors->row[x]);
  EXPECT_NEAR(error, factors->error, 1e-12);
  EXPECT_NEAR(factors->row[0] / factors->row[2], 1.0 / 6, 1e-6);
}

TEST(Separability, AsymmetricAndNonSquare) {
  const Filter filter = parse_matrix("2 4 6 8 10; -1 -2 -3 -4 -5; 3 6 9 12 15");
  const auto factors = factor_rank_one(filter.weights.data(), 5, 3, rank_one_tolerance);
  ASSERT_TRUE(factors);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x) EXPECT_NEAR(factors->column[y] * factors->row[x], filter.weights[y * 5 + x], 1e-5);
}

TEST(Separability, ASmallDeviationIsRefused) {
  Filter filter = parse_filter("box:radius=2").filter;
  filter.weights[7] += 1e-4f;
  EXPECT_FALSE(factor_rank_one(filter.weights.data(), 5, 5, rank_one_tolerance));
  EXPECT_TRUE(factor_rank_one(filter.weights.data(), 5, 5, 1e-3));
}

TEST(Separability, ZeroWeightsAreRankOne) {
  const std::vector<float> zero(15);
  const auto factors = factor_rank_one(zero.data(), 5, 3, rank_one_tolerance);
  ASSERT_TRUE(factors);
  EXPECT_EQ(factors->error, 0);
}

TEST(Separability, LowRankSumsUp) {
  const Filter filter = parse_filter("disk:radius=4").filter;
  const auto full = low_rank_factors(filter.weights.data(), filter.width, filter.height, 1e-6);
  EXPECT_GT(full.rank, 2);
  EXPECT_LT(full.error, 1e-6);
  EXPECT_EQ(full.singular_values.size(), 9u);
  const auto cut = low_rank_factors(filter.weights.data(), filter.width, filter.height, 1e-6, 2);
  EXPECT_EQ(cut.rank, 2);
  EXPECT_GT(cut.error, full.error);
  const auto coarse = low_rank_factors(filter.weights.data(), filter.width, filter.height, 0.2);
  EXPECT_LT(coarse.rank, full.rank);
  EXPECT_LE(coarse.error, 0.2);  // Σ|w| is 1
}

TEST(Separability, RefusalNamesTheRank) {
  EXPECT_EQ(separable_reason(parse_filter("sobel-magnitude").filter), "");
  EXPECT_EQ(separable_reason(parse_filter("sharpen").filter),
            "This filter has rank 2: only a filter of rank 1, a column times a row, can be done in two passes");
}

}  // namespace
}  // namespace convoscope
