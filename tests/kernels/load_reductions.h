#pragma once
// The book's formulas for how many times fewer inputs a tile loads, to which the costs of strategies are compared.

namespace convoscope {

// How many times fewer image loads a T × T tile needs than `constant` under a filter of M × M: M²T²/(T+M−1)².
inline double tile_load_reduction(int tile_width, int filter_width) {
  const double inputs = tile_width + filter_width - 1.0;
  return static_cast<double>(filter_width) * filter_width * tile_width * tile_width / (inputs * inputs);
}

// The same in 1D, for an inner block of B outputs and radius n: B(2n+1)/(B+2n).
inline double tile_load_reduction_1d(int block, int radius) {
  return block * (2.0 * radius + 1) / (block + 2.0 * radius);
}

// For a block at an end as the book prints it: (B(2n+1) − n(n−1)/2)/(B+2n). tile_load_reduction_1d_end is what is
// right.
inline double tile_load_reduction_1d_ghost(int block, int radius) {
  return (block * (2.0 * radius + 1) - radius * (radius - 1) / 2.0) / (block + 2.0 * radius);
}

}  // namespace convoscope
