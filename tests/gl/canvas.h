#pragma once
// A picture to draw into without a display, and what came out.
#include <glad/gl.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "app/gl/compositor/compositor.h"
#include "app/gl/gl_objects.h"
#include "app/gl/window/context.h"

namespace convoscope {

using Pixel = std::array<int, 3>;

// Pixels counted from the top left.
struct Shot {
  ReadBack::Pixels pixels;
  Pixel at(int x, int y) const {
    const unsigned char* p = &pixels.rgba[(static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) +
                                           static_cast<std::size_t>(x)) *
                                          4];
    return {p[0], p[1], p[2]};
  }
};

// A texture of one pane, its pixels given by a function of column and row (from the top).
class Picture {
 public:
  Picture(int width, int height, const std::function<Pixel(int, int)>& colour, int alpha = 0)
      : texture_(gl::make_texture()) {
    std::vector<std::uint8_t> bytes;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        for (const int channel : colour(x, y)) bytes.push_back(static_cast<std::uint8_t>(channel));
        bytes.push_back(static_cast<std::uint8_t>(alpha));  // carried, and shown only where asked for
      }
    glTextureStorage2D(texture_.get(), 1, GL_RGBA8, width, height);
    glTextureSubImage2D(texture_.get(), 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
    pane = {texture_.get(), width, height, PixelFormat::rgba8};
  }
  Picture(int width, int height, const Pixel& colour) : Picture(width, height, [&](int, int) { return colour; }) {}
  PaneTexture pane;

 private:
  gl::Texture texture_;
};

// Each test gets a context of its own and fails when OpenGL reported an error.
class GlTest : public testing::Test {
 protected:
  static constexpr int width = 320, height = 200;

  void SetUp() override {
    context_ = make_offscreen({.width = width, .height = height});
    context_->begin_ui_frame();
  }
  void TearDown() override {
    if (context_) {
      EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }
  }

  Shot shoot() const {
    Shot shot;
    const auto read_back = ReadBack::make(context_->width(), context_->height());
    EXPECT_TRUE(read_back->request(context_->framebuffer(), 0));
    EXPECT_TRUE(read_back->take_pixels(shot.pixels, true));
    return shot;
  }

  std::unique_ptr<Context> context_;
};

}  // namespace convoscope
