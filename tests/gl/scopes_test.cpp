#include "app/gl/compositor/scopes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/gl/canvas.h"

namespace convoscope {
namespace {

class ScopesTest : public GlTest {
 protected:
  Scopes::Counts count(const PaneTexture& pane, int most = 1 << 30, bool maps = false) {
    Scopes::Counts counts;
    EXPECT_TRUE(scopes_->request(pane, 7, most, maps));
    EXPECT_FALSE(scopes_->request(pane, 8, most)) << "one at a time";
    EXPECT_TRUE(scopes_->take_counts(counts, true));
    EXPECT_FALSE(scopes_->take_counts(counts, false));
    EXPECT_EQ(counts.tag, 7);
    return counts;
  }
  void SetUp() override {
    GlTest::SetUp();
    scopes_ = Scopes::make();
  }
  void TearDown() override {
    scopes_.reset();
    GlTest::TearDown();
  }
  std::unique_ptr<Scopes> scopes_;
};

int luma(const Pixel& p) { return (2126 * p[0] + 7152 * p[1] + 722 * p[2] + 5000) / 10000; }

TEST_F(ScopesTest, CountsAreExact) {
  const auto colour = [](int x, int y) { return Pixel{(x * 7 + y) % 256, (x + y * 13) % 256, (x * y) % 256}; };
  const Picture picture(203, 117, colour);
  std::vector<std::uint32_t> expected[4], chroma(Scopes::chroma_bins * Scopes::chroma_bins);
  for (auto& bins : expected) bins.assign(256, 0);
  for (int y = 0; y < 117; ++y)
    for (int x = 0; x < 203; ++x) {
      const Pixel p = colour(x, y);
      for (int c = 0; c < 3; ++c) ++expected[c][static_cast<std::size_t>(p[static_cast<std::size_t>(c)])];
      ++expected[3][static_cast<std::size_t>(luma(p))];
      const double l = 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
      const auto bin = [](double v) {
        return static_cast<std::size_t>(std::clamp(std::floor((v + 128) / 2 + 1e-9), 0.0, 127.0));
      };
      ++chroma[bin((p[0] - l) / 1.5748) * Scopes::chroma_bins + bin((p[2] - l) / 1.8556)];
    }
  for (int round = 0; round < 2; ++round) {  // the second time from zero again
    const Scopes::Counts counts = count(picture.pane);
    EXPECT_EQ(counts.step, 1);
    for (int c = 0; c < 4; ++c) EXPECT_EQ(counts.histogram[c], expected[c]) << "channel " << c;
    EXPECT_EQ(counts.vectorscope, chroma);
  }
}

TEST_F(ScopesTest, PureColoursLieWhereTheyBelong) {
  const Scopes::Counts red = count(Picture(64, 64, {255, 0, 0}).pane);
  EXPECT_EQ(red.histogram[0][255], 64u * 64);
  EXPECT_EQ(red.histogram[1][0], 64u * 64);
  EXPECT_EQ(red.histogram[3][54], 64u * 64);
  const auto place = std::ranges::find(red.vectorscope, 64u * 64) - red.vectorscope.begin();
  EXPECT_GE(place / Scopes::chroma_bins, 126);  // Cr at its most
  EXPECT_LT(place % Scopes::chroma_bins, 64);   // Cb below the middle
}

// As map_colour() paints them: of −1, −0.25, 0 and 1, and the hatching of a cell that no map is left for.
TEST_F(ScopesTest, OfFeatureMapsTheirValuesAreCounted) {
  const Pixel colours[] = {{64, 150, 255}, {32, 75, 128}, {0, 0, 0}, {255, 158, 48}, {56, 56, 56}};
  const std::size_t bins[] = {0, 95, 128, 255};
  const Picture picture(50, 4, [&](int x, int) { return colours[x / 10]; });
  const Scopes::Counts counts = count(picture.pane, 1 << 30, true);
  for (const std::size_t bin : bins) EXPECT_EQ(counts.histogram[3][bin], 40u) << bin;
  EXPECT_EQ(std::accumulate(counts.histogram[3].begin(), counts.histogram[3].end(), 0u), 160u);
}

TEST_F(ScopesTest, LargePicturesAreCountedBySteps) {
  const Scopes::Counts counts = count(Picture(400, 300, {10, 20, 30}).pane, 10000);
  EXPECT_EQ(counts.step, 4);
  EXPECT_EQ(counts.histogram[2][30], 100u * 75);
}

}  // namespace
}  // namespace convoscope
