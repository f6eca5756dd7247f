#include "app/gl/compositor/difference_meter.h"

#include <cmath>
#include <vector>

#include "tests/gl/canvas.h"

namespace convoscope {
namespace {

using Colour = std::function<Pixel(int, int)>;

int metered_value(int x, int y, int channel) { return (x * 73 + y * 151 + channel * 37 + (x * y) % 89) % 256; }
Pixel metered_noise(int x, int y) { return {metered_value(x, y, 0), metered_value(x, y, 1), metered_value(x, y, 2)}; }
Pixel smooth(int x, int y) { return {(x + y) % 256, (2 * x + 30) % 256, (x / 3 + 2 * y) % 256}; }
Pixel shaken(int x, int y) {
  Pixel p = smooth(x, y);
  for (int& channel : p) channel = std::clamp(channel + metered_value(x, y, 5) % 9 - 4, 0, 255);
  return p;
}

// The definitions, written down plainly in double.
PictureDifference by_definition(int width, int height, const Colour& a, const Colour& b) {
  PictureDifference d;
  d.pixels = static_cast<std::int64_t>(width) * height;
  double squared = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const Pixel p = a(x, y), q = b(x, y);
      d.different += p != q;
      for (int c = 0; c < 3; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const double size = std::abs(p[i] - q[i]);
        d.mean += size;
        squared += size * size;
        if (size > d.largest) d.largest = size, d.at = {x, y}, d.channel = c;
      }
    }
  const double values = static_cast<double>(d.pixels) * 3;
  d.mean /= values;
  d.psnr = 10 * std::log10(255.0 * 255 * values / squared);
  double sum = 0;
  int windows = 0;
  for (int c = 0; c < 3; ++c)
    for (int top = 0; top + 8 <= height; top += 4)
      for (int left = 0; left + 8 <= width; left += 4) {
        double ma = 0, mb = 0, va = 0, vb = 0, ab = 0;
        const auto each = [&](auto&& act) {
          for (int y = top; y < top + 8; ++y)
            for (int x = left; x < left + 8; ++x)
              act(double(a(x, y)[static_cast<std::size_t>(c)]), double(b(x, y)[static_cast<std::size_t>(c)]));
        };
        each([&](double p, double q) { ma += p / 64, mb += q / 64; });
        each([&](double p, double q) {
          va += (p - ma) * (p - ma) / 64, vb += (q - mb) * (q - mb) / 64, ab += (p - ma) * (q - mb) / 64;
        });
        const double c1 = 2.55 * 2.55, c2 = 7.65 * 7.65;
        sum += (2 * ma * mb + c1) * (2 * ab + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
        ++windows;
      }
  d.ssim = sum / windows;
  return d;
}

class DifferenceMeterTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    meter_ = DifferenceMeter::make();
  }
  void TearDown() override {
    meter_.reset();
    GlTest::TearDown();
  }
  PictureDifference measure(const Picture& a, const Picture& b, int most = 1 << 28) {
    PictureDifference found;
    EXPECT_TRUE(meter_->request(a.pane, b.pane, most));
    EXPECT_FALSE(meter_->request(a.pane, b.pane, most)) << "one at a time";
    EXPECT_TRUE(meter_->take_difference(found, true));
    EXPECT_FALSE(meter_->take_difference(found, false));
    return found;
  }
  static void expect_near(const PictureDifference& found, const PictureDifference& expected) {
    EXPECT_EQ(found.pixels, expected.pixels);
    EXPECT_EQ(found.different, expected.different);
    EXPECT_EQ(found.largest, expected.largest);
    EXPECT_EQ(found.at, expected.at);
    EXPECT_EQ(found.channel, expected.channel);
    EXPECT_NEAR(found.mean, expected.mean, 1e-6 * expected.mean);
    EXPECT_NEAR(found.psnr, expected.psnr, 1e-4);
    EXPECT_NEAR(found.ssim, expected.ssim, 2e-4);
  }
  std::unique_ptr<DifferenceMeter> meter_;
};

TEST_F(DifferenceMeterTest, SumsAreThoseOfTheDefinitions) {
  for (const auto& [w, h] : {std::pair{203, 117}, {64, 64}, {60, 61}, {9, 8}})
    for (const auto& [a, b] : {std::pair<Colour, Colour>{smooth, shaken}, {metered_noise, smooth}}) {
      SCOPED_TRACE(std::to_string(w) + " x " + std::to_string(h));
      expect_near(measure(Picture(w, h, a), Picture(w, h, b)), by_definition(w, h, a, b));
    }
}

TEST_F(DifferenceMeterTest, PiecesGiveTheSameAsAllAtOnceOfTheFrameThatWasAskedFor) {
  const Picture a(203, 317, smooth), b(203, 317, shaken);
  PictureDifference found;
  ASSERT_TRUE(meter_->request(a.pane, b.pane, 1000));
  const std::vector<std::uint8_t> other(203 * 317 * 4, 77);
  glTextureSubImage2D(b.pane.name, 0, 0, 0, 203, 317, GL_RGBA, GL_UNSIGNED_BYTE, other.data());  // the next frame
  EXPECT_FALSE(meter_->take_difference(found, false)) << "there are pieces still to come";
  ASSERT_TRUE(meter_->take_difference(found, true));
  expect_near(found, by_definition(203, 317, smooth, shaken));
}

TEST_F(DifferenceMeterTest, IdenticalAndTinyPictures) {
  const PictureDifference same = measure(Picture(100, 50, metered_noise), Picture(100, 50, metered_noise));
  EXPECT_EQ(same.different, 0);
  EXPECT_EQ(same.largest, 0);
  EXPECT_TRUE(std::isinf(same.psnr));
  EXPECT_NEAR(same.ssim, 1, 1e-6);
  const PictureDifference tiny = measure(Picture(7, 3, {1, 2, 3}), Picture(7, 3, {1, 2, 5}));
  EXPECT_EQ(tiny.different, 21);
  EXPECT_EQ(tiny.largest, 2);
  EXPECT_EQ(tiny.channel, 2);
  EXPECT_EQ(tiny.at, PixelAddress{});
  EXPECT_TRUE(std::isnan(tiny.ssim));
  const Picture small(8, 8, metered_noise), large(9, 8, metered_noise);
  EXPECT_FALSE(meter_->request(small.pane, large.pane, 1 << 28)) << "of different sizes";
}

TEST_F(DifferenceMeterTest, GreyFloatsAreMeasuredAgainstWhiteAtOne) {
  constexpr int w = 32, h = 24;
  gl::Texture textures[2];
  PaneTexture panes[2];
  for (int t = 0; t < 2; ++t) {
    std::vector<float> values(w * h, 0.25f);
    if (t == 1) values[5 * w + 7] = 1.25f;
    textures[t] = gl::make_texture();
    glTextureStorage2D(textures[t].get(), 1, GL_R32F, w, h);
    glTextureSubImage2D(textures[t].get(), 0, 0, 0, w, h, GL_RED, GL_FLOAT, values.data());
    panes[t] = {textures[t].get(), w, h, PixelFormat::gray32f};
  }
  PictureDifference found;
  ASSERT_TRUE(meter_->request(panes[0], panes[1], 1 << 28));
  ASSERT_TRUE(meter_->take_difference(found, true));
  EXPECT_EQ(found.largest, 1);
  EXPECT_EQ(found.at, (PixelAddress{7, 5}));
  EXPECT_EQ(found.different, 1);
  EXPECT_NEAR(found.mean, 1.0 / (w * h), 1e-9);
  EXPECT_NEAR(found.psnr, 10 * std::log10(w * h), 1e-6);
}

}  // namespace
}  // namespace convoscope
