#pragma once
// A clip where there is none: discs of all sizes drift over each other, each shaded and some of them patterned. Edges,
// areas and sizes are distributed as in photographs (Lee, Mumford and Huang 2001 call it dead leaves).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/contract/data/image.h"

namespace convoscope {

class MovingDiscs {
 public:
  MovingDiscs(int width, int height, unsigned seed) : width_(width), height_(height) {
    std::minstd_rand random(seed);
    const auto number = [&](double from, double to) {
      return from + (to - from) * static_cast<double>(random() - 1) / 2147483646.0;
    };
    const double largest = height / 2.0;
    for (double covered = 0; covered < 6.0 * width * height;) {  // what is left free is too little to be seen
      Disc disc{.x = number(0, width), .y = number(0, height)};
      disc.radius = 1 / std::sqrt(number(1 / (largest * largest), 1 / (smallest * smallest)));
      disc.to_right = number(-3, 3);
      disc.down = number(-2, 2);
      disc.slope = number(-0.4, 0.4) / disc.radius;
      disc.contrast = number(0, 1) < 0.3 ? number(0, 0.15) : 0;
      disc.wave = number(0.3, 2);
      const double light = number(0, 1);
      for (double& colour : disc.colours) colour = std::clamp(light + number(-0.25, 0.25), 0.0, 1.0);
      covered += 3 * disc.radius * disc.radius;
      discs_.push_back(disc);
    }
    std::ranges::stable_sort(discs_, std::greater(), &Disc::radius);  // so that the small ones are seen
  }

  void draw(std::int64_t frame, const Image& rgba) const {
    for (int y = 0; y < height_; ++y) std::fill_n(row(rgba, y), width_, 0xff808080u);
    for (const Disc& disc : discs_) {
      const double reach = disc.radius + 1, x = wrapped(disc.x + disc.to_right * static_cast<double>(frame), width_),
                   y = wrapped(disc.y + disc.down * static_cast<double>(frame), height_);
      for (int at_y = std::max(0, static_cast<int>(y - reach)); at_y < std::min<double>(height_, y + reach); ++at_y)
        for (int at_x = std::max(0, static_cast<int>(x - reach)); at_x < std::min<double>(width_, x + reach); ++at_x)
          paint(disc, at_x + 0.5 - x, at_y + 0.5 - y, row(rgba, at_y)[at_x]);
    }
  }

 private:
  static constexpr double smallest = 5;
  struct Disc {
    double x, y, radius, to_right, down, slope, contrast, wave, colours[3];
  };
  static std::uint32_t* row(const Image& rgba, int y) {
    return reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(rgba.data) +
                                            static_cast<std::size_t>(y) * rgba.pitch);
  }
  static double wrapped(double value, int extent) { return value - extent * std::floor(value / extent); }
  static void paint(const Disc& disc, double dx, double dy, std::uint32_t& pixel) {
    const double cover = std::clamp(disc.radius - std::hypot(dx, dy) + 0.5, 0.0, 1.0);
    if (cover == 0) return;
    const double light = disc.slope * dx + disc.contrast * std::sin(disc.wave * (dx + 0.5 * dy));
    std::uint32_t mixed = 0xff000000u;
    for (int i = 0; i < 3; ++i) {
      const double under = pixel >> 8 * i & 255, over = 255 * std::clamp(disc.colours[i] + light, 0.0, 1.0);
      mixed |= static_cast<std::uint32_t>(std::lround(under + cover * (over - under))) << 8 * i;
    }
    pixel = mixed;
  }

  int width_, height_;
  std::vector<Disc> discs_;
};

}  // namespace convoscope
