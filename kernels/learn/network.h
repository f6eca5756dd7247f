#pragma once
// Convolutional layers one after the other: each sees the maps of the one before. ReLU is the epilogue of a layer.
#include <span>
#include <vector>

#include "kernels/contract/strategy.h"

namespace convoscope {

inline constexpr int most_layers = 3;  // that learn
using Network = std::vector<Problem>;  // forward, the first one of a picture

// The first layer and others after it, of stride 1, padded so that their maps stay as large.
Network network_of(const Problem& first, std::span<const Filter> further);
std::vector<Filter> banks_of(const Network&);

// The bank with normal weights to begin with, as large as its ReLU wants them after He et al. 2015, and biases of 0
// where it has any. The same ones for the same seed.
Filter initial_bank(Filter bank, unsigned seed);

}  // namespace convoscope
