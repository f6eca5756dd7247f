#pragma once
// Strips that are walked down, each row of sources for K rows of outputs: how high they are best.
#include "kernels/device/layer_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// Rows of outputs of a strip, of which all multiprocessors hold as many as fit at once, one turn after the other. Lower
// strips repeat more rows; what counts is the rows of all turns, of which the last one may be far from full.
// across: blocks beside one another, of all samples and maps. least_turns: where most of the work is writing, strips of
// one turn end all at once and leave the memory idle.
inline int strip_rows(int height, int filter, int across, int resident_blocks, int least_turns) {
  constexpr int beginning = 3;  // rows that a strip's beginning takes as long as: weights and first loads
  int best = height;
  long least = 0;
  for (int down = 1; down <= height; ++down) {
    const int rows = ceil_div(height, down);
    const long blocks = static_cast<long>(ceil_div(height, rows)) * across,
               turns = (blocks + resident_blocks - 1) / resident_blocks;
    if (least > 0 && turns > least_turns + 3) break;
    const long made = std::max<long>(turns, least_turns) * (rows + filter - 1 + beginning);
    if (least > 0 && made >= least) continue;
    least = made;
    best = rows;
  }
  return best;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
