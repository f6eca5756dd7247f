#pragma once
// A tensor of host memory as its numbers, whatever their type and order in memory.
#include <vector>

#include "kernels/contract/data/layer.h"

namespace convoscope {

// In the order of planes: n, c, t, y, x. Not of rgba8.
std::vector<float> numbers_of(const Tensor&);
void put_numbers(const Tensor&, const std::vector<float>&);

// The same as a tensor of float32 in planes, each number as the precision multiplies it.
struct FloatPlanes {
  explicit FloatPlanes(const Tensor&, Precision = Precision::f32);
  std::vector<float> numbers;
  Tensor planes;
};

}  // namespace convoscope
