// A tile whose regions are loaded by different threads. Idea: the block is the output tile; each thread loads its own
// place of the centre, then the threads next to a side load that side of the halo, and those next to a corner the
// corner.
// Traffic: (T+M−1)²/T² loads per output for tiles of T × T; DRAM sees the image once.
// Limits: shared memory holds (T+2r)² pixels; nine short loops, each with work for few threads: for a small radius
// most of the warps pass the sides and corners by, where the plain loop of tiled-halo keeps them together.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/model.h"
#include "kernels/contract/tolerance.h"
#include "kernels/device/shared_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024, 1)
    filter_tiled_halo_regions(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, int pitch, Border border,
                              Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * (height + 2 * ry));
  const auto load = [&](int i, int j) { tile[j * pitch + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border); };
  // The thread at the very left starts at the left side's first column, the one at the very right at the right side's
  // last; a side that is wider than the block takes several turns.
  const int from_right = width - 1 - tx, from_bottom = height - 1 - ty;
  const int last_column = width + 2 * rx - 1, last_row = height + 2 * ry - 1;
  load(rx + tx, ry + ty);                                                       // centre
  for (int i = tx; i < rx; i += width) load(i, ry + ty);                        // left
  for (int i = from_right; i < rx; i += width) load(last_column - i, ry + ty);  // right
  for (int j = ty; j < ry; j += height) load(rx + tx, j);                       // top
  for (int j = from_bottom; j < ry; j += height) load(rx + tx, last_row - j);   // bottom
  for (int j = ty; j < ry; j += height) {
    for (int i = tx; i < rx; i += width) load(i, j);                        // top left
    for (int i = from_right; i < rx; i += width) load(last_column - i, j);  // top right
  }
  for (int j = from_bottom; j < ry; j += height) {
    for (int i = tx; i < rx; i += width) load(i, last_row - j);                        // bottom left
    for (int i = from_right; i < rx; i += width) load(last_column - i, last_row - j);  // bottom right
  }
  __syncthreads();

  const int x = x0 + tx, y = y0 + ty;
  const auto sums = sum_of_tile<Sums, Rows::together>(tile, pitch, tx, ty, 2 * rx + 1, 2 * ry + 1, weights);
  if (x < out.width && y < out.height) *pixel_at(out, x, y) = sums.finish(epilogue, tile[(ty + ry) * pitch + tx + rx]);
}

constexpr int tile_widths[] = {8, 16, 32, 64};
constexpr int tile_heights[] = {4, 8, 16, 32, 64};
constexpr Tunable tunables[] = {
    {"tile_width", "Tile width", "Outputs of a tile along x, and threads of the block", tile_widths, 32},
    {"tile_height", "Tile height", "Outputs of a tile along y, and threads of the block", tile_heights, 16},
};

struct Tile {
  int width, height, pitch;
  std::size_t shared_bytes;
};
Tile tile_of(const Problem& problem, const Tuning& tuning);

class TiledHaloRegionsPlan final : public ImagePlan {
 public:
  TiledHaloRegionsPlan(const Problem& problem, const Tile& tile)
      : problem_(problem),
        tile_(tile),
        block_(tile.width, tile.height),
        grid_(ceil_div(problem.width, tile.width), ceil_div(problem.height, tile.height)) {
    weights_.set(problem.filter);
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      allow_shared(filter_tiled_halo_regions<Pixel, Sums>, tile_.shared_bytes);
    });
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue(const Image& in, const Image& out, Stream stream) override {
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      launch(filter_tiled_halo_regions<Pixel, Sums>, grid_, block_, tile_.shared_bytes, stream, in.view<const Pixel>(),
             out.view<Pixel>(), problem_.filter.rx(), problem_.filter.ry(), tile_.pitch, problem_.border,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      return std::vector<KernelInfo>{describe("filter_tiled_halo_regions", filter_tiled_halo_regions<Pixel, Sums>,
                                              grid_, block_, tile_.shared_bytes)};
    });
  }

 private:
  Problem problem_;
  Tile tile_;
  dim3 block_, grid_;
  ConstantWeights weights_;
};

}  // namespace

extern const Strategy tiled_halo_regions_strategy;
const Strategy tiled_halo_regions_strategy{
    .id = "tiled-halo-regions",
    .title = "Tile, halo by regions",
    .idea =
        "As tiled-halo, but the parts of the input tile are loaded by different threads: each its own place of the "
        "centre, the threads at an edge of the block that side of the halo, those at a corner the corner.",
    .reading = "PMPP 4th ed., ch. 7.4, halo cells",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.width * p.filter.height); },
    .unsupported = [](const Problem& p, const Device& device, const Tuning& t) -> std::string {
      if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
      const Tile tile = tile_of(p, t);
      if (std::string reason = block_size_reason(tile.width, tile.height, device); !reason.empty()) return reason;
      return shared_memory_reason(tile.shared_bytes, device);
    },
    .plan = [](const Problem& p, const Device&, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<TiledHaloRegionsPlan>(p, tile_of(p, t));
    },
    .model =
        [](const Problem& p, const Tuning& t) {
          const Tile tile = tile_of(p, t);
          return tiled_cost(p, tile.width, tile.height);
        },
    .explain =
        [](const Problem& p, const Device&, const Tuning& t, int x, int y) {
          const Tile tile = tile_of(p, t);
          KernelStep step = one_thread_per_output("filter_tiled_halo_regions", tile.width, tile.height, x, y);
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          step.words =
              "Each thread loads its own place of the centre; the threads at an edge of the block also load that side "
              "of the halo, those at a corner the corner. Then each computes an output from shared memory.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

namespace {
Tile tile_of(const Problem& problem, const Tuning& tuning) {
  const int width = tuned(tiled_halo_regions_strategy, tuning, "tile_width");
  const int height = tuned(tiled_halo_regions_strategy, tuning, "tile_height");
  const int pitch = tile_pitch(width + 2 * problem.filter.rx(), width);
  const auto elements = static_cast<std::size_t>(pitch) * (height + 2 * problem.filter.ry());
  return {width, height, pitch, elements * bytes_per_pixel(problem.format)};
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET
