#pragma once
// Layers for libraries that multiply and sum, no more, and want tensors without gaps: the tensor itself where its rows
// follow one another, else a copy that the plan holds. Of numbers of every type; T is float where nothing is said.
#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/device/parts/layer_numbers.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

class DensePlanes {
 public:
  explicit DensePlanes(const Shape& shape) : shape_(shape), memory_(shape.bytes()) {}

  // For reading; copies where it must.
  template <class T = float>
  const T* read(const Tensor& tensor, Stream stream) const {
    if (!dense(tensor)) copy(memory_.data(), shape_.row_bytes(), tensor.data, pitch(tensor), stream);
    return write<T>(tensor);
  }
  // Where to write, before written() brings it to the tensor.
  template <class T = float>
  T* write(const Tensor& tensor) const {
    return static_cast<T*>(dense(tensor) ? tensor.data : memory_.data());
  }
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
  DeviceBuffer<unsigned char> memory_;
};

// Bias and ReLU, for a library that has only summed.
template <int Threads, class T>
__global__ void finish_maps(Strided<T> y, LayerExtents e, LayerEpilogue epilogue) {
  const int x = static_cast<int>(blockIdx.x) * Threads + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y), plane = static_cast<int>(blockIdx.z);
  if (x >= e.out_width) return;
  T& number = y.at(plane / e.maps, plane % e.maps)[row * y.row + x * y.column];
  number = number_of<T>(epilogue.finish(value_of(number), plane % e.maps));
}

inline constexpr int finish_threads = 128;
inline dim3 finish_grid(const LayerExtents& e) {
  return dim3(ceil_div(e.out_width, finish_threads), e.out_height, e.samples * e.maps);
}
inline std::string finish_reason(const Problem& p) {
  return p.layer.pass == Pass::forward ? grid_reason(finish_grid(layer_extents(p))) : std::string();
}

// Of the weights, as a gradient to them would be.
inline Shape bank_shape(Problem p) {
  p.layer.pass = Pass::to_weights;
  return layer_kind.outputs(p)[0];
}

// What surrounds a library's product of the bank and dense planes.
class LibraryPlan : public Plan {
 public:
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    if (problem_.layer.pass == Pass::to_weights) return;
    std::vector<unsigned char> bytes(bank_shape(problem_).bytes());
    put_numbers(tensor_of_rows(bytes.data(), bank_shape(problem_), bank_shape(problem_).row_bytes()), filter.weights);
    bank_.set(std::move(bytes));
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
        bank_(problem.layer.pass == Pass::to_weights ? 0 : bank_shape(problem).bytes()),
        out_(layer_kind.outputs(problem)[0]) {
    for (const Shape& shape : layer_kind.inputs(problem)) in_.emplace_back(shape);
    LibraryPlan::set_filter(problem.filter);
  }

  // The last launch, where there is one.
  void finish(const Tensor& y, Stream stream) const {
    if (!finishes()) return;
    if (y.shape.element == Element::f16)
      launch(finish_maps<finish_threads, Half>, finish_grid(extents_), dim3(finish_threads), 0, stream,
             strided<Half>(y), extents_, biases_.epilogue());
    else
      launch(finish_maps<finish_threads, float>, finish_grid(extents_), dim3(finish_threads), 0, stream,
             strided<float>(y), extents_, biases_.epilogue());
  }
  void describe_finish(std::vector<KernelInfo>& infos) const {
    if (!finishes()) return;
    const bool halves = problem_.layer.precision == Precision::f16;
    const dim3 grid = finish_grid(extents_), block(finish_threads);
    infos.push_back(halves ? describe("finish_maps", finish_maps<finish_threads, Half>, grid, block, 0)
                           : describe("finish_maps", finish_maps<finish_threads, float>, grid, block, 0));
  }

  const Problem problem_;
  const LayerExtents extents_;
  LayerBiases biases_;
  GlobalValues<unsigned char> bank_;  // as the layout has it
  std::vector<DensePlanes> in_;
  DensePlanes out_;

 private:
  bool finishes() const { return problem_.layer.pass == Pass::forward && !biases_.idle(); }
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
