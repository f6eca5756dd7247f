// Two passes through the texture unit: no shared memory, no barrier, no apron to load, no border code (but for
// `mirror`, see texture.cuh). Traffic: 2M fetches per output through the texture cache, and one float pixel (16 bytes
// for rgba8) written and read again. Limits: rank 1 only; one fetch per tap, at a quarter of the rate for pixels of 16
// bytes; base and pitch alignment (else the frame is copied); at most 131072 × 65000 pixels, 131040 wide for rgba8.
#include "kernels/strategies/shared/image/texture_passes.cuh"
#include "kernels/strategies/shared/image/two_passes.cuh"

namespace convoscope::CONVOSCOPE_TARGET::separable_texture {
namespace {

__constant__ float taps[max_separable_taps];

// sums: a plane of the image's size for each filter, one below the other.
template <class Pixel, int Sums, bool OwnIndices>
__global__ void __launch_bounds__(1024) filter_rows_texture(cudaTextureObject_t in, ImageView<Wide<Pixel>> sums,
                                                            Coordinates to, int rx, int ry, Border border) {
  // A thread has an output and keeps nothing for others: the texture cache is all that they share.
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= sums.width || y >= sums.height) return;

  // Coordinates are floats whose halves are the pixels' centres; for `wrap` the unit wants the image to be 1 wide.
  const int taps_of_a_filter = 2 * rx + 1 + 2 * ry + 1;
  const float row = (y + 0.5f) * to.scale_y;
  Wide<Pixel> sum[Sums] = {};
  Pixel pixel;
  for (int dx = -rx; dx <= rx; ++dx) {
    // OwnIndices: the unit's own mirror repeats the pixel at the edge and ours does not.
    const int sx = OwnIndices ? border_index(x + dx, sums.width, border) : x + dx;
    // What lies outside the image is the hardware's affair, and costs nothing.
    fetch(in, (sx + 0.5f) * to.scale_x, row, pixel);
    for (int s = 0; s < Sums; ++s) add(sum[s], pixel, taps[s * taps_of_a_filter + rx + dx]);
  }
  fetch(in, (x + 0.5f) * to.scale_x, row, pixel);  // once more, for alpha: a hit in the cache
  carry_alpha(sum[0], pixel);
  // Sums stay floats, and each filter's have a plane of their own.
  for (int s = 0; s < Sums; ++s) *pixel_at(sums, x, s * sums.height + y) = sum[s];
}

struct SumTextures {
  cudaTextureObject_t of_filter[2];
};
template <class Pixel, int Sums, bool OwnIndices>
__global__ void __launch_bounds__(1024) filter_columns_texture(SumTextures sums, ImageView<Pixel> out, Coordinates to,
                                                               int rx, int ry, Border border, Epilogue epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;

  // A row outside the image is the border's row of the intermediate, because the row pass of a copied row is the copied
  // row of the row pass: so the unit's addressing serves here too.
  const int taps_of_a_filter = 2 * rx + 1 + 2 * ry + 1;
  const float column = (x + 0.5f) * to.scale_x;
  Wide<Pixel> sum[Sums] = {}, pixel;
  for (int dy = -ry; dy <= ry; ++dy) {
    const int sy = OwnIndices ? border_index(y + dy, out.height, border) : y + dy;
    for (int s = 0; s < Sums; ++s) {  // pixels of 16 bytes in rgba8, which the unit fetches at a quarter of its rate
      fetch(sums.of_filter[s], column, (sy + 0.5f) * to.scale_y, pixel);
      add(sum[s], pixel, taps[s * taps_of_a_filter + 2 * rx + 1 + ry + dy]);
    }
  }
  fetch(sums.of_filter[0], column, (y + 0.5f) * to.scale_y, pixel);
  carry_alpha(sum[0], pixel);
  *pixel_at(out, x, y) = finish_pixel<Sums>(epilogue, sum);
}

constexpr int block_widths[] = {8, 16, 32, 64};
constexpr int block_heights[] = {4, 8, 16};
constexpr Tunable tunables[] = {
    {"block_width", "Block width", "Threads of a block along x, in both passes", block_widths, 32},
    {"block_height", "Block height", "Threads of a block along y, in both passes", block_heights, 8},
};

struct Passes {
  using SumTextures = separable_texture::SumTextures;
  static constexpr std::array names{"filter_rows_texture", "filter_columns_texture"};
  template <class F>
  static auto with_kernels(const Problem& p, F&& f) {
    return dispatch_texture(p, [&]<class Pixel, int Sums, bool OwnIndices>() {
      return f.template operator()<Pixel, Sums>(filter_rows_texture<Pixel, Sums, OwnIndices>,
                                                filter_columns_texture<Pixel, Sums, OwnIndices>);
    });
  }
};

dim3 block_of(const Tuned& tuning) { return dim3(tuning["block_width"], tuning["block_height"]); }

}  // namespace

extern const Strategy strategy{
    .id = "separable-texture",
    .title = "Separable, texture unit",
    .idea =
        "One kernel filters the rows into a float image, a second one filters its columns, and both read through the "
        "texture unit. Its cache does what shared memory does in the other separable kernels, and its addressing "
        "supplies what lies outside, so a pass is one plain loop.",
    .reading = "CUDA sample convolutionTexture; CUDA C++ Programming Guide, \"Texture memory\"",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = separable_sum_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
      if (std::string reason = texture_size_reason(p); !reason.empty()) return reason;
      constexpr int widest_sums = 131040;  // rows that begin where a texture may, and are no longer than it can be
      if (p.format == PixelFormat::rgba8 && p.width > widest_sums)
        return "The sums of a row of " + std::to_string(p.width) +
               " pixels, 16 bytes each, are more than a texture's row can be: " + std::to_string(widest_sums);
      const dim3 block = block_of(t);
      return block_size_reason(static_cast<int>(block.x), static_cast<int>(block.y), device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<TexturePassPlan<Passes>>(p, block_of(t), upload_to<taps>);
    },
    .costs = [](const Problem& p, const Tuned&) -> Cost {
      Cost cost = two_passes_cost(p, p.filter.width, p.filter.height);
      cost.shared_loads_per_output = 0;
      return cost;
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const dim3 block = block_of(t);
          const int width = static_cast<int>(block.x), height = static_cast<int>(block.y);
          KernelStep rows = one_thread_per_output(Passes::names[0], width, height, at.x, at.y);
          const PixelArea made = clipped(rows.outputs[0], p.width, p.height);
          rows.direct = {grown(made, p.filter.rx(), 0)};
          rows.words =
              "Row pass: each thread fetches the pixels of its row under the filter through the texture unit and "
              "leaves their weighted sum in a float image.";
          KernelStep columns = one_thread_per_output(Passes::names[1], width, height, at.x, at.y);
          columns.direct = {grown(made, 0, p.filter.ry())};
          columns.words =
              "Column pass: each thread fetches the row sums of its column under the filter, through the texture unit "
              "too, and adds them, weighted.";
          return explain_passes(std::move(rows), std::move(columns));
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_texture
