#pragma once
// The analytic cost model: what theory says a frame costs, from the formulas of the chapters (design.md, section 5).
#include <string>

#include "kernels/contract/strategy.h"

namespace convoscope {

double outputs(const Problem&);  // elements that come out: pixels of a frame, samples of all channels
// Multiplies and adds by the definition: 2 · taps · colour channels (· 2 for edge magnitude) an output, and 2 for each
// product of a layer.
double filter_flop(const Problem&);
// Inputs that an output needs: taps; of a layer the channels' or maps' taps, on average where a stride skips some, and
// both factors of a gradient to the weights.
double loads_by_definition(const Problem&);
double frame_bytes(const Problem&);  // of what comes out

// FLOP per byte that the threads ask global memory for, inputs and weights, as if there were no cache. PMPP 4th ed.,
// ch. 7.2: 0.25 for `global`, 0.5 for `constant` (gray32f).
double flop_per_loaded_byte(const Problem&, const Cost&);
// How many times fewer inputs are loaded than by one thread per output, which loads one for each tap.
// M²T²/(T+M−1)² for tiles of T × T outputs under a filter of M × M. 0: it loads none.
double load_reduction(const Problem&, const Cost&);
// The same for a block at an end of a signal whose border is zero, where neither kernel loads ghost cells. 0: the block
// holds no tile of a row with all that its outputs need.
double load_reduction_at_ends(const Problem&, const Cost&);
double tile_bytes(PixelFormat, const Cost&);  // of the inputs that a block holds in shared memory at a time

// The share of the products for which there is nothing to load or to add, since a zero border has ghost cells there:
// of an image of H × W under a filter of M × M, 1 − (HM − r(r+1))(WM − r(r+1)) / HWM² (from r pixels on).
double ghost_share(const Problem&);
// The share of the warps whose threads do not all do the same, with a thread for each output that skips ghost cells:
// some have others than their neighbours, or lie beyond the last output. PMPP 4th ed., ch. 7.2.
double diverging_warps(const Problem&, int block_width, int block_height);

// Every output loads an input for each tap from global memory; DRAM moves the inputs once in and the outputs once out.
Cost direct_cost(const Problem&, const Tuned& = {});
// The same as M_y + M_x taps, rows and then columns, with nothing stored between.
Cost two_pass_cost(const Problem&, const Tuned& = {});

// Tiles of tile_width × tile_height outputs in shared memory, halo included, one for each frame that the filter spans:
// (2rt + 1)(tile_width + 2rx)(tile_height + 2ry) / (tile_width · tile_height) loads per output.
Cost tiled_cost(const Problem&, int tile_width, int tile_height);
// The same without the halo: what lies outside of the tile is loaded where it is needed, so that threads part at the
// tile's edges.
Cost cached_halo_cost(const Problem&, int tile_width, int tile_height);

// How many times fewer inputs a block of B outputs loads than B threads do by themselves, in 1D and with radius n, at
// an end whose zero border has neither kernel load ghost cells: (B(2n+1) − n(n+1)/2)/(B+n). The book prints (B(2n+1) −
// n(n−1)/2)/(B+2n).
double tile_load_reduction_1d_end(int block, int radius);

// Shared by many unsupported(): empty when the block fits the device.
std::string block_size_reason(int block_width, int block_height, const Device&);
std::string shared_memory_reason(std::size_t bytes, const Device&);

}  // namespace convoscope
