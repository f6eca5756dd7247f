#include "kernels/convert/feature_maps.h"

#include "kernels/convert/feature_map_pixels.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {

void split_channels(Backend backend, const Image& picture, const Tensor& x, Stream stream) {
  if (backend == Backend::cuda) return enqueue_split(picture, x, stream);
  parallel_for(picture.height, core_count(), [&](int row, int) {
    for (int column = 0; column < picture.width; ++column) split_pixel(picture, x, column, row);
  });
}

void copy_numbers(Backend backend, const Tensor& from, const Tensor& to, Stream stream) {
  if (backend == Backend::cuda) return enqueue_numbers(from, to, stream);
  const Shape& shape = from.shape;
  parallel_for(shape.height(), core_count(), [&](int row, int) {
    for (int column = 0; column < shape.width(); ++column) copy_place(from, to, shape.channels(), column, row);
  });
}

void paint_frames(Backend backend, const Tensor& x, const Tensor& y, bool added, const Wall& wall, const Image& picture,
                  Stream stream) {
  if (backend == Backend::cuda) return enqueue_frames(x, y, added, wall, picture, stream);
  parallel_for(picture.height, core_count(), [&](int row, int) {
    for (int column = 0; column < picture.width; ++column) paint_frame_pixel(x, y, added, wall, picture, column, row);
  });
}

void paint_wall(Backend backend, const Tensor& maps, const Wall& wall, const MapColours& colours, const Image& picture,
                Stream stream) {
  if (backend == Backend::cuda) return enqueue_paint(maps, wall, colours, picture, stream);
  parallel_for(picture.height, core_count(), [&](int row, int) {
    for (int column = 0; column < picture.width; ++column) paint_pixel(maps, wall, colours, picture, column, row);
  });
}

void pool_maps(Backend backend, const Tensor& maps, const Tensor& pooled, Stream stream) {
  if (backend == Backend::cuda) return enqueue_pool(maps, pooled, stream);
  const Shape& to = pooled.shape;
  parallel_for(to.channels() * to.height(), core_count(), [&](int row, int) {
    for (int x = 0; x < to.width(); ++x) pool_pixel(maps, pooled, row / to.height(), x, row % to.height());
  });
}

}  // namespace convoscope
