#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "kernels/compute/surface_write.h"
#include "kernels/device/device.cuh"

namespace convoscope {
namespace cuda {
namespace {

// As many panes as one launch takes along; a kernel's parameters may have 4 KB.
constexpr int most_surfaces = 16;

struct SurfaceWrites {
  Image images[most_surfaces];
  cudaSurfaceObject_t surfaces[most_surfaces];
};

// Both formats have four bytes, and a surface takes them as they are. An array is stored in small tiles, so that blocks
// of 32 × 8 write whole ones.
__global__ void write_surfaces(SurfaceWrites writes) {
  const Image& image = writes.images[blockIdx.z];
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= image.width || y >= image.height) return;
  const ImageView<const std::uint32_t> pixels{static_cast<const std::uint32_t*>(image.data), image.width, image.height,
                                              image.pitch};
  const std::uint32_t bits = *pixel_at(pixels, x, y);
  surf2Dwrite(bits, writes.surfaces[blockIdx.z], x * static_cast<int>(sizeof bits), y);
}

}  // namespace
}  // namespace cuda

void enqueue_surface_writes(std::span<const Image> images, std::span<const unsigned long long> surfaces,
                            Stream stream) {
  if (images.size() != surfaces.size()) throw std::logic_error("as many surfaces as images are needed");
  for (std::size_t done = 0; done < images.size();) {
    const std::size_t count = std::min<std::size_t>(images.size() - done, cuda::most_surfaces);
    cuda::SurfaceWrites writes{};
    int width = 1, height = 1;
    for (std::size_t i = 0; i < count; ++i) {
      writes.images[i] = images[done + i];
      writes.surfaces[i] = surfaces[done + i];
      width = std::max(width, images[done + i].width);
      height = std::max(height, images[done + i].height);
    }
    const dim3 block(32, 8);
    const dim3 grid(static_cast<unsigned>(cuda::ceil_div(width, 32)), static_cast<unsigned>(cuda::ceil_div(height, 8)),
                    static_cast<unsigned>(count));
    cuda::launch(cuda::write_surfaces, grid, block, 0, stream, writes);
    done += count;
  }
}

}  // namespace convoscope
