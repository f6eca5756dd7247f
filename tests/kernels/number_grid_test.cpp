// Small data as people write them.
#include "kernels/text/number_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

TEST(NumberGrid, IsNumbersInRowsAndRowsInPlanes) {
  EXPECT_EQ(parse_number_grid("8 2 5 4 1 7 3", "The input"), (NumberGrid{1, 1, 7, {8, 2, 5, 4, 1, 7, 3}}));
  EXPECT_EQ(parse_number_grid("1, 2;3 ,4", "The input"), (NumberGrid{1, 2, 2, {1, 2, 3, 4}}));
  EXPECT_EQ(parse_number_grid("1 2;3 4;;5 6;7 8", "The input"), (NumberGrid{2, 2, 2, {1, 2, 3, 4, 5, 6, 7, 8}}));
  EXPECT_EQ(parse_number_grid("\n1\t2\r\n3 4\n \n\n5 6\n7 8\n", "The input"),
            (NumberGrid{2, 2, 2, {1, 2, 3, 4, 5, 6, 7, 8}}));
  EXPECT_EQ(parse_number_grid("-1.5 1/4 1e3", "The input"), (NumberGrid{1, 1, 3, {-1.5f, 0.25f, 1000}}));
}

TEST(NumberGrid, SaysWhereItDoesNotFit) {
  const auto error = [](const char* text) { return error_of([&] { parse_number_grid(text, "The input"); }); };
  EXPECT_THAT(error("1 2 3; 4 5"), HasSubstr("The input has 2 numbers in row 2 and 3 in those before it"));
  EXPECT_THAT(error("1 2; 3 4;; 5 6"), HasSubstr("1 row in plane 2 and 2 in those before it"));
  EXPECT_THAT(error("1 2;; 3"), HasSubstr("1 numbers in row 1 of plane 2"));
  EXPECT_THAT(error("1 two 3"), HasSubstr("'two'"));
  EXPECT_THAT(error(" ; "), HasSubstr("has no numbers"));
  EXPECT_THAT(error("1e39"), HasSubstr("float32"));
}

TEST(NumberGrid, IsToldFromTheNameOfAFile) {
  for (const char* text : {"1 2 3", "-1", "1e-3,2", "1/16 1/8", "1;\n2"}) EXPECT_TRUE(looks_like_numbers(text)) << text;
  for (const char* text : {"", "x.csv", "numbers.npy", "/1/2", "gaussian:radius=2", "e", "."})
    EXPECT_FALSE(looks_like_numbers(text)) << text;
}

TEST(NumberGrid, IsPrintedAsItIsRead) {
  EXPECT_EQ(grid_text({1, 2, 3, {1, -20, 3, 4, 5, 600}}), "  1 -20   3\n  4   5 600\n");
  EXPECT_EQ(grid_text({2, 1, 2, {1, 0.25f, 3, 4}}), "   1 0.25\n\n   3    4\n");
  const NumberGrid grid{2, 2, 2, {1, 2, 3.5f, 4, -5, 6, 7, 8e9f}};
  EXPECT_EQ(parse_number_grid(grid_text(grid, 9), "What was printed"), grid);
}

}  // namespace
}  // namespace convoscope
