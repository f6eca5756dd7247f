#pragma once
// Internal to convert/: one pixel each of AlphaStep's passes, for cores and kernels alike.
#include <cmath>
#include <cstdint>

#include "kernels/contract/data/image.h"
#include "kernels/contract/data/tensor.h"
#include "kernels/contract/strategy.h"
#include "kernels/convert/feature_map_pixels.h"

namespace convoscope {

// What makes a colour of its sum.
struct AlphaJoin {
  Image sums[4];
  bool weighs = false;
  float weight = 1;  // Σw, where alpha weighs
  float gain = 1, bias = 0;
  bool absolute = false;
};

// channel: of red, green, blue, alpha.
CONVOSCOPE_HOST_DEVICE inline void take_plane_pixel(const Image& picture, int channel, const Image& plane, int x,
                                                    int y) {
  const Rgba8 pixel = picture_row<const Rgba8>(picture, y)[x];
  const float colour = channel == 0 ? pixel.r : channel == 1 ? pixel.g : channel == 2 ? pixel.b : 255.0f;
  picture_row<float>(plane, y)[x] = colour * static_cast<float>(pixel.a) * (1.0f / (255.0f * 255.0f));
}

// Half to even, as the strategies round.
CONVOSCOPE_HOST_DEVICE inline std::uint8_t code_of(float value) {
  const float code = 255.0f * value;
  return static_cast<std::uint8_t>(rintf(code > 0 ? (code < 255 ? code : 255.0f) : 0.0f));  // NaN is 0
}

CONVOSCOPE_HOST_DEVICE inline void join_pixel(const AlphaJoin& join, const Image& picture, const Image& out, int x,
                                              int y) {
  const std::uint8_t own = picture_row<const Rgba8>(picture, y)[x].a;
  // A sum that is nothing but the rounding of other sums, as an FFT leaves it, is none: less than half of the smallest
  // alpha's share that can be stored.
  constexpr float least = 0.5f / 255;
  const float alpha =
      join.weighs ? picture_row<const float>(join.sums[3], y)[x] / join.weight : static_cast<float>(own) / 255.0f;
  Rgba8 result{0, 0, 0, 0};
  if (alpha >= least) {
    const auto colour = [&](int channel) {
      float value = join.gain * (picture_row<const float>(join.sums[channel], y)[x] / alpha) + join.bias;
      if (join.absolute) value = fabsf(value);
      return code_of(value);
    };
    result = {colour(0), colour(1), colour(2), join.weighs ? code_of(alpha) : own};
  }
  picture_row<Rgba8>(out, y)[x] = result;
}

// What runs on a device; on the host's cores alpha_step.cpp goes on itself.
void enqueue_take_plane(const Image& picture, int channel, const Image& plane, Stream);
void enqueue_join(const AlphaJoin&, const Image& picture, const Image& out, Stream);

}  // namespace convoscope
