// Only the inner tile in shared memory. Idea: a block's halo is the inner part of its neighbours' tiles, which they
// load at about the same time, so it is likely in L2 when it is wanted: leave it there and keep the tile as large as
// the block.
// Traffic: 1 load per output for the tile; the halo's M² minus the taps inside of the tile are loads that caches
// serve.
// Limits: every tap asks whether it lies in the tile, and the threads of a warp answer differently at the tile's
// edge; a filter much wider than the tile finds little in it and becomes `constant`.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/model.h"
#include "kernels/contract/tolerance.h"
#include "kernels/device/shared_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024) filter_tiled_cached_halo(ImageView<const Pixel> in, ImageView<Pixel> out,
                                                                 int rx, int ry, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  const int x = x0 + tx, y = y0 + ty;
  const Shared<Pixel> tile = shared_memory<Pixel>(0, width * height);
  const Pixel own = load_pixel(in, x, y, border);
  tile[ty * width + tx] = own;
  __syncthreads();

  const bool inside = x < out.width && y < out.height;
  const int count = (2 * rx + 1) * (2 * ry + 1);
  Accumulator<Pixel, Sums> sums;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy) {
    const int j = ty + dy;
    const bool row_inside = j >= 0 && j < height;
    stay_together(Sums * count);
    if (!inside) continue;
    for (int dx = -rx; dx <= rx; ++dx, ++tap) {
      const int i = tx + dx;
      const Pixel pixel =
          row_inside && i >= 0 && i < width ? tile[j * width + i] : load_pixel(in, x + dx, y + dy, border);
      for (int s = 0; s < Sums; ++s) sums.add(pixel, weights[s * count + tap], s);
    }
  }
  if (inside) *pixel_at(out, x, y) = sums.finish(epilogue, own);
}

constexpr int tile_widths[] = {8, 16, 32, 64};
constexpr int tile_heights[] = {4, 8, 16, 32, 64};
constexpr Tunable tunables[] = {
    {"tile_width", "Tile width", "Outputs of a tile along x, and threads of the block", tile_widths, 32},
    {"tile_height", "Tile height", "Outputs of a tile along y, and threads of the block", tile_heights, 16},
};

struct Tile {
  int width, height;
  std::size_t shared_bytes;
};
Tile tile_of(const Problem& problem, const Tuning& tuning);
double taps_inside(const Filter& filter, const Tile& tile);

class TiledCachedHaloPlan final : public ImagePlan {
 public:
  TiledCachedHaloPlan(const Problem& problem, const Tile& tile)
      : problem_(problem),
        tile_(tile),
        block_(tile.width, tile.height),
        grid_(ceil_div(problem.width, tile.width), ceil_div(problem.height, tile.height)) {
    weights_.set(problem.filter);
    dispatch(problem_.format, problem_.filter.is_magnitude(),
             [&]<class Pixel, int Sums>() { allow_shared(filter_tiled_cached_halo<Pixel, Sums>, tile_.shared_bytes); });
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue(const Image& in, const Image& out, Stream stream) override {
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      launch(filter_tiled_cached_halo<Pixel, Sums>, grid_, block_, tile_.shared_bytes, stream, in.view<const Pixel>(),
             out.view<Pixel>(), problem_.filter.rx(), problem_.filter.ry(), problem_.border,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      return std::vector<KernelInfo>{describe("filter_tiled_cached_halo", filter_tiled_cached_halo<Pixel, Sums>, grid_,
                                              block_, tile_.shared_bytes)};
    });
  }

 private:
  Problem problem_;
  Tile tile_;
  dim3 block_, grid_;
  ConstantWeights weights_;
};

}  // namespace

extern const Strategy tiled_cached_halo_strategy;
const Strategy tiled_cached_halo_strategy{
    .id = "tiled-cached-halo",
    .title = "Tile, halo in the cache",
    .idea =
        "Shared memory holds only the tile that the block is made for. The halo is left to the caches: it belongs to "
        "neighbouring blocks that load it at about the same time, so L2 has it.",
    .reading = "PMPP 4th ed., ch. 7.5",
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
      return std::make_unique<TiledCachedHaloPlan>(p, tile_of(p, t));
    },
    .model =
        [](const Problem& p, const Tuning& t) {
          Cost cost = direct_cost(p);
          cost.shared_loads_per_output = taps_inside(p.filter, tile_of(p, t));
          cost.global_loads_per_output += 1 - cost.shared_loads_per_output;
          return cost;
        },
    .explain =
        [](const Problem& p, const Device&, const Tuning& t, int x, int y) {
          const Tile tile = tile_of(p, t);
          KernelStep step = one_thread_per_output("filter_tiled_cached_halo", tile.width, tile.height, x, y);
          step.tile = step.outputs;
          step.direct = {grown(clipped(step.outputs[0], p.width, p.height), p.filter.rx(), p.filter.ry())};
          step.words =
              "Each thread loads its own element of the tile. Inputs of the window that lie in the tile come from "
              "shared "
              "memory, those of the halo from global memory, where neighbouring blocks have just put them in L2.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

namespace {
Tile tile_of(const Problem& problem, const Tuning& tuning) {
  const int width = tuned(tiled_cached_halo_strategy, tuning, "tile_width");
  const int height = tuned(tiled_cached_halo_strategy, tuning, "tile_height");
  return {width, height, static_cast<std::size_t>(width) * height * bytes_per_pixel(problem.format)};
}
// Taps that fall inside of the tile, on average over its outputs: in each dimension, pairs of places at most r apart.
double taps_inside(const Filter& filter, const Tile& tile) {
  const auto pairs = [](double n, int r) {
    double sum = n;
    for (int d = 1; d <= r && d < n; ++d) sum += 2 * (n - d);
    return sum / n;
  };
  return pairs(tile.width, filter.rx()) * pairs(tile.height, filter.ry());
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET
