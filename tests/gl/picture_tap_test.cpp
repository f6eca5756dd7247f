// Pictures in the recorder's layout against FFmpeg's conversion of the same pixels.
#include "app/gl/compositor/picture_tap.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixfmt.h>
#include <libswscale/swscale.h>
}

#include <cmath>
#include <cstdlib>
#include <thread>

#include "tests/gl/canvas.h"

namespace convoscope {
namespace {

class PictureTapTest : public GlTest {
 protected:
  // Smooth colours, hard edges and noise, from the top.
  static std::vector<std::uint8_t> picture(int wide, int high) {
    std::vector<std::uint8_t> rgba;
    unsigned state = 7;
    for (int y = 0; y < high; ++y)
      for (int x = 0; x < wide; ++x) {
        state = state * 1664525 + 1013904223;
        const int noise = static_cast<int>(state >> 24);
        const bool noisy = x > wide / 2, edge = (x / 5 + y / 3) % 2 == 0;
        rgba.push_back(static_cast<std::uint8_t>(noisy ? noise : 255 * x / wide));
        rgba.push_back(static_cast<std::uint8_t>(noisy ? noise ^ 85 : edge ? 255 : 0));
        rgba.push_back(static_cast<std::uint8_t>(255 * y / high));
        rgba.push_back(255);
      }
    return rgba;
  }

  // Draws the picture into the tap's canvas and takes it.
  LentPicture take(const std::vector<std::uint8_t>& rgba, const PicturePlanes& planes, int wide, int high) {
    tap_->start(planes, wide, high);
    gl::Texture texture = gl::make_texture();
    glTextureStorage2D(texture.get(), 1, GL_RGBA8, wide, high);
    for (int y = 0; y < high; ++y)
      glTextureSubImage2D(texture.get(), 0, 0, high - 1 - y, wide, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                          rgba.data() + static_cast<std::size_t>(4 * y * wide));
    gl::Framebuffer from = gl::make_framebuffer();
    glNamedFramebufferTexture(from.get(), GL_COLOR_ATTACHMENT0, texture.get(), 0);
    tap_->copy(from.get(), {0, 0, wide, high});
    EXPECT_TRUE(tap_->take_picture({}));
    LentPicture lent;
    EXPECT_TRUE(tap_->deliver(lent, true));
    return lent;
  }

  std::unique_ptr<PictureTap> tap_;
  void SetUp() override {
    GlTest::SetUp();
    tap_ = PictureTap::make();
  }
  void TearDown() override {
    tap_.reset();
    GlTest::TearDown();
  }
};

// What the FFmpeg command line would make of it, with the best settings of its scaler.
std::vector<std::uint8_t> scaled(const std::vector<std::uint8_t>& rgba, const PicturePlanes& planes, int wide,
                                 int high) {
  std::vector<std::uint8_t> out(planes.bytes), padded(static_cast<std::size_t>(4 * planes.width * planes.height));
  for (int y = 0; y < planes.height; ++y)
    for (int x = 0; x < planes.width; ++x)
      for (int c = 0; c < 4; ++c)
        padded[static_cast<std::size_t>(4 * (y * planes.width + x) + c)] =
            rgba[static_cast<std::size_t>(4 * (std::min(y, high - 1) * wide + std::min(x, wide - 1)) + c)];
  SwsContext* scaler = sws_alloc_context();
  const auto set = [&](const char* name, std::int64_t value) { av_opt_set_int(scaler, name, value, 0); };
  set("srcw", planes.width), set("srch", planes.height), set("src_format", AV_PIX_FMT_RGBA);
  set("dstw", planes.width), set("dsth", planes.height), set("dst_format", AV_PIX_FMT_YUV420P);
  set("sws_flags", SWS_BILINEAR | SWS_FULL_CHR_H_INP | SWS_ACCURATE_RND);
  set("dst_h_chr_pos", 0), set("dst_v_chr_pos", 128);
  EXPECT_GE(sws_init_context(scaler, nullptr, nullptr), 0);
  const int* matrix = sws_getCoefficients(SWS_CS_ITU709);
  sws_setColorspaceDetails(scaler, matrix, 1, matrix, 0, 0, 1 << 16, 1 << 16);
  const std::uint8_t* from[4] = {padded.data()};
  const int from_pitch[4] = {4 * planes.width};
  std::uint8_t* to[4] = {out.data(), out.data() + planes.offset[1], out.data() + planes.offset[2]};
  const int to_pitch[4] = {static_cast<int>(planes.pitch[0]), static_cast<int>(planes.pitch[1]),
                           static_cast<int>(planes.pitch[2])};
  sws_scale(scaler, from, from_pitch, 0, planes.height, to, to_pitch);
  sws_freeContext(scaler);
  return out;
}

TEST_F(PictureTapTest, ConvertsAsTheScalerDoes) {
  for (const auto& [wide, high] : {std::pair{128, 64}, {200, 98}, {127, 63}, {34, 17}, {1, 1}}) {
    const PicturePlanes planes = planes_of(PictureLayout::yuv420, wide, high);
    const auto rgba = picture(wide, high);
    const LentPicture lent = take(rgba, planes, wide, high);
    const auto expected = scaled(rgba, planes, wide, high);
    for (int plane = 0; plane < 3; ++plane) {
      int worst = 0;
      const int across = plane ? planes.width / 2 : planes.width, down = plane ? planes.height / 2 : planes.height;
      for (int y = 0; y < down; ++y)
        for (int x = 0; x < across; ++x) {
          const std::size_t at =
              planes.offset[plane] + static_cast<std::size_t>(y) * planes.pitch[plane] + static_cast<std::size_t>(x);
          worst = std::max(worst, std::abs(lent.bytes[at] - expected[at]));
        }
      EXPECT_LE(worst, 1) << wide << " x " << high << ", plane " << plane;
    }
  }
}

TEST_F(PictureTapTest, WithoutLossEveryPixelIsAsItWas) {
  constexpr int wide = 37, high = 11;
  const PicturePlanes planes = planes_of(PictureLayout::bgr0, wide, high);
  const auto rgba = picture(wide, high);
  const LentPicture lent = take(rgba, planes, wide, high);
  for (std::size_t y = 0; y < high; ++y)
    for (std::size_t x = 0; x < wide; ++x)
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_EQ(lent.bytes[y * planes.pitch[0] + 4 * x + c], rgba[4 * (y * wide + x) + 2 - c]);
}

TEST_F(PictureTapTest, RefusesWhileAllBuffersAreLentAndGoesOnAfter) {
  constexpr int buffers = 12;
  tap_->start(planes_of(PictureLayout::yuv420, 64, 32), 64, 32);
  std::vector<LentPicture> lent;
  int refused = 0;
  for (int i = 0; i < buffers + 2; ++i) {
    LentPicture about;
    about.seconds = i;
    if (!tap_->take_picture(about)) ++refused;
    LentPicture picture;
    while (tap_->deliver(picture, true)) {
      *picture.in_use = true;
      lent.push_back(picture);
    }
  }
  EXPECT_EQ(refused, 2);
  ASSERT_EQ(lent.size(), static_cast<std::size_t>(buffers));
  for (int i = 0; i < buffers; ++i) EXPECT_EQ(lent[static_cast<std::size_t>(i)].seconds, i);
  std::thread recorder([&] {
    for (const LentPicture& picture : lent) picture.give_back();
  });
  while (!tap_->take_picture({})) tap_->wait_for_a_loan_to_end();
  recorder.join();
  LentPicture picture;
  EXPECT_TRUE(tap_->deliver(picture, true));
}

TEST_F(PictureTapTest, AnotherSizeIsFittedWithBars) {
  tap_->start(planes_of(PictureLayout::bgr0, 64, 64), 64, 64);
  gl::Texture texture = gl::make_texture();
  glTextureStorage2D(texture.get(), 1, GL_RGBA8, 128, 64);
  const std::uint8_t white[4] = {255, 255, 255, 255};
  glClearTexImage(texture.get(), 0, GL_RGBA, GL_UNSIGNED_BYTE, white);
  gl::Framebuffer from = gl::make_framebuffer();
  glNamedFramebufferTexture(from.get(), GL_COLOR_ATTACHMENT0, texture.get(), 0);
  tap_->copy(from.get(), {0, 0, 128, 64});
  ASSERT_TRUE(tap_->take_picture({}));
  LentPicture lent;
  ASSERT_TRUE(tap_->deliver(lent, true));
  const auto grey = [&](int y) { return lent.bytes[y * 64 * 4 + 32 * 4]; };
  EXPECT_EQ(grey(4), 0);
  EXPECT_EQ(grey(32), 255);
  EXPECT_EQ(grey(60), 0);
}

}  // namespace
}  // namespace convoscope
