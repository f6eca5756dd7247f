#pragma once
// What the kinds share that slide one filter over frames: images, signals (a frame has a channel in each row), volumes.
#include <span>
#include <vector>

#include "kernels/contract/kind.h"

namespace convoscope {

inline Shape frame_shape(const Problem& p) { return {{1, 1, 1, p.height, p.width}, element_of(p.format)}; }

// Seeded by their size, so that they are the same in every run.
Filter random_filter(int width, int height, int depth = 1);
// A column times a row, neither symmetric, so that swapped, mirrored or transposed passes show.
Filter random_rank_one(int width, int height);

// Of a kind whose tensors are frames.
std::vector<double> reference_of_frames(const Problem&, std::span<const Tensor> in);
// The alpha is that of the frame in the middle.
Difference compare_frames(const Problem&, const std::vector<double>& expected, std::span<const Tensor> in,
                          const Tensor& out);
std::vector<PlaneArea> sources_in_frames(const Problem&, const PlaneArea& part);
std::vector<double> reference_of_part_of_frames(const Problem&, const PlaneArea& part, std::span<const Tensor> sources);

}  // namespace convoscope
