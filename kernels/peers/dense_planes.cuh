#pragma once
// Layers for libraries that multiply and sum, no more, and want planes without gaps: the tensor itself where its rows
// follow one another, else a copy that the plan holds.
#include "kernels/device/layer_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

class DensePlanes {
 public:
  explicit DensePlanes(const Shape& shape) : shape_(shape), memory_(shape.elements()) {}

  // For reading; copies where it must.
  const float* read(const Tensor& tensor, Stream stream) const {
    if (dense(tensor)) return static_cast<const float*>(tensor.data);
    copy(memory_.data(), shape_.row_bytes(), tensor.data, pitch(tensor), stream);
    return memory_.data();
  }
  // Where to write, before written() brings it to the tensor.
  float* write(const Tensor& tensor) const { return dense(tensor) ? static_cast<float*>(tensor.data) : memory_.data(); }
  void written(const Tensor& tensor, Stream stream) const {
    if (!dense(tensor)) copy(tensor.data, pitch(tensor), memory_.data(), shape_.row_bytes(), stream);
  }

 private:
  static std::size_t pitch(const Tensor& tensor) { return static_cast<std::size_t>(tensor.stride[3]); }
  bool dense(const Tensor& tensor) const { return pitch(tensor) == shape_.row_bytes(); }
  void copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, Stream stream) const {
    CONVOSCOPE_CHECK(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, shape_.row_bytes(), shape_.rows(),
                                       cudaMemcpyDeviceToDevice, native(stream)));
  }

  Shape shape_;
  DeviceBuffer<float> memory_;
};

// Bias and ReLU, for a library that has only summed.
template <int Threads>
__global__ void finish_maps(Planes<float> y, LayerExtents e, LayerEpilogue epilogue) {
  const int x = static_cast<int>(blockIdx.x) * Threads + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y), plane = static_cast<int>(blockIdx.z);
  if (x >= e.out_width) return;
  float& value = y.at(plane, row, x);
  value = epilogue.finish(value, plane % e.maps);
}

inline constexpr int finish_threads = 128;
inline dim3 finish_grid(const LayerExtents& e) {
  return dim3(ceil_div(e.out_width, finish_threads), e.out_height, e.samples * e.maps);
}
inline std::string finish_reason(const Problem& p) {
  return p.layer.pass == Pass::forward ? grid_reason(finish_grid(layer_extents(p))) : std::string();
}

// What surrounds a library's product of the bank and dense planes.
class LibraryPlan : public Plan {
 public:
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    if (problem_.layer.pass != Pass::to_weights) bank_.set(filter.weights);
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
  }

 protected:
  explicit LibraryPlan(const Problem& problem)
      : problem_(problem),
        extents_(layer_extents(problem)),
        biases_(problem),
        bank_(problem.filter.weights.size()),
        out_(layer_kind.outputs(problem)[0]) {
    for (const Shape& shape : layer_kind.inputs(problem)) in_.emplace_back(shape);
    LibraryPlan::set_filter(problem.filter);
  }

  // The last launch, where there is one.
  void finish(const Tensor& y, Stream stream) const {
    if (finishes())
      launch(finish_maps<finish_threads>, finish_grid(extents_), dim3(finish_threads), 0, stream, planes_of<float>(y),
             extents_, biases_.epilogue());
  }
  void describe_finish(std::vector<KernelInfo>& infos) const {
    if (finishes())
      infos.push_back(
          describe("finish_maps", finish_maps<finish_threads>, finish_grid(extents_), dim3(finish_threads), 0));
  }

  const Problem problem_;
  const LayerExtents extents_;
  LayerBiases biases_;
  GlobalFloats bank_;
  std::vector<DensePlanes> in_;
  DensePlanes out_;

 private:
  bool finishes() const { return problem_.layer.pass == Pass::forward && !biases_.idle(); }
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
