#include "kernels/contract/data/border.h"

#include <gtest/gtest.h>

#include <vector>

namespace convoscope {
namespace {

std::vector<int> around(int n, int reach, Border border) {
  std::vector<int> indices;
  for (int i = -reach; i < n + reach; ++i) indices.push_back(border_index(i, n, border));
  return indices;
}

TEST(Border, ContinuesARowAsDrawnInTheHeader) {
  EXPECT_EQ(around(5, 2, Border::zero), (std::vector{-1, -1, 0, 1, 2, 3, 4, -1, -1}));
  EXPECT_EQ(around(5, 2, Border::replicate), (std::vector{0, 0, 0, 1, 2, 3, 4, 4, 4}));
  EXPECT_EQ(around(5, 2, Border::mirror), (std::vector{2, 1, 0, 1, 2, 3, 4, 3, 2}));
  EXPECT_EQ(around(5, 2, Border::wrap), (std::vector{3, 4, 0, 1, 2, 3, 4, 0, 1}));
}

TEST(Border, MapsAnyIndexIntoTheImage) {
  for (const int n : {1, 2, 3, 7})
    for (int i = -1000; i <= 1000; ++i)
      for (const Border border : {Border::replicate, Border::mirror, Border::wrap}) {
        const int index = border_index(i, n, border);
        ASSERT_TRUE(index >= 0 && index < n) << to_string(border) << " " << i << " of " << n;
      }
}

TEST(Border, IsPeriodic) {
  for (const int n : {2, 3, 7})
    for (int i = -50; i < 50; ++i) {
      EXPECT_EQ(border_index(i, n, Border::wrap), border_index(i + n, n, Border::wrap));
      EXPECT_EQ(border_index(i, n, Border::mirror), border_index(i + 2 * (n - 1), n, Border::mirror));
      EXPECT_EQ(border_index(i, n, Border::mirror), border_index(-i, n, Border::mirror));
    }
}

TEST(Border, OnePixelIsItsOwnNeighbour) {
  for (const Border border : {Border::replicate, Border::mirror, Border::wrap})
    for (const int i : {-5, -1, 0, 1, 5}) EXPECT_EQ(border_index(i, 1, border), 0);
  EXPECT_EQ(border_index(1, 1, Border::zero), -1);
}

TEST(Border, HasNames) {
  EXPECT_EQ(to_string(Border::zero), "zero");
  EXPECT_EQ(to_string(Border::replicate), "replicate");
  EXPECT_EQ(to_string(Border::mirror), "mirror");
  EXPECT_EQ(to_string(Border::wrap), "wrap");
}

}  // namespace
}  // namespace convoscope
