#pragma once
// The part of cuFFT that we call, declared by us so that nothing is needed at build time.
#include <utility>

#include "kernels/libraries/dynamic_library.h"
#include "kernels/text/error.h"

namespace convoscope::libcufft {

inline constexpr int real_to_complex = 0x2a;  // CUFFT_R2C
inline constexpr int complex_to_real = 0x2c;  // CUFFT_C2R

struct Api {
  std::string missing;  // why it cannot be used; empty when it can
  int (*create)(int* plan) = nullptr;
  int (*destroy)(int plan) = nullptr;
  int (*set_auto_allocation)(int plan, int automatic) = nullptr;
  int (*make_plan_many)(int plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                        int odist, int type, int batch, std::size_t* work_bytes) = nullptr;
  int (*set_work_area)(int plan, void* memory) = nullptr;
  int (*set_stream)(int plan, void* stream) = nullptr;
  int (*r2c)(int plan, float* in, void* out) = nullptr;
  int (*c2r)(int plan, void* in, float* out) = nullptr;
};

inline Api find() {
  const DynamicLibrary library({"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"},
                               "nvidia/cufft/lib");
  Api result;
  if (!library)
    result.missing = "cuFFT is not installed: install the package libcufft-13-0 (or the CUDA Toolkit)";
  else if (!library.find("cufftCreate", result.create) || !library.find("cufftDestroy", result.destroy) ||
           !library.find("cufftSetAutoAllocation", result.set_auto_allocation) ||
           !library.find("cufftMakePlanMany", result.make_plan_many) ||
           !library.find("cufftSetWorkArea", result.set_work_area) ||
           !library.find("cufftSetStream", result.set_stream) || !library.find("cufftExecR2C", result.r2c) ||
           !library.find("cufftExecC2R", result.c2r))
    result.missing = "the installed cuFFT is too old: the one of CUDA 11 or newer is needed";
  return result;
}
using Library = convoscope::Library<Api, find>;

inline const Api& api() { return Library::usable(); }

inline void check(int status, const char* what) {
  if (status != 0) throw Error(std::string("cuFFT: ") + what + " failed with status " + std::to_string(status));
}

// `batch` transforms of reals, one after another in memory, to or from complex numbers. The work area is the caller's.
// Move-only.
class Transform {
 public:
  Transform() = default;
  // Of height × width reals, and height × (width/2 + 1) complex numbers.
  Transform(int type, int width, int height, int batch) : Transform() {
    create();
    int sizes[2] = {height, width};
    check(api().make_plan_many(plan_, 2, sizes, nullptr, 1, 0, nullptr, 1, 0, type, batch, &work_bytes_),
          "cufftMakePlanMany");
  }
  // Of `size` reals, and size/2 + 1 complex numbers. Each transform's reals begin `distance` floats after those of the
  // one before; where they are only read, they may overlap.
  static Transform of_row(int type, int size, int distance, int batch) {
    Transform result;
    result.create();
    int complex_size = size / 2 + 1;
    const bool forward = type == real_to_complex;
    int* const in_size = forward ? &size : &complex_size;  // that they are given is what makes the distances count
    int* const out_size = forward ? &complex_size : &size;
    const int in_distance = forward ? distance : complex_size, out_distance = forward ? complex_size : distance;
    check(api().make_plan_many(result.plan_, 1, &size, in_size, 1, in_distance, out_size, 1, out_distance, type, batch,
                               &result.work_bytes_),
          "cufftMakePlanMany");
    return result;
  }
  Transform(Transform&& other) noexcept
      : plan_(std::exchange(other.plan_, -1)), work_bytes_(std::exchange(other.work_bytes_, 0)) {}
  Transform& operator=(Transform&& other) noexcept {
    std::swap(plan_, other.plan_);
    std::swap(work_bytes_, other.work_bytes_);
    return *this;
  }
  ~Transform() {
    if (plan_ >= 0) api().destroy(plan_);
  }
  std::size_t work_bytes() const { return work_bytes_; }
  void set_work_area(void* memory) { check(api().set_work_area(plan_, memory), "cufftSetWorkArea"); }

  // Enqueued on the stream.
  void forward(float* in, void* out, void* stream) const {
    check(api().set_stream(plan_, stream), "cufftSetStream");
    check(api().r2c(plan_, in, out), "cufftExecR2C");
  }
  void inverse(void* in, float* out, void* stream) const {  // overwrites `in`
    check(api().set_stream(plan_, stream), "cufftSetStream");
    check(api().c2r(plan_, in, out), "cufftExecC2R");
  }

 private:
  void create() {
    check(api().create(&plan_), "cufftCreate");
    check(api().set_auto_allocation(plan_, 0), "cufftSetAutoAllocation");
  }

  int plan_ = -1;
  std::size_t work_bytes_ = 0;
};

}  // namespace convoscope::libcufft
