#pragma once
// convoscope list tiles: what a tile saves, by its size and the filter's, as the model counts it. PMPP 4th ed.,
// ch. 7.4.
#include "app/cli/arguments.h"

namespace convoscope {

// How many times fewer inputs a block of one row loads by the formula that the book prints, (B(2n+1) −
// n(n−1)/2)/(B+2n).
double tile_load_reduction_1d_printed(int block, int radius);

void list_tiles(const Invocation&);

}  // namespace convoscope
