#pragma once
// A rectangle of rgba pixels in somebody's memory, for the test pattern to draw on.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace convoscope {

using Pixel = std::uint32_t;  // R in the lowest byte: rgba in memory on the little-endian machines we run on

constexpr Pixel rgb(int r, int g, int b) {
  return static_cast<Pixel>(r) | static_cast<Pixel>(g) << 8 | static_cast<Pixel>(b) << 16 | 0xff000000u;
}
constexpr Pixel grey(int v) { return rgb(v, v, v); }

// t from 0 (a) to 1 (b), in code values.
inline Pixel mix(Pixel a, Pixel b, float t) {
  Pixel out = 0xff000000u;
  for (int shift = 0; shift < 24; shift += 8) {
    const float from = static_cast<float>(a >> shift & 255), to = static_cast<float>(b >> shift & 255);
    out |= static_cast<Pixel>(std::lround(from + (to - from) * std::clamp(t, 0.0f, 1.0f))) << shift;
  }
  return out;
}

struct Canvas {
  Pixel* pixels = nullptr;
  int width = 0, height = 0;
  std::ptrdiff_t stride = 0;  // pixels from row to row

  Pixel* row(int y) const { return pixels + y * stride; }
  Canvas part(int x, int y, int w, int h) const {
    x = std::clamp(x, 0, width), y = std::clamp(y, 0, height);
    return {row(y) + x, std::clamp(w, 0, width - x), std::clamp(h, 0, height - y), stride};
  }
  void fill(Pixel colour) const {
    for (int y = 0; y < height; ++y) std::fill_n(row(y), width, colour);
  }
};

}  // namespace convoscope
