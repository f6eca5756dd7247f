// A thread for each pixel. Traffic: take_plane reads 4 bytes and writes 4; join_planes reads 16 or 20 and writes 4.
#include "kernels/convert/alpha_pixels.h"
#include "kernels/device/device.cuh"

namespace convoscope {
namespace cuda {
namespace {

__global__ void take_plane(Image picture, int channel, Image plane) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < picture.width && y < picture.height) take_plane_pixel(picture, channel, plane, x, y);
}

__global__ void join_planes(AlphaJoin join, Image picture, Image out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < picture.width && y < picture.height) join_pixel(join, picture, out, x, y);
}

constexpr int alpha_block_width = 32, alpha_block_height = 8;
dim3 alpha_grid(const Image& picture) {
  return dim3(static_cast<unsigned>(ceil_div(picture.width, alpha_block_width)),
              static_cast<unsigned>(ceil_div(picture.height, alpha_block_height)));
}

}  // namespace
}  // namespace cuda

void enqueue_take_plane(const Image& picture, int channel, const Image& plane, Stream stream) {
  cuda::launch(cuda::take_plane, cuda::alpha_grid(picture), dim3(cuda::alpha_block_width, cuda::alpha_block_height), 0,
               stream, picture, channel, plane);
}
void enqueue_join(const AlphaJoin& join, const Image& picture, const Image& out, Stream stream) {
  cuda::launch(cuda::join_planes, cuda::alpha_grid(picture), dim3(cuda::alpha_block_width, cuda::alpha_block_height), 0,
               stream, join, picture, out);
}

}  // namespace convoscope
