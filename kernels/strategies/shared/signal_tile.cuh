#pragma once
// What the strategies of signals have in common: the block, how a sample is loaded and an output summed, what a tile
// says of itself. How the samples get to the threads is what tells them apart.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/kinds/signal.h"

namespace convoscope::CONVOSCOPE_TARGET::signal {

// 4 is for the example that is worked out by hand.
inline constexpr int block_sizes[] = {4, 32, 64, 128, 256, 512, 1024};
inline constexpr Tunable block_size_tunable{"block_size", "Block", "Threads of a block, one output each", block_sizes,
                                            256};

// Blocks of `outputs` outputs and `threads` threads along a channel, the channels one below the other.
inline LaunchShape launch_shape(const Problem& p, int outputs, int threads, int shared_floats = 0) {
  return {dim3(ceil_div(p.width, outputs), p.height), dim3(threads), shared_floats * sizeof(float)};
}

// The sample at i, anywhere: what the border says outside of the signal, zero for a ghost cell.
__device__ inline float load_sample(const ImageView<const float>& in, int i, int channel, Border border) {
  const int source = border_index(i, in.width, border);
  return source < 0 ? 0.0f : *pixel_at(in, source, channel);
}

// Calls add(tap) for every tap, in all threads of a block. A multiprocessor's first constant cache holds some 2 KB:
// warps at taps far apart of a longer filter would evict each other's, so they wait for one another now and then.
template <class Add>
__device__ inline void for_each_tap(int tap_count, Add add) {
  constexpr int together = 64;
  if (tap_count <= together) {
    for (int tap = 0; tap < tap_count; ++tap) add(tap);
    return;
  }
  for (int first = 0; first < tap_count; first += together) {
    __syncthreads();
    const int last = min(first + together, tap_count);
    for (int tap = first; tap < last; ++tap) add(tap);
  }
}

// Each tap times the sample above it, the first of which is at `first` of the tile. For all threads of a block.
__device__ inline float sum_of_tile(const Shared<float>& tile, int first, int tap_count,
                                    const float (&taps)[max_filter_taps_1d]) {
  float sum = 0;
  for_each_tap(tap_count, [&](int tap) { sum = fmaf(taps[tap], tile[first + tap], sum); });
  return sum;
}

// Of a kernel with an output for each thread, whose block brings its outputs' samples and n more on both sides.
inline Explanation explain_tile(const char* kernel, int block, const Problem& p, int x, int y, std::string words) {
  KernelStep step = one_thread_per_output(kernel, block, 1, x, y);
  step.tile = {grown(step.outputs[0], p.filter.rx(), 0)};
  step.words = std::move(words);
  return {.steps = {std::move(step)}, .words = {}};
}

}  // namespace convoscope::CONVOSCOPE_TARGET::signal
