#pragma once
// What the layers of a network should make, one after the other.
#include <algorithm>
#include <span>
#include <vector>

#include "kernels/kinds/layer.h"
#include "kernels/kinds/layer_network.h"

namespace convoscope {

// Of planes in double precision, the largest of each 2 × 2.
inline std::vector<double> pooled_values(const std::vector<double>& values, const Shape& maps) {
  const Shape to = pooled(maps);
  std::vector<double> largest;
  largest.reserve(to.elements());
  const auto width = static_cast<std::size_t>(maps.width());
  for (int plane = 0; plane < to.planes(); ++plane)
    for (int y = 0; y < to.height(); ++y)
      for (int x = 0; x < to.width(); ++x) {
        const std::size_t at =
            static_cast<std::size_t>(plane * maps.height() + 2 * y) * width + 2 * static_cast<std::size_t>(x);
        largest.push_back(std::max({values[at], values[at + 1], values[at + width], values[at + width + 1]}));
      }
  return largest;
}

// What every layer makes of X, before pooling: its reference in double precision, of inputs that are float32.
inline std::vector<std::vector<double>> network_reference(std::span<const LayerProblem> layers, const Tensor& x) {
  std::vector<std::vector<double>> made;
  std::vector<float> seen;
  Tensor in = x;
  for (const LayerProblem& layer : layers) {
    made.push_back(layer_reference(layer.problem, {&in, 1}));
    const Shape maps = maps_of(layer), next = layer.pool ? pooled(maps) : maps;
    const std::vector<double> values = layer.pool ? pooled_values(made.back(), maps) : made.back();
    seen.assign(values.begin(), values.end());
    in = tensor_of_rows(seen.data(), next, sizeof(float) * static_cast<std::size_t>(next.width()));
  }
  return made;
}

}  // namespace convoscope
