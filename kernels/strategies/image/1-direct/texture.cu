// The image through the texture unit, whose cache is laid out for neighbours in both dimensions, and whose addressing
// knows what lies outside the image (but for `mirror`, see texture.cuh).
// Traffic: M² loads per output, through the texture cache; DRAM sees the image once. Limits: one fetch per tap.
#include "kernels/strategies/shared/image/texture.cuh"

namespace convoscope::CONVOSCOPE_TARGET::texture {

__constant__ float weights[max_filter_weights];

template <class Pixel, int Sums, bool OwnIndices>
__global__ void __launch_bounds__(1024) filter_texture(cudaTextureObject_t in, ImageView<Pixel> out, Coordinates to,
                                                       int rx, int ry, Border border, Epilogue epilogue) {
  // The texture cache keeps small squares of the image: a warp of 16 × 2 threads finds its taps in fewer than 32 × 1.
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  // The last blocks of a row and of a column reach over the image's edge, where there is nothing to compute.
  if (x >= out.width || y >= out.height) return;

  const int count = (2 * rx + 1) * (2 * ry + 1);
  // One sum for each channel; for the magnitude of an edge two (Sums), whose weights lie one set after the other.
  Accumulator<Pixel, Sums> sums;
  Pixel pixel;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy) {
    // OwnIndices: the unit's own mirror repeats the pixel at the edge and ours does not, so `mirror` is computed here.
    const int sy = OwnIndices ? border_index(y + dy, out.height, border) : y + dy;
    for (int dx = -rx; dx <= rx; ++dx, ++tap) {
      const int sx = OwnIndices ? border_index(x + dx, out.width, border) : x + dx;
      // Coordinates are floats whose halves are the pixels' centres; for `wrap` the unit wants the image to be 1 wide.
      // It may read outside the image: what lies there is the hardware's affair, and costs nothing.
      fetch(in, (sx + 0.5f) * to.scale_x, (sy + 0.5f) * to.scale_y, pixel);
      // All threads of a warp read the same weight at the same time: one broadcast.
      for (int s = 0; s < Sums; ++s) sums.add(pixel, weights[s * count + tap], s);
    }
  }
  // The pixel in the middle, whose alpha the output has, is fetched once more: a hit in the cache.
  fetch(in, (x + 0.5f) * to.scale_x, (y + 0.5f) * to.scale_y, pixel);
  *pixel_at(out, x, y) = sums.finish(epilogue, pixel);
}

constexpr Lesson lesson{
    {"texture", "Texture unit", "CUDA C++ Programming Guide, \"Texture memory\" and \"Texture fetching\"",
     "filter_texture"},
    "The image is read through the texture unit, whose cache is made for neighbours in two dimensions and whose "
    "addressing supplies the pixels outside the image, so the kernel has no border code.",
    "Each thread fetches the inputs under the filter through the texture unit, whose cache is made for neighbours in "
    "both dimensions; its addressing supplies what lies outside."};

extern const Strategy strategy = texture_blocks<lesson>([](const Problem& p, const Device&, const Tuned& t) {
  const auto kernels = [own = p.border == Border::mirror]<class Pixel, int Sums>() {
    return own ? filter_texture<Pixel, Sums, true> : filter_texture<Pixel, Sums, false>;
  };
  return plan_for_image<TextureViews>(p, lesson.names.kernel, kernels, launch_of(output_block(t), p),
                                      upload_to<weights>);
});

}  // namespace convoscope::CONVOSCOPE_TARGET::texture
