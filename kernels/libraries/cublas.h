#pragma once
// The part of cuBLAS that we call, declared by us so that nothing is needed at build time.
#include "kernels/libraries/dynamic_library.h"
#include "kernels/libraries/handle_lease.h"
#include "kernels/text/error.h"

namespace convoscope::libcublas {

using Handle = struct Context*;
inline constexpr int no_transpose = 0, transpose = 1;  // CUBLAS_OP_N, CUBLAS_OP_T
inline constexpr int pedantic_math = 2;                // CUBLAS_PEDANTIC_MATH: float32 arithmetic, never TF32

struct Api {
  std::string missing;  // why it cannot be used; empty when it can
  int (*create)(Handle*) = nullptr;
  int (*set_stream)(Handle, void* stream) = nullptr;
  int (*set_workspace)(Handle, void* device_memory, std::size_t bytes) = nullptr;
  int (*set_math_mode)(Handle, int mode) = nullptr;
  // Column-major: y = alpha · A x + beta · y with A m × n; C = alpha · A B + beta · C with A m × k, B k × n.
  int (*sgemv)(Handle, int transpose, int m, int n, const float* alpha, const float* a, int lda, const float* x,
               int incx, const float* beta, float* y, int incy) = nullptr;
  int (*sgemm)(Handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha, const float* a,
               int lda, const float* b, int ldb, const float* beta, float* c, int ldc) = nullptr;
};

inline Api find() {
  const DynamicLibrary library({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"},
                               "nvidia/cublas/lib");
  Api result;
  if (!library)
    result.missing = "cuBLAS is not installed: install the package libcublas-13-0 (or the CUDA Toolkit)";
  else if (!library.find("cublasCreate_v2", result.create) || !library.find("cublasSetStream_v2", result.set_stream) ||
           !library.find("cublasSetWorkspace_v2", result.set_workspace) ||
           !library.find("cublasSetMathMode", result.set_math_mode) || !library.find("cublasSgemv_v2", result.sgemv) ||
           !library.find("cublasSgemm_v2", result.sgemm))
    result.missing = "the installed cuBLAS is too old: version 11 or newer is needed";
  return result;
}
using Library = convoscope::Library<Api, find>;

inline const Api& api() { return Library::usable(); }

inline void check(int status, const char* what) {
  if (status != 0) throw Error(std::string("cuBLAS: ") + what + " failed with status " + std::to_string(status));
}

inline Handle make_handle() {
  Handle handle = nullptr;
  check(api().create(&handle), "cublasCreate");
  check(api().set_math_mode(handle, pedantic_math), "cublasSetMathMode");
  return handle;
}
inline void use_stream(Handle handle, void* stream) { check(api().set_stream(handle, stream), "cublasSetStream"); }
using HandleLease = convoscope::HandleLease<Handle, make_handle, use_stream>;

}  // namespace convoscope::libcublas
