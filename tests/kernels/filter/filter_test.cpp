#include "kernels/contract/data/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <limits>
#include <locale>

#include "kernels/kinds/frames.h"
#include "kernels/kinds/layer.h"
#include "kernels/text/number_text.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string matrix_error(const std::string& text) {
  return error_of([&] { parse_matrix(text); });
}

Filter make(int width, int height) {
  return {.name = "test", .width = width, .height = height, .weights = std::vector<float>(width * height, 1.0f)};
}

TEST(InQuotes, ALongPathShowsItsEndAndCutsNoCharacter) {
  EXPECT_EQ(in_quotes("a short one"), "'a short one'");
  const std::string text = in_quotes("/home/" + std::string(80, 'x') + "/sessions/session.json.broken");
  EXPECT_TRUE(text.starts_with("'/home/")) << text;
  EXPECT_TRUE(text.ends_with("/session.json.broken'")) << text;
  for (int before = 0; before < 4; ++before) {
    std::string long_one(static_cast<std::size_t>(before), 'a');
    for (int i = 0; i < 60; ++i) long_one += "ü";
    const std::string cut = in_quotes(long_one);
    EXPECT_EQ(cut.find("\xBC\xBC"), std::string::npos);
    EXPECT_EQ(std::ranges::count(cut, '\xC3'), std::ranges::count(cut, '\xBC')) << before;
  }
}

TEST(Validate, AcceptsWhatConstantMemoryHolds) {
  EXPECT_NO_THROW(validate(make(1, 1)));
  EXPECT_NO_THROW(validate(make(127, 127)));
  EXPECT_NO_THROW(validate(make(1025, 1)));
  EXPECT_NO_THROW(validate(make(1, 1025)));
  EXPECT_NO_THROW(validate(make(1025, 15)));
}

TEST(Validate, NamesTheOffendingValue) {
  const auto error = [](Filter filter) { return error_of([&] { validate(filter); }); };
  EXPECT_THAT(error(make(4, 3)), AllOf(HasSubstr("width is 4"), HasSubstr("odd")));
  EXPECT_THAT(error(make(3, 6)), AllOf(HasSubstr("height is 6"), HasSubstr("odd")));
  EXPECT_THAT(error({.width = 0, .height = 1}), HasSubstr("width is 0"));
  EXPECT_THAT(error({.width = 3, .height = -3}), HasSubstr("height is -3"));
  EXPECT_THAT(error(make(129, 127)), AllOf(HasSubstr("129 × 127"), HasSubstr("16,383"), HasSubstr("16,129")));
  EXPECT_THAT(error(make(1027, 1)), AllOf(HasSubstr("1027"), HasSubstr("1025")));
  EXPECT_THAT(error({.width = 2147483647, .height = 2147483647}), HasSubstr("2147483647"));

  Filter filter = make(3, 3);
  filter.weights.pop_back();
  EXPECT_THAT(error(filter), AllOf(HasSubstr("8 weights"), HasSubstr("3 × 3"), HasSubstr("9")));
  filter = make(3, 3);
  filter.weights[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error(filter), AllOf(HasSubstr("row 2, column 3"), HasSubstr("NaN")));
  filter.weights[5] = -std::numeric_limits<float>::infinity();
  EXPECT_THAT(error(filter), HasSubstr("infinite"));
  filter = make(3, 3);
  filter.gain = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error(filter), AllOf(HasSubstr("gain"), HasSubstr("NaN")));
  filter = make(3, 3);
  filter.bias = std::numeric_limits<float>::infinity();
  EXPECT_THAT(error(filter), AllOf(HasSubstr("bias"), HasSubstr("infinite")));
}

TEST(Validate, MagnitudeCountsBothFilters) {
  Filter filter = make(89, 89);
  filter.weights_y = filter.weights;
  EXPECT_NO_THROW(validate(filter));
  filter = make(91, 91);
  filter.weights_y = filter.weights;
  EXPECT_THAT(error_of([&] { validate(filter); }), AllOf(HasSubstr("91 × 91"), HasSubstr("16,562")));
  filter = make(3, 3);
  filter.weights_y = {1, 2};
  EXPECT_THAT(error_of([&] { validate(filter); }), HasSubstr("2 weights_y"));
}

TEST(Matrix, ReadsRowsBySemicolonsOrLines) {
  const std::vector<float> sharpen{0, -1, 0, -1, 5, -1, 0, -1, 0};
  for (const char* text :
       {"0 -1 0; -1 5 -1; 0 -1 0", "0 -1 0\n-1 5 -1\n0 -1 0\n", "0,-1,0;-1,5,-1;0,-1,0;",
        "0, -1, 0\r\n-1, 5, -1\r\n0, -1, 0", "0\t-1\t0\n-1\t5\t-1\n0\t-1\t0", "[[0, -1, 0], [-1, 5, -1], [0, -1, 0]]",
        "{{0,-1,0},\n {-1,5,-1},\n {0,-1,0}}", "\n\n  0  -1  0 ;\n ; -1 5 -1;0 -1 0 ;; "}) {
    const Filter filter = parse_matrix(text);
    EXPECT_EQ(filter.width, 3) << text;
    EXPECT_EQ(filter.height, 3) << text;
    EXPECT_EQ(filter.weights, sharpen) << text;
    EXPECT_EQ(filter.name, "custom");
  }
}

TEST(Matrix, ReadsEveryWayToWriteANumber) {
  EXPECT_THAT(parse_matrix("1 +2 -.5 1e-1 2.5E2").weights, ElementsAre(1, 2, -0.5f, 0.1f, 250));
  EXPECT_THAT(parse_matrix("1/16 -2/16 4/8").weights, ElementsAre(0.0625f, -0.125f, 0.5f));
}

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

// C++ streams get a decimal comma everywhere, the C functions where the machine has such a locale.
TEST(Matrix, DoesNotDependOnTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8")) std::setlocale(LC_ALL, "fr_FR.UTF-8");
  EXPECT_THAT(parse_matrix("0.5 1.5 2.5").weights, ElementsAre(0.5f, 1.5f, 2.5f));
  EXPECT_EQ(matrix_text(parse_matrix("0.5 1.5 2.5")), "0.5 1.5 2.5");
  std::locale::global(before);
  std::setlocale(LC_ALL, "C");
}

TEST(Matrix, ACommaIsTheDecimalPointWhereTabsOrSemicolonsPartTheColumns) {
  const std::vector<float> blur{0.5f, 1, 0.5f, 1, -2.25f, 1, 0.5f, 1, 0.5f};
  for (const char* text : {"0,5\t1\t0,5\n1\t-2,25\t1\n0,5\t1\t0,5\n", "0,5\t1,0\t0,5\r\n1\t-2,25\t1\r\n0,5\t1\t0,5\r\n",
                           "0,5;1;0,5\n1;-2,25;1\n0,5;1;0,5", "0,5; 1; 0,5;\r\n1; -2,25; 1;\r\n0,5; 1; 5e-1;\r\n"}) {
    const Filter filter = parse_matrix(text);
    EXPECT_EQ(filter.width, 3) << text;
    EXPECT_EQ(filter.height, 3) << text;
    EXPECT_EQ(filter.weights, blur) << text;
  }
  EXPECT_THAT(parse_matrix("0,25\t0,5\t0,25").weights, ElementsAre(0.25f, 0.5f, 0.25f));
}

TEST(Matrix, ElsewhereCommasPartNumbers) {
  for (const char* text : {"1,2,3", "1,\t2,\t3", "1, 2, 3", "1,2 3", "[1,2\t3]", "1,2,\t3"})
    EXPECT_THAT(parse_matrix(text).weights, ElementsAre(1, 2, 3)) << text;
  EXPECT_EQ(parse_matrix("1,2,3;4,5,6;7,8,9").height, 3);
  EXPECT_EQ(parse_matrix("1;2;3").height, 3) << "one line has no columns by semicolons";
  EXPECT_EQ(parse_matrix("1,2,3;\n4,5,6;\n7,8,9;\n").width, 3);
}

TEST(Matrix, AnErrorTellsOfCommasThatMayBeItsReason) {
  EXPECT_THAT(matrix_error("0,1 0,2 0,1"),
              AllOf(HasSubstr("width is 6, which is even"), HasSubstr("commas"), HasSubstr("tabs")));
  EXPECT_THAT(matrix_error("0,5;1;0,5"), HasSubstr("commas were read"));
  for (const char* text : {"1 2; 3 4", "1,2,3,4", "1, 2; 3, 4", "1,,3"})
    EXPECT_THAT(matrix_error(text), testing::Not(HasSubstr("commas were read"))) << text;
}

TEST(Matrix, ErrorsNameWhatIsWrong) {
  EXPECT_THAT(matrix_error(""), HasSubstr("empty"));
  EXPECT_THAT(matrix_error(" ;\n ; "), HasSubstr("empty"));
  EXPECT_THAT(matrix_error("1 2 3; 4 5; 6 7 8"),
              AllOf(HasSubstr("Row 2"), HasSubstr("2 numbers"), HasSubstr("row 1 has 3")));
  EXPECT_THAT(matrix_error("1 2; 3 4"), AllOf(HasSubstr("width is 2"), HasSubstr("odd")));
  EXPECT_THAT(matrix_error("1 2 3; 4 5 6"), AllOf(HasSubstr("height is 2"), HasSubstr("odd")));
  EXPECT_THAT(matrix_error("1 x 3"), AllOf(HasSubstr("Row 1"), HasSubstr("'x' is not a number")));
  EXPECT_THAT(matrix_error("1 2; 3 4x"), HasSubstr("'4x' is not a number"));
  EXPECT_THAT(matrix_error("1 nan 3"), AllOf(HasSubstr("'nan'"), HasSubstr("NaN")));
  EXPECT_THAT(matrix_error("1 -inf 3"), AllOf(HasSubstr("'-inf'"), HasSubstr("infinite")));
  EXPECT_THAT(matrix_error("1 1e999 3"), HasSubstr("'1e999'"));
  EXPECT_THAT(matrix_error("1 1e39 3"), AllOf(HasSubstr("'1e39'"), HasSubstr("float32")));
  EXPECT_THAT(matrix_error("1 1/0 3"), HasSubstr("divides by zero"));
  EXPECT_THAT(matrix_error("1 2/ 3"), HasSubstr("'2/'"));
  EXPECT_THAT(matrix_error("1,,3"), HasSubstr("two commas"));
  std::string wide;
  for (int i = 0; i < 20000; ++i) wide += "1 ";
  EXPECT_THAT(matrix_error(wide), HasSubstr("more than 16,129"));
  std::string tall;
  for (int i = 0; i < 20001; ++i) tall += "1;";
  EXPECT_THAT(matrix_error(tall), HasSubstr("more than 16,129"));
  EXPECT_LT(matrix_error(std::string(100000, 'x')).size(), 400u) << "a sentence, however long the text";
}

TEST(Matrix, TextReadsBack) {
  const Filter filter = parse_matrix("0.1 -1/3 3e-20; 1 2 3; 16777217 5 6");
  EXPECT_EQ(parse_matrix(matrix_text(filter)).weights, filter.weights);
  EXPECT_EQ(matrix_text(parse_matrix("0 -1 0; -1 5 -1; 0 -1 0")), "0 -1 0; -1 5 -1; 0 -1 0");
}

TEST(Name, SaysTheSizeOnce) {
  EXPECT_EQ(name_and_size(random_filter(3, 3)), "random 3 × 3");
  EXPECT_EQ(name_and_size(random_filter(3, 5, 7)), "random 3 × 5 × 7");
  EXPECT_EQ(name_and_size(random_bank(2, 3, 5)), "random 5 × 5");
  EXPECT_EQ(name_and_size(parse_matrix("1 2 1")), "custom 3 × 1");
}

TEST(Edit, TransposeFlipRotate) {
  const Filter filter = parse_matrix("1 2 3 4 5; 6 7 8 9 10; 11 12 13 14 15");
  Filter f = filter;
  transpose(f);
  EXPECT_EQ(matrix_text(f), "1 6 11; 2 7 12; 3 8 13; 4 9 14; 5 10 15");
  f = filter;
  flip_horizontal(f);
  EXPECT_EQ(matrix_text(f), "5 4 3 2 1; 10 9 8 7 6; 15 14 13 12 11");
  f = filter;
  flip_vertical(f);
  EXPECT_EQ(matrix_text(f), "11 12 13 14 15; 6 7 8 9 10; 1 2 3 4 5");
  f = filter;
  rotate_clockwise(f);
  EXPECT_EQ(f.width, 3);
  EXPECT_EQ(f.height, 5);
  EXPECT_EQ(matrix_text(f), "11 6 1; 12 7 2; 13 8 3; 14 9 4; 15 10 5");
  for (int i = 0; i < 3; ++i) rotate_clockwise(f);
  EXPECT_EQ(f, filter);
}

TEST(Edit, AppliesToBothFiltersOfAMagnitude) {
  Filter f = parse_matrix("1 2 3");
  f.weights_y = {4, 5, 6};
  rotate_clockwise(f);
  EXPECT_THAT(f.weights_y, ElementsAre(4, 5, 6));
  flip_vertical(f);
  EXPECT_THAT(f.weights, ElementsAre(3, 2, 1));
  EXPECT_THAT(f.weights_y, ElementsAre(6, 5, 4));
  EXPECT_NO_THROW(validate(f));
}

TEST(Edit, NormaliseDividesByTheSum) {
  Filter f = parse_matrix("1 2 1");
  normalise(f);
  EXPECT_THAT(f.weights, ElementsAre(0.25f, 0.5f, 0.25f));
  f = parse_matrix("-1 0 1");
  normalise(f);
  EXPECT_THAT(f.weights, ElementsAre(-0.5f, 0, 0.5f));
  f = parse_matrix("0.1 0.2 -0.3");  // sums to rounding only
  normalise(f);
  EXPECT_NEAR(f.weights[2], -0.5f, 1e-6);
  f = parse_matrix("0 0 0");
  normalise(f);
  EXPECT_THAT(f.weights, ElementsAre(0, 0, 0));
}

TEST(Mean, HasNoWeightBelowZeroAndASumOfOne) {
  EXPECT_TRUE(is_mean(parse_matrix("0 0 0; 0 1 0; 0 0 0")));
  EXPECT_TRUE(is_mean(parse_matrix("0.25 0.5 0.25")));
  Filter f = parse_matrix("1 2 1");
  EXPECT_FALSE(is_mean(f));
  f.gain = 0.25f;
  EXPECT_TRUE(is_mean(f));
  f.bias = 0.01f;
  EXPECT_FALSE(is_mean(f)) << "more than a mean";
  f.bias = 0;
  f.absolute = true;
  EXPECT_FALSE(is_mean(f));
  EXPECT_FALSE(is_mean(parse_matrix("-0.5 2 -0.5"))) << "results may lie outside of what there was";
  EXPECT_FALSE(is_mean(parse_matrix("0.3333 0.3333 0.3333"))) << "darker";
  f = parse_matrix("0.5 0 0.5");
  EXPECT_TRUE(is_mean(f));
  f.weights_y = f.weights;
  EXPECT_FALSE(is_mean(f));
}

TEST(NumberText, ThousandsAreToldApart) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(with_commas("12345.678"), "12,345.678");
  EXPECT_EQ(with_commas("1e+09"), "1e+09");
  EXPECT_EQ(counted(2880000, "sample"), "2,880,000 samples");
}

TEST(Edit, ResizeKeepsTheCentre) {
  Filter f = parse_matrix("1 2 3; 4 5 6; 7 8 9");
  resize(f, 5, 3);
  EXPECT_EQ(matrix_text(f), "0 1 2 3 0; 0 4 5 6 0; 0 7 8 9 0");
  resize(f, 1, 1);
  EXPECT_EQ(matrix_text(f), "5");
  EXPECT_THAT(error_of([&] { resize(f, 2, 3); }), HasSubstr("width is 2"));
  EXPECT_THAT(error_of([&] { resize(f, 129, 129); }), HasSubstr("16,641"));
  EXPECT_EQ(f.width, 1) << "an error changes nothing";
}

}  // namespace
}  // namespace convoscope
