#pragma once
// The part of cuDNN that we call, declared by us so that nothing is needed at build time.
#include "kernels/libraries/dynamic_library.h"
#include "kernels/libraries/handle_lease.h"
#include "kernels/text/error.h"

namespace convoscope::libcudnn {

using Handle = struct HandleContext*;
using Tensor = struct TensorDescriptor*;
using Weights = struct FilterDescriptor*;
using Convolution = struct ConvolutionDescriptor*;

inline constexpr int nchw = 0, nhwc = 1;     // CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC
inline constexpr int data_float = 0;         // CUDNN_DATA_FLOAT
inline constexpr int data_half = 2;          // CUDNN_DATA_HALF
inline constexpr int tensor_math = 1;        // CUDNN_TENSOR_OP_MATH: of the type that is stored; of float32, TF32
inline constexpr int cross_correlation = 1;  // CUDNN_CROSS_CORRELATION
inline constexpr int converting_math = 2;    // CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION: float32 made float16
inline constexpr int fma_math = 3;           // CUDNN_FMA_MATH: float32 arithmetic, never TF32
// CUDNN_CONVOLUTION_FWD_ALGO_…
inline constexpr int algorithm_implicit_gemm = 0, algorithm_winograd = 6, algorithm_winograd_nonfused = 7;
inline constexpr int algorithm_count = 8;

struct Performance {  // cudnnConvolutionFwdAlgoPerf_t
  int algorithm, status;
  float milliseconds;
  std::size_t workspace_bytes;
  int determinism, math_type;
  int reserved[3];
};

struct Api {
  std::string missing;  // why it cannot be used; empty when it can
  int (*create)(Handle*) = nullptr;
  int (*set_stream)(Handle, void* stream) = nullptr;
  int (*create_tensor)(Tensor*) = nullptr;
  int (*destroy_tensor)(Tensor) = nullptr;
  int (*set_tensor)(Tensor, int layout, int type, int n, int c, int h, int w) = nullptr;
  int (*create_weights)(Weights*) = nullptr;
  int (*destroy_weights)(Weights) = nullptr;
  int (*set_weights)(Weights, int type, int layout, int k, int c, int h, int w) = nullptr;
  int (*create_convolution)(Convolution*) = nullptr;
  int (*destroy_convolution)(Convolution) = nullptr;
  int (*set_convolution)(Convolution, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w,
                         int mode, int compute_type) = nullptr;
  int (*set_math_type)(Convolution, int math_type) = nullptr;
  int (*suggest)(Handle, Tensor in, Weights, Convolution, Tensor out, int asked, int* found, Performance*) = nullptr;
  int (*measure)(Handle, Tensor in, Weights, Convolution, Tensor out, int asked, int* found, Performance*) = nullptr;
  int (*workspace_size)(Handle, Tensor in, Weights, Convolution, Tensor out, int algorithm, std::size_t*) = nullptr;
  int (*forward)(Handle, const void* alpha, Tensor, const void* in, Weights, const void* weights, Convolution,
                 int algorithm, void* workspace, std::size_t workspace_bytes, const void* beta, Tensor,
                 void* out) = nullptr;
};

inline Api find() {
  const DynamicLibrary library({"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"}, "nvidia/cudnn/lib");
  Api a;
  if (!library)
    a.missing = "cuDNN is not installed: install the package libcudnn9-cuda-13 (libcudnn9-cuda-12 for CUDA 12)";
  else if (!library.find("cudnnCreate", a.create) || !library.find("cudnnSetStream", a.set_stream) ||
           !library.find("cudnnCreateTensorDescriptor", a.create_tensor) ||
           !library.find("cudnnDestroyTensorDescriptor", a.destroy_tensor) ||
           !library.find("cudnnSetTensor4dDescriptor", a.set_tensor) ||
           !library.find("cudnnCreateFilterDescriptor", a.create_weights) ||
           !library.find("cudnnDestroyFilterDescriptor", a.destroy_weights) ||
           !library.find("cudnnSetFilter4dDescriptor", a.set_weights) ||
           !library.find("cudnnCreateConvolutionDescriptor", a.create_convolution) ||
           !library.find("cudnnDestroyConvolutionDescriptor", a.destroy_convolution) ||
           !library.find("cudnnSetConvolution2dDescriptor", a.set_convolution) ||
           !library.find("cudnnSetConvolutionMathType", a.set_math_type) ||
           !library.find("cudnnGetConvolutionForwardAlgorithm_v7", a.suggest) ||
           !library.find("cudnnFindConvolutionForwardAlgorithm", a.measure) ||
           !library.find("cudnnGetConvolutionForwardWorkspaceSize", a.workspace_size) ||
           !library.find("cudnnConvolutionForward", a.forward))
    a.missing = "the installed cuDNN lacks cudnnConvolutionForward: version 8 or 9 is needed";
  return a;
}
using Library = convoscope::Library<Api, find>;

inline const Api& api() { return Library::usable(); }

inline void check(int status, const char* what) {
  if (status != 0) throw Error(std::string("cuDNN: ") + what + " failed with status " + std::to_string(status));
}

inline Handle make_handle() {
  Handle handle = nullptr;
  check(api().create(&handle), "cudnnCreate");
  return handle;
}
inline void use_stream(Handle handle, void* stream) { check(api().set_stream(handle, stream), "cudnnSetStream"); }
using HandleLease = convoscope::HandleLease<Handle, make_handle, use_stream>;

// Owns one descriptor.
template <class Descriptor>
class Owned {
 public:
  Owned(int (*create)(Descriptor*), int (*destroy)(Descriptor)) : destroy_(destroy) {
    check(create(&descriptor_), "making a descriptor");
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy_(descriptor_); }
  operator Descriptor() const { return descriptor_; }

 private:
  Descriptor descriptor_ = nullptr;
  int (*destroy_)(Descriptor);
};

}  // namespace convoscope::libcudnn
