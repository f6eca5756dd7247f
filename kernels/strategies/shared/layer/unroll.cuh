#pragma once
// The unrolled input of one sample in a buffer, and back: row c·K² + i·K + j of the matrix U has for each output the
// element of channel c that meets the tap (i, j). What multiplies it is told by the strategy.
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/partials.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

inline constexpr int unroll_threads = 256;

// One thread for each channel and output writes its column of K² elements; neighbours write neighbouring ones.
template <int Threads>
__global__ void unroll_input(Planes<const float> x, float* unrolled, LayerExtents e, int sample) {
  const int positions = e.out_height * e.out_width, c = static_cast<int>(blockIdx.y);
  const int position = static_cast<int>(blockIdx.x) * Threads + static_cast<int>(threadIdx.x);
  if (position >= positions) return;
  const int y = position / e.out_width, column = position % e.out_width;
  float* to = unrolled + static_cast<std::ptrdiff_t>(c) * e.filter * e.filter * positions + position;
  for (int i = 0; i < e.filter; ++i) {
    const int row = e.input_index(y, i);
    const bool row_there = row >= 0 && row < e.height;
    for (int j = 0; j < e.filter; ++j, to += positions) {
      const int from = e.input_index(column, j);
      *to = row_there && from >= 0 && from < e.width ? __ldg(&x.at(sample * e.channels + c, row, from)) : 0.0f;
    }
  }
}

// col2im: one thread for each element of dX gathers what the outputs that it went into have for it.
template <int Threads>
__global__ void gather_columns(const float* unrolled, Planes<float> dx, LayerExtents e, int sample) {
  const int element = static_cast<int>(blockIdx.x) * Threads + static_cast<int>(threadIdx.x);
  if (element >= e.height * e.width) return;
  const int c = static_cast<int>(blockIdx.y), y = element / e.width, x = element % e.width;
  const std::ptrdiff_t positions = static_cast<std::ptrdiff_t>(e.out_height) * e.out_width;
  const float* const rows = unrolled + c * e.filter * e.filter * positions;
  float sum = 0;
  for (int i = 0; i < e.filter; ++i) {
    const int row = e.output_index(y, i, e.out_height);
    if (row < 0) continue;
    for (int j = 0; j < e.filter; ++j)
      if (const int column = e.output_index(x, j, e.out_width); column >= 0)
        sum += rows[(i * e.filter + j) * positions + row * e.out_width + column];
  }
  dx.at(sample * e.channels + c, y, x) = sum;
}

// One sample's matrix, used by all of them in turn.
class UnrolledInput {
 public:
  explicit UnrolledInput(const Problem& problem)
      : extents_(layer_extents(problem)), memory_(static_cast<std::size_t>(bytes(problem) / sizeof(float))) {}

  void unroll(const Planes<const float>& x, int sample, Stream stream) const {
    launch(unroll_input<unroll_threads>, unroll_grid(), dim3(unroll_threads), 0, stream, x, memory_.data(), extents_,
           sample);
  }
  void gather(const Planes<float>& dx, int sample, Stream stream) const {
    launch(gather_columns<unroll_threads>, gather_grid(), dim3(unroll_threads), 0, stream, memory_.data(), dx, extents_,
           sample);
  }
  KernelInfo unroll_kernel() const {
    return describe("unroll_input", unroll_input<unroll_threads>, unroll_grid(), dim3(unroll_threads), 0);
  }
  KernelInfo gather_kernel() const {
    return describe("gather_columns", gather_columns<unroll_threads>, gather_grid(), dim3(unroll_threads), 0);
  }
  float* data() const { return memory_.data(); }

  static double bytes(const Problem& p) {
    const LayerExtents e = layer_extents(p);
    return 1.0 * sizeof(float) * e.channels * e.filter * e.filter * e.out_height * e.out_width;
  }

 private:
  dim3 unroll_grid() const {
    return dim3(ceil_div(extents_.out_height * extents_.out_width, unroll_threads), extents_.channels);
  }
  dim3 gather_grid() const {
    return dim3(ceil_div(extents_.height * extents_.width, unroll_threads), extents_.channels);
  }

  LayerExtents extents_;
  DeviceBuffer<float> memory_;
};

// How the forward pass unrolls what an output needs: the first launch of its sample.
inline KernelStep explain_unrolling(const Correlation& c, const OutputIndex& at) {
  KernelStep step = explain_run("unroll_input", c, unroll_threads, at);
  step.block[1] = at.channel / c.group_targets() * c.group_sources();
  step.blocks_along_y = c.group_sources();
  step.direct = windows_of(c, step.outputs);
  step.words = "The thread copies the " + std::to_string(c.filter * c.filter) +
               " inputs under the filter, in each channel one of " + std::to_string(c.group_sources()) +
               " blocks (blockIdx.y): together they are column " + std::to_string(at.y * c.out_width + at.x) + " of U.";
  return step;
}

// The expansion, and the element that each of the two matrices' products loads.
inline Cost unrolled_cost(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  Cost cost = direct_cost(p);
  const double unrolled = UnrolledInput::bytes(p) / sizeof(float) * e.samples / outputs(p);
  cost.global_loads_per_output = 2 * unrolled + 1;
  cost.global_stores_per_output = unrolled + 1;
  cost.dram_bytes += 2 * sizeof(float) * unrolled * outputs(p);
  return cost;
}

// A column of U has a sum of M/g products and then one of K².
inline int unrolled_roundings(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  return p.layer.pass == Pass::forward ? layer_roundings(p) : e.group_maps() + e.filter * e.filter;
}

inline std::string unrolled_reason(const Problem& p, const Device& device) {
  if (std::string reason = grid_reason(dim3(1, layer_extents(p).channels)); !reason.empty()) return reason;
  return memory_reason(UnrolledInput::bytes(p), device, "The unrolled input of one sample");
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
