#pragma once
// What can be counted of a problem and of a block, without a clock: ghost cells, products that are skipped, loads, how
// often an input is used. All of it follows from the problem and from what a strategy says of its blocks.
#include <vector>

#include "kernels/contract/explain.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

// Of a picture, a signal or a frame: how many of the filter's cells lie outside when it is centred at that output.
// 0 for a layer, whose padding is no border.
int ghost_cells(const Problem&, int x, int y);
// Under a zero border the products that nothing is added for, all outputs together; and of how many. A magnitude's
// second set of weights counts as well. 924 of 6,400 for 16 × 16 and 5 × 5 weights.
struct SkippedProducts {
  double skipped = 0, all = 0;
};
SkippedProducts skipped_products(const Problem&);

// Of the block that an explanation tells of: of its first kernel that reads the inputs. All 0 without one.
struct BlockCounts {
  double outputs = 0;        // that are there
  double loads = 0;          // inputs that it brings in, ghost cells included
  double ghosts = 0;         // of these
  double by_definition = 0;  // inputs that its outputs read where each reads its own
  double shared = 0;         // inputs that a neighbouring block loads too; where blocks lie side by side, else 0
};
BlockCounts count_block(const Problem&, const Explanation&);
const KernelStep* step_of_input(const Explanation&);  // null: none

// How often the inputs of a row (a column) are used, along that side alone: an input at (x, y) is used columns[x] ·
// rows[y] times. The border's stand-ins are uses of the input that stands in. Of a layer for each map that sees it.
struct InputUses {
  std::vector<int> columns, rows;
  double at(int x, int y) const {
    return static_cast<double>(columns[static_cast<std::size_t>(x)]) * rows[static_cast<std::size_t>(y)];
  }
};
InputUses input_uses(const Problem&);

// How many times fewer inputs an inner block loads that has a tile of side × side outputs (of a filter of one row:
// `side` outputs) than its threads by themselves: M²T²/(T+M−1)², B(2n+1)/(B+2n). And what that comes near to for ever
// larger ones: M², 2n + 1.
double tile_load_reduction(const Filter&, int side);
double largest_load_reduction(const Filter&);

// The blocks that lie side by side over the outputs, as the explained one does: empty where a block's outputs are no
// rectangle, or are in several strips.
struct BlockGrid {
  PixelArea first;  // the outputs of the block at the top left, which may reach beyond the outputs
  int columns = 0, rows = 0;
  bool empty() const { return columns == 0; }
  PixelArea block(int column, int row) const {
    return {first.x + column * first.width, first.y + row * first.height, first.width, first.height};
  }
};
BlockGrid block_grid(const Problem&, const KernelStep&);

}  // namespace convoscope
