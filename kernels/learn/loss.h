#pragma once
// What a step of learning does to each element of its tensors, for cores and kernels alike. All tensors are dense.
#include <cmath>
#include <cstdint>

#include "kernels/contract/data/border.h"
#include "kernels/contract/data/tensor.h"
#include "kernels/contract/device.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

// to = from + normal numbers of this standard deviation: the same ones for the same seed. Enqueued on a CUDA device,
// else done when it returns. Throws Error when the launch fails.
void add_noise(Backend, const Tensor& from, const Tensor& to, float deviation, std::uint32_t seed, Stream);

// The loss is the mean of (y + added − wanted)²: its slope for each y goes to dy, and the sum of the squares in each
// row of y to row_sums, always added in the same order. `added`: of y's shape, or without data. As above.
void compare_outputs(Backend, const Tensor& y, const Tensor& added, const Tensor& wanted, const Tensor& dy,
                     float* row_sums, Stream);

// Back through a layer's epilogue: where ReLU made y 0, its slope becomes 0; then the slopes of each map, whose sum is
// that of its bias, are added up in map_sums, always in the same order. As above.
void pass_epilogue_back(Backend, const Tensor& y, bool relu, const Tensor& dy, float* map_sums, Stream);

namespace learning {

CONVOSCOPE_HOST_DEVICE inline std::uint32_t mix_bits(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Box and Muller's, of two numbers that follow from the place and the seed: no place waits for another.
CONVOSCOPE_HOST_DEVICE inline float normal_number(std::uint32_t place, std::uint32_t seed) {
  constexpr float to_unit = 1.0f / 16777216, turn = 6.2831853f;
  const std::uint32_t first = mix_bits(mix_bits(2 * place) ^ seed), second = mix_bits(mix_bits(2 * place + 1) ^ seed);
  const float length = sqrtf(-2 * logf((static_cast<float>(first >> 8) + 0.5f) * to_unit));
  return length * cosf(turn * to_unit * static_cast<float>(second >> 8));
}

// Of one output: gives the square.
CONVOSCOPE_HOST_DEVICE inline float compare_output(float y, float wanted, float scale, float& dy) {
  const float difference = y - wanted;
  dy = scale * difference;
  return difference * difference;
}

// Of one output: gives the slope of the sum that it was made from.
CONVOSCOPE_HOST_DEVICE inline float slope_of_sum(float y, bool relu, float& dy) {
  if (relu && !(y > 0)) dy = 0;
  return dy;
}

inline float slope_scale(const Tensor& y) { return 2.0f / static_cast<float>(y.shape.elements()); }

}  // namespace learning

// What runs on a device, and the same kernels emulated; on the host's cores loss.cpp goes on itself.
namespace cuda::learn {
void enqueue_noise(const Tensor& from, const Tensor& to, float deviation, std::uint32_t seed, Stream);
void enqueue_comparison(const Tensor& y, const Tensor& added, const Tensor& wanted, const Tensor& dy, float* row_sums,
                        Stream);
void enqueue_epilogue_back(const Tensor& y, bool relu, const Tensor& dy, float* map_sums, Stream);
}  // namespace cuda::learn

namespace emulated::learn {
void enqueue_noise(const Tensor& from, const Tensor& to, float deviation, std::uint32_t seed, Stream);
void enqueue_comparison(const Tensor& y, const Tensor& added, const Tensor& wanted, const Tensor& dy, float* row_sums,
                        Stream);
void enqueue_epilogue_back(const Tensor& y, bool relu, const Tensor& dy, float* map_sums, Stream);
}  // namespace emulated::learn

}  // namespace convoscope
