// A thread for each pixel. Traffic: split_channels reads 4 bytes and writes 2 or 4 for each channel; copy_numbers
// reads 2 or 4 for each and writes 4; paint_wall reads up to 64 and writes 4, however many maps there are; pool_maps
// reads 8 or 16 and writes 2 or 4.
#include "kernels/convert/feature_map_pixels.h"
#include "kernels/device/device.cuh"

namespace convoscope {
namespace cuda {
namespace {

__global__ void split_picture(Image picture, Tensor x_tensor) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < picture.width && y < picture.height) split_pixel(picture, x_tensor, x, y);
}

__global__ void copy_all(Tensor from, Tensor to, int channels, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < width && y < height) copy_place(from, to, channels, x, y);
}

__global__ void paint_maps(Tensor maps, Wall wall, MapColours colours, Image picture) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < picture.width && y < picture.height) paint_pixel(maps, wall, colours, picture, x, y);
}

__global__ void paint_two_frames(Tensor x_tensor, Tensor y_tensor, bool added, Wall wall, Image picture) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < picture.width && y < picture.height) paint_frame_pixel(x_tensor, y_tensor, added, wall, picture, x, y);
}

// A map for each of the grid's z, which goes up to 65,535: of more maps a thread does several.
__global__ void pool_planes(Tensor maps, Tensor pooled) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= pooled.shape.extent[4] || y >= pooled.shape.extent[3]) return;
  for (int map = static_cast<int>(blockIdx.z); map < pooled.shape.extent[1]; map += static_cast<int>(gridDim.z))
    pool_pixel(maps, pooled, map, x, y);
}

constexpr int block_width = 32, block_height = 8;
dim3 grid_over(int width, int height) {
  return dim3(static_cast<unsigned>(ceil_div(width, block_width)),
              static_cast<unsigned>(ceil_div(height, block_height)));
}
dim3 grid_over(const Image& picture) { return grid_over(picture.width, picture.height); }

}  // namespace
}  // namespace cuda

void enqueue_split(const Image& picture, const Tensor& x, Stream stream) {
  cuda::launch(cuda::split_picture, cuda::grid_over(picture), dim3(cuda::block_width, cuda::block_height), 0, stream,
               picture, x);
}
void enqueue_numbers(const Tensor& from, const Tensor& to, Stream stream) {
  const Shape& shape = from.shape;
  cuda::launch(cuda::copy_all, cuda::grid_over(shape.width(), shape.height()),
               dim3(cuda::block_width, cuda::block_height), 0, stream, from, to, shape.channels(), shape.width(),
               shape.height());
}
void enqueue_frames(const Tensor& x, const Tensor& y, bool added, const Wall& wall, const Image& picture,
                    Stream stream) {
  cuda::launch(cuda::paint_two_frames, cuda::grid_over(picture), dim3(cuda::block_width, cuda::block_height), 0, stream,
               x, y, added, wall, picture);
}
void enqueue_paint(const Tensor& maps, const Wall& wall, const MapColours& colours, const Image& picture,
                   Stream stream) {
  cuda::launch(cuda::paint_maps, cuda::grid_over(picture), dim3(cuda::block_width, cuda::block_height), 0, stream, maps,
               wall, colours, picture);
}
void enqueue_pool(const Tensor& maps, const Tensor& pooled, Stream stream) {
  const Shape& to = pooled.shape;
  dim3 grid = cuda::grid_over({nullptr, to.width(), to.height()});
  grid.z = static_cast<unsigned>(to.channels() < 65535 ? to.channels() : 65535);
  cuda::launch(cuda::pool_planes, grid, dim3(cuda::block_width, cuda::block_height), 0, stream, maps, pooled);
}

}  // namespace convoscope
