// The kernels that are written for a filter, compiled by the host's compiler and run thread by thread, against the
// reference.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/jit/row_sums.h"
#include "kernels/kinds/reference.h"
#include "tests/jit/host_kernel.h"

namespace convoscope {
namespace {

// Filters a random picture and compares; `padding`: pixels at the end of each row, which must stay as they are.
void check(const SpecialisedKernel& kernel, HostKernel::Run run, const Problem& p, int padding) {
  const int pitch_pixels = p.width + padding;
  std::mt19937 random(static_cast<unsigned>(p.width * 131 + p.height));
  std::vector<std::uint32_t> in(static_cast<std::size_t>(pitch_pixels) * p.height + 4), out(in.size(), 0xDEADBEEFu);
  for (std::uint32_t& pixel : in) {
    pixel = random();
    const float value = std::uniform_real_distribution<float>(0, 1)(random);
    if (p.format == PixelFormat::gray32f) std::memcpy(&pixel, &value, 4);
  }
  const auto image = [&](std::vector<std::uint32_t>& data) {
    return Image{data.data(), p.width, p.height, 4ull * pitch_pixels, p.format};
  };
  const std::vector<int> columns = border_table(p.width, p.filter.rx(), p.border),
                         rows = border_table(p.height, p.filter.ry(), p.border);
  const auto aligned = [&](const std::vector<std::uint32_t>& data) {
    return reinterpret_cast<std::uintptr_t>(data.data()) % 16 == 0 && pitch_pixels % 4 == 0;
  };
  const auto blocks = [](int n, int each) { return static_cast<unsigned>((n + each - 1) / each); };
  run({in.data(), 4ull * pitch_pixels, columns.data() + p.filter.rx(), rows.data() + p.filter.ry(), p.width, p.height,
       aligned(in)},
      {out.data(), 4ull * pitch_pixels, aligned(out)},
      {p.filter.gain, p.filter.bias * white_level(p.format), p.filter.absolute}, blocks(p.width, 32 * kernel.columns),
      blocks(p.height, 4 * kernel.rows), nullptr);
  const Difference difference = compare(p, reference(p, image(in)), image(in), image(out));
  EXPECT_LE(difference.max_error, float32_sum_bound(p, p.filter.width * p.filter.height + 6))
      << p.width << " × " << p.height << " + " << padding << ", border " << to_string(p.border) << ", at "
      << difference.x << ", " << difference.y << " channel " << difference.channel << ": " << difference.actual
      << " for " << difference.expected;
  for (int y = 0; y < p.height; ++y)
    for (int x = p.width; x < pitch_pixels; ++x)
      ASSERT_EQ(out[static_cast<std::size_t>(y) * pitch_pixels + x], 0xDEADBEEFu) << "padding is not written";
}

struct SourceCase {
  const char* filter;
  PixelFormat format;
  int columns;
};
class SpecialisedSourceOf : public testing::TestWithParam<SourceCase> {};

TEST_P(SpecialisedSourceOf, IsTheFilter) {
  const SourceCase& c = GetParam();
  const Filter filter = parse_filter(c.filter).filter;
  ASSERT_EQ(specialised_reason(filter, c.format, c.columns), "");
  const SpecialisedKernel kernel = specialised_source(filter, c.format, 8, c.columns);
  const HostKernel host(kernel);
  ASSERT_NE(host.run, nullptr);
  struct Size {
    int width, height;
  };
  for (const Size size : {Size{1, 1}, Size{1, 23}, Size{29, 1}, Size{3, 2}, Size{64, 9}, Size{131, 37}, Size{160, 70}})
    for (const Border border : all_borders)
      for (const int padding : {0, 3})
        check(kernel, host.run, {size.width, size.height, c.format, border, filter}, padding);
}

INSTANTIATE_TEST_SUITE_P(
    Filters, SpecialisedSourceOf,
    testing::Values(SourceCase{"gaussian:radius=1", PixelFormat::rgba8, 0},
                    SourceCase{"gaussian:radius=1", PixelFormat::gray32f, 0},
                    SourceCase{"gaussian:radius=3", PixelFormat::gray32f, 0},
                    SourceCase{"gaussian:radius=6", PixelFormat::gray32f, 4},
                    SourceCase{"gaussian:radius=5", PixelFormat::rgba8, 2}, SourceCase{"emboss", PixelFormat::rgba8, 0},
                    SourceCase{"disk:radius=4", PixelFormat::rgba8, 1},
                    SourceCase{"motion:length=17,angle=30", PixelFormat::gray32f, 0},
                    SourceCase{"sobel-magnitude", PixelFormat::rgba8, 0},
                    SourceCase{"sobel-magnitude", PixelFormat::gray32f, 0},
                    SourceCase{"1 2 3 4 5 6 7; -1 0 0 2 0 0 1; 0 0 0 0 0 0 0", PixelFormat::gray32f, 0},
                    SourceCase{"0 0 0; 0 0 1; 0 0 0", PixelFormat::rgba8, 0}));

TEST(RowGroups, ASeparableFilterIsOneGroupOfMirroredTerms) {
  const Filter filter = parse_filter("gaussian:radius=4").filter;
  const auto groups = row_groups(filter.weights, filter.width, filter.height);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].members.size(), 9u);
  EXPECT_EQ(groups[0].terms.size(), 5u);
  EXPECT_EQ(operations(groups), 9 + 9) << "four pairs and the centre, then nine rows: 18 instead of 81";
}

TEST(RowGroups, ZerosAreLeftOutAndSignsAreSeen) {
  const Filter sobel = parse_filter("-1 0 1; -2 0 2; -1 0 1").filter;
  const auto groups = row_groups(sobel.weights, 3, 3);
  int differences = 0;
  for (const RowGroup& group : groups)
    for (const RowTerm& term : group.terms) differences += term.kind == RowTerm::Kind::difference;
  EXPECT_EQ(differences, static_cast<int>(groups.size()));
  EXPECT_LE(operations(groups), 6);
  EXPECT_TRUE(row_groups(std::vector<float>(9, 0.0f), 3, 3).empty());
}

TEST(RowGroups, RowsThatOnlyResembleEachOtherStayApart) {
  const std::vector<float> weights{1, 2, 3, 1, 2, 3.001f, 2, 4, 6};
  const auto groups = row_groups(weights, 3, 3);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].members.size(), 2u);
  EXPECT_EQ(groups[0].members[1].scale, 2);
}

TEST(SpecialisedReason, NamesTheNumbers) {
  const Filter large = parse_filter("box:radius=60").filter;
  EXPECT_NE(specialised_reason(large, PixelFormat::rgba8, 0).find("363"), std::string::npos);
  Filter random = parse_filter("box:radius=16").filter;
  std::mt19937 numbers(1);
  for (float& weight : random.weights) weight = std::uniform_real_distribution<float>(-1, 1)(numbers);
  EXPECT_EQ(specialised_reason(random, PixelFormat::gray32f, 1), "");
  EXPECT_NE(specialised_reason(parse_filter("disk:radius=16").filter, PixelFormat::rgba8, 4), "");
}

}  // namespace
}  // namespace convoscope
