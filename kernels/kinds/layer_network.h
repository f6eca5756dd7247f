#pragma once
// Layers one after the other as problems: each sees the maps of the one before, or the largest of each 2 × 2 of them.
#include <span>
#include <vector>

#include "kernels/contract/strategy.h"
#include "kernels/filter/banks/network_layers.h"

namespace convoscope {

struct LayerProblem {
  Problem problem;    // forward
  bool pool = false;  // the next one sees its maps pooled
};

// The first layer, of a valid problem, and those after it. Throws Error that names the layer and the numbers that do
// not fit.
std::vector<LayerProblem> layer_problems(const Problem& first, bool pool, std::span<const NetworkLayer> further);

Shape maps_of(const LayerProblem&);
Shape pooled(const Shape& maps);  // an odd row or column at the end is left out

// The most that can go into the layer behind these, where no more than 1 goes into the first.
double largest_input(std::span<const LayerProblem> before);

}  // namespace convoscope
