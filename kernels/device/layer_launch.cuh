#pragma once
// Layers as kernels see them, and plans with one launch for them: LayerPlan with the bank in constant memory (or none),
// GlobalWeightsPlan<LayerViews> with it in global memory.
#include "kernels/device/global_weights.cuh"
#include "kernels/kinds/layer.h"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// The planes of a tensor, n · channels + c, one after the other; distances in elements.
template <class T>
struct Planes {
  T* data;
  std::ptrdiff_t plane, row;
  __device__ T* at(int p, int y) const { return data + p * plane + y * row; }
  __device__ T& at(int p, int y, int x) const {
    T* const element = at(p, y) + x;
    if constexpr (std::is_const_v<T>) note_read(element, sizeof(T));
    return *element;
  }
};

// An element of a row, for those who look on while kernels are emulated.
__device__ inline float read(const float* element) {
  note_read(element, sizeof(float));
  return *element;
}

template <class T>
Planes<T> planes_of(const Tensor& tensor) {
  constexpr auto element = static_cast<std::ptrdiff_t>(sizeof(T));
  return {static_cast<T*>(tensor.data), tensor.stride[1] / element, tensor.stride[3] / element};
}

// What the pass reads: x forward, dy to the input, both to the weights; the other one is not there.
struct LayerInputs {
  Planes<const float> x, dy;
};
inline LayerInputs layer_inputs(std::span<const Tensor> in, Pass pass) {
  LayerInputs inputs{};
  if (pass != Pass::to_input) inputs.x = planes_of<const float>(in[0]);
  if (pass != Pass::forward) inputs.dy = planes_of<const float>(in.back());
  return inputs;
}

// What happens to the sum of a map; of the forward pass alone.
struct LayerEpilogue {
  const float* biases;  // one for each map, zeros where there are none
  int relu;
  __device__ float finish(float sum, int map) const {
    const float value = sum + __ldg(biases + map);
    return relu ? fmaxf(value, 0.0f) : value;
  }
};

// The biases on their way to the device: of a plan, whatever its launches are.
class LayerBiases {
 public:
  explicit LayerBiases(const Problem& problem) : floats_(static_cast<std::size_t>(problem.layer.maps)) {
    set(problem.filter);
  }
  void set(const Filter& filter) {
    std::vector<float> biases = filter.biases;
    biased_ = !biases.empty();
    biases.resize(static_cast<std::size_t>(filter.maps));
    floats_.set(std::move(biases));
    relu_ = filter.relu;
  }
  void send(Stream stream) { floats_.send(stream); }
  bool idle() const { return !biased_ && !relu_; }  // the sums are the outputs
  LayerEpilogue epilogue() const { return {floats_.data(), relu_}; }

 private:
  GlobalFloats floats_;
  bool biased_ = false;
  int relu_ = 0;
};

// For OneLaunchPlan.
class LayerViews : public LayerBiases {
 public:
  explicit LayerViews(const Problem& problem) : LayerBiases(problem), pass_(problem.layer.pass) {}

  template <class... Extra>
  using Kernel = void (*)(LayerInputs, Planes<float>, LayerExtents, LayerEpilogue, Extra...);
  LayerInputs in(std::span<const Tensor> in, Stream = {}) const { return layer_inputs(in, pass_); }
  static Planes<float> out(const Tensor& out) { return planes_of<float>(out); }
  static std::vector<float> weights(const Filter& filter) { return both_sets(filter); }
  static std::string note(const Problem&) { return {}; }
  template <class Arguments, class Extra>
  static auto in_order(const Arguments& arguments, const Extra& extra) {
    return std::tuple_cat(arguments, extra);
  }
  std::tuple<LayerExtents, LayerEpilogue> arguments(const Problem& p) const { return {layer_extents(p), epilogue()}; }

 private:
  Pass pass_;
};
template <class... Extra>
using LayerPlan = OneLaunchPlan<LayerViews, Extra...>;

// Why a grid cannot be, empty when it can.
inline std::string grid_reason(const dim3& grid) {
  constexpr unsigned most = 65535;  // along y and z
  if (grid.y <= most && grid.z <= most) return {};
  return "A grid of " + std::to_string(grid.x) + " × " + std::to_string(grid.y) + " × " + std::to_string(grid.z) +
         " blocks is too large: along y and z " + std::to_string(most) + " are the most";
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
