#pragma once
// A convolution of planes that are padded already, as cuDNN's forward pass of a layer in float32: its descriptors, the
// algorithm that it takes, and that one's workspace.
#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/device/cuda_raii.h"
#include "kernels/libraries/cudnn.h"

namespace convoscope::CONVOSCOPE_TARGET {

struct CudnnShape {
  int batch, height, width;  // of what goes in, padding included
  int filters, filter_height, filter_width;
  int planes = 1;  // of one sample, summed: cuDNN's input channels
};

inline constexpr int no_or_yes_to_measuring[] = {0, 1};
inline constexpr Tunable measure_tunable{
    "measure", "Choose by measuring",
    "0: the algorithm that cuDNN's heuristics suggest; 1: the fastest of a trial run when the plan is made",
    no_or_yes_to_measuring, 0};

class CudnnForward {
 public:
  CudnnForward(const CudnnShape& shape, const Device& device, bool measure)
      : device_(device.ordinal), most_workspace_bytes_(most_workspace(device, measure)) {
    const libcudnn::Api& api = libcudnn::api();
    libcudnn::check(
        api.set_tensor(in_, libcudnn::nchw, libcudnn::data_float, shape.batch, shape.planes, shape.height, shape.width),
        "cudnnSetTensor4dDescriptor");
    libcudnn::check(api.set_tensor(out_, libcudnn::nchw, libcudnn::data_float, shape.batch, shape.filters,
                                   shape.height - shape.filter_height + 1, shape.width - shape.filter_width + 1),
                    "cudnnSetTensor4dDescriptor");
    libcudnn::check(api.set_weights(filter_, libcudnn::data_float, libcudnn::nchw, shape.filters, shape.planes,
                                    shape.filter_height, shape.filter_width),
                    "cudnnSetFilter4dDescriptor");
    libcudnn::check(
        api.set_convolution(convolution_, 0, 0, 1, 1, 1, 1, libcudnn::cross_correlation, libcudnn::data_float),
        "cudnnSetConvolution2dDescriptor");
    libcudnn::check(api.set_math_type(convolution_, libcudnn::fma_math), "cudnnSetConvolutionMathType");
    choose_algorithm(shape, measure);
  }

  void enqueue(const float* in, const float* weights, float* out, Stream stream) {
    const float one = 1, zero = 0;
    const libcudnn::HandleLease handle(device_, stream.handle);
    libcudnn::check(libcudnn::api().forward(handle, &one, in_, in, filter_, weights, convolution_, algorithm_,
                                            workspace_.data(), workspace_.bytes(), &zero, out_, out),
                    "cudnnConvolutionForward");
  }
  std::string note() const {
    constexpr const char* names[libcudnn::algorithm_count] = {"implicit GEMM", "implicit GEMM with precomputed offsets",
                                                              "GEMM",          "direct",
                                                              "FFT",           "tiled FFT",
                                                              "Winograd",      "Winograd, not fused"};
    return std::string("cuDNN's algorithm: ") + names[algorithm_] + ", workspace " +
           std::to_string(workspace_.bytes() >> 20) + " MiB; the time includes the two layout conversions";
  }

 private:
  // One that measures is compared with: only what does not fit the device keeps it from its best.
  static std::size_t most_workspace(const Device& device, bool measure) {
    const std::size_t usual = std::size_t{1} << 30;
    return measure ? std::max(usual, device.memory_bytes / 4) : usual;
  }

  // The first of cuDNN's list (fastest first) that computes in float32 without Winograd's larger errors, and fits.
  void choose_algorithm(const CudnnShape& shape, bool measure) {
    const libcudnn::Api& api = libcudnn::api();
    const libcudnn::HandleLease handle(device_, nullptr);
    libcudnn::Performance found[libcudnn::algorithm_count] = {};
    int count = 0;
    const int status = (measure ? api.measure : api.suggest)(handle, in_, filter_, convolution_, out_,
                                                             libcudnn::algorithm_count, &count, found);
    for (int i = 0; status == 0 && i < count; ++i) {
      const libcudnn::Performance& entry = found[i];
      const bool winograd =
          entry.algorithm == libcudnn::algorithm_winograd || entry.algorithm == libcudnn::algorithm_winograd_nonfused;
      if (entry.status == 0 && entry.math_type == libcudnn::fma_math && !winograd &&
          try_algorithm(handle, entry.algorithm))
        return;
    }
    if (!try_algorithm(handle, libcudnn::algorithm_implicit_gemm))
      throw Error("cuDNN has no algorithm for a filter of " + std::to_string(shape.filter_width) + "×" +
                  std::to_string(shape.filter_height) + " on planes of " + std::to_string(shape.width) + "×" +
                  std::to_string(shape.height) + "; choose another strategy");
  }
  bool try_algorithm(libcudnn::Handle handle, int algorithm) {
    std::size_t bytes = 0;
    if (libcudnn::api().workspace_size(handle, in_, filter_, convolution_, out_, algorithm, &bytes) != 0) return false;
    if (bytes > most_workspace_bytes_) return false;
    workspace_ = DeviceBuffer<unsigned char>(bytes);
    algorithm_ = algorithm;
    return true;
  }

  const int device_;
  const std::size_t most_workspace_bytes_;
  libcudnn::Owned<libcudnn::Tensor> in_{libcudnn::api().create_tensor, libcudnn::api().destroy_tensor};
  libcudnn::Owned<libcudnn::Tensor> out_{libcudnn::api().create_tensor, libcudnn::api().destroy_tensor};
  libcudnn::Owned<libcudnn::Weights> filter_{libcudnn::api().create_weights, libcudnn::api().destroy_weights};
  libcudnn::Owned<libcudnn::Convolution> convolution_{libcudnn::api().create_convolution,
                                                      libcudnn::api().destroy_convolution};
  DeviceBuffer<unsigned char> workspace_;
  int algorithm_ = libcudnn::algorithm_implicit_gemm;
};

}  // namespace convoscope::CONVOSCOPE_TARGET
