#pragma once
// A compositor on a small canvas, and pictures to give it.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/gl/canvas.h"

namespace convoscope {

inline constexpr Pixel red{200, 10, 20}, green{10, 180, 30}, blue{20, 30, 220}, background{15, 17, 19};

inline int hash(int x, int y, int channel) { return (x * 73 + y * 151 + channel * 37 + (x * y) % 89) % 256; }
inline Pixel noise(int x, int y) { return {hash(x, y, 0), hash(x, y, 1), hash(x, y, 2)}; }

MATCHER_P2(IsNear, colour, tolerance, "") {
  for (std::size_t i = 0; i < 3; ++i)
    if (std::abs(arg[i] - colour[i]) > tolerance) return false;
  return true;
}

class CompositorTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    compositor_ = Compositor::make();
    composition_.area = {0, 0, width, height};
    for (std::size_t i = 0; i < 3; ++i) composition_.background[i] = static_cast<float>(background[i]) / 255;
  }
  void TearDown() override {
    compositor_.reset();
    GlTest::TearDown();
  }
  Shot draw(std::vector<PaneTexture> panes) {
    compositor_->draw(panes, composition_);
    return shoot();
  }
  std::unique_ptr<Compositor> compositor_;
  Composition composition_;
};

}  // namespace convoscope
