#pragma once
// Internal to kernels/: what compute.cpp chooses from. The *_without_cuda.cpp files define the CUDA half when nvcc was
// not there, so that nothing above needs an #ifdef.
#include <memory>
#include <string>
#include <vector>

#include "kernels/compute/compute.h"

namespace convoscope {

Device host_device(Backend);  // cpu or emulated
std::unique_ptr<Compute> make_host_compute(Backend);
std::shared_ptr<void> allocate_on_host(std::size_t);  // throws Error

std::string why_cuda_unavailable();                               // asked of the driver once, then remembered
std::string cuda_versions();                                      // "driver 13.0, toolkit 13.0"; empty without CUDA
std::vector<Device> list_cuda_devices();                          // those new enough to run the kernels
std::unique_ptr<Compute> make_cuda_compute(int ordinal);          // throws Error
std::shared_ptr<void> allocate_pinned(int ordinal, std::size_t);  // throws Error

// Rows of `row_bytes` that start `alignment` apart, times height. Throws Error when the size is not positive or when
// the image would not fit in `available` bytes (0: unknown).
struct ImageLayout {
  std::size_t pitch = 0, bytes = 0;
};
ImageLayout image_layout(int width, int height, PixelFormat, std::size_t alignment, const Device&);

// Throws std::logic_error unless both have the same size and format: a mistake of the caller, not of the user.
void require_same_shape(const Image& from, const Image& to);

std::string byte_text(double bytes);  // "33.2 MB"

}  // namespace convoscope
