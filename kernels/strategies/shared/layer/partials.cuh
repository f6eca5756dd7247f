#pragma once
// Gradients to the weights from blocks that each see a part of the outputs: every block writes its sums into a buffer,
// and a second kernel adds them, always in the same order. Also what plans with a buffer ask of the device.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/layer_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

inline constexpr int partial_lanes = 32, partial_depth = 16;

// Where the gradient of a weight goes, by its number in the bank.
struct WeightPlanes {
  Planes<float> df;
  __device__ void store(const LayerExtents& e, int weight, float sum) const {
    const int taps = e.filter * e.filter;
    df.at(weight / taps, weight % taps / e.filter, weight % e.filter) = sum;
  }
};

// A block adds the parts of 32 neighbouring weights, Depth threads for each; partials: [parts][weights].
template <int Depth, class Out>
__global__ void add_partials(const float* partials, Out out, LayerExtents e, int parts) {
  const Shared<float> shared = shared_memory<float>(0, Depth * partial_lanes);
  const int weights = e.maps * e.group_channels() * e.filter * e.filter;
  const int lane = static_cast<int>(threadIdx.x), depth = static_cast<int>(threadIdx.y);
  const int weight = static_cast<int>(blockIdx.x) * partial_lanes + lane;
  float sum = 0;
  if (weight < weights)
    for (int part = depth; part < parts; part += Depth)
      sum += partials[static_cast<std::ptrdiff_t>(part) * weights + weight];
  shared[depth * partial_lanes + lane] = sum;
  __syncthreads();
  if (depth > 0 || weight >= weights) return;
  for (int other = 1; other < Depth; ++other) sum += shared[other * partial_lanes + lane];
  out.store(e, weight, sum);
}

// Why a plan cannot have so much memory, empty when it can.
inline std::string memory_reason(double bytes, const Device& device, const char* what) {
  const double most = static_cast<double>(device.memory_bytes);
  if (most == 0 || bytes <= most / 2) return {};
  const auto mebibytes = [](double b) { return std::to_string(static_cast<long>(b / 0x1p20)) + " MiB"; };
  return std::string(what) + " would take " + mebibytes(bytes) + ", more than half of the device's " + mebibytes(most);
}

class PartialSums {
 public:
  PartialSums(const Problem& problem, int parts)
      : extents_(layer_extents(problem)),
        parts_(parts),
        partials_(static_cast<std::size_t>(weights()) * static_cast<std::size_t>(parts)) {}
  float* data() const { return partials_.data(); }
  void add(const Tensor& df, Stream stream) const { add_into(WeightPlanes{planes_of<float>(df)}, stream); }
  KernelInfo kernel() const { return kernel_into<WeightPlanes>(); }
  template <class Out>
  void add_into(const Out& out, Stream stream) const {
    launch(add_partials<partial_depth, Out>, grid(), block(), shared_bytes, stream, partials_.data(), out, extents_,
           parts_);
  }
  template <class Out>
  KernelInfo kernel_into() const {
    return describe("add_partials", add_partials<partial_depth, Out>, grid(), block(), shared_bytes);
  }

  static double bytes(const Problem& p, int parts) {
    const LayerExtents e = layer_extents(p);
    return 1.0 * sizeof(float) * parts * e.maps * e.group_channels() * e.filter * e.filter;
  }
  // That a part passes through.
  static int roundings(int parts) { return ceil_div(parts, partial_depth) + partial_depth; }

 private:
  static constexpr std::size_t shared_bytes = sizeof(float) * partial_lanes * partial_depth;
  int weights() const { return extents_.maps * extents_.group_channels() * extents_.filter * extents_.filter; }
  dim3 grid() const { return dim3(ceil_div(weights(), partial_lanes)); }
  static dim3 block() { return dim3(partial_lanes, partial_depth); }

  LayerExtents extents_;
  int parts_;
  DeviceBuffer<float> partials_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
