// A tile whose block covers its output. Idea: the input tile, halo included, is larger than the block; the threads
// share its loading in a loop, row by row, and then all of them compute.
// Traffic: (T+M−1)²/T² loads per output for tiles of T × T; DRAM sees the image once.
// Limits: shared memory holds (T+2r)² pixels; the loop's last turn along each row has work for 2r threads only; every
// tap is one load from shared memory, which is the next bottleneck.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/model.h"
#include "kernels/contract/tolerance.h"
#include "kernels/device/shared_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024) filter_tiled_halo(ImageView<const Pixel> in, ImageView<Pixel> out, int rx,
                                                          int ry, int pitch, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  const int tile_width = width + 2 * rx, tile_height = height + 2 * ry;
  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * tile_height);
  for (int j = ty; j < tile_height; j += height)
    for (int i = tx; i < tile_width; i += width) tile[j * pitch + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border);
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

class TiledHaloPlan final : public ImagePlan {
 public:
  TiledHaloPlan(const Problem& problem, const Tile& tile)
      : problem_(problem),
        tile_(tile),
        block_(tile.width, tile.height),
        grid_(ceil_div(problem.width, tile.width), ceil_div(problem.height, tile.height)) {
    weights_.set(problem.filter);
    dispatch(problem_.format, problem_.filter.is_magnitude(),
             [&]<class Pixel, int Sums>() { allow_shared(filter_tiled_halo<Pixel, Sums>, tile_.shared_bytes); });
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue(const Image& in, const Image& out, Stream stream) override {
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      launch(filter_tiled_halo<Pixel, Sums>, grid_, block_, tile_.shared_bytes, stream, in.view<const Pixel>(),
             out.view<Pixel>(), problem_.filter.rx(), problem_.filter.ry(), tile_.pitch, problem_.border,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      return std::vector<KernelInfo>{
          describe("filter_tiled_halo", filter_tiled_halo<Pixel, Sums>, grid_, block_, tile_.shared_bytes)};
    });
  }

 private:
  Problem problem_;
  Tile tile_;
  dim3 block_, grid_;
  ConstantWeights weights_;
};

}  // namespace

extern const Strategy tiled_halo_strategy;
const Strategy tiled_halo_strategy{
    .id = "tiled-halo",
    .title = "Tile, block = output",
    .idea =
        "The block is the output tile. Its threads load the larger input tile into shared memory together, in a loop, "
        "and then each computes an output from there: no thread idles, and global memory is read about once.",
    .reading = "PMPP 4th ed., ch. 7.4, second thread organisation",
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
      return std::make_unique<TiledHaloPlan>(p, tile_of(p, t));
    },
    .model =
        [](const Problem& p, const Tuning& t) {
          const Tile tile = tile_of(p, t);
          return tiled_cost(p, tile.width, tile.height);
        },
    .explain =
        [](const Problem& p, const Device&, const Tuning& t, int x, int y) {
          const Tile tile = tile_of(p, t);
          KernelStep step = one_thread_per_output("filter_tiled_halo", tile.width, tile.height, x, y);
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          step.words =
              "The threads of the block load the tile together, one block after another across it and down, and then "
              "compute an output each from shared memory.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

namespace {
Tile tile_of(const Problem& problem, const Tuning& tuning) {
  const int width = tuned(tiled_halo_strategy, tuning, "tile_width");
  const int height = tuned(tiled_halo_strategy, tuning, "tile_height");
  const int pitch = tile_pitch(width + 2 * problem.filter.rx(), width);
  const auto elements = static_cast<std::size_t>(pitch) * (height + 2 * problem.filter.ry());
  return {width, height, pitch, elements * bytes_per_pixel(problem.format)};
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET
