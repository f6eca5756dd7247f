// Three short passes for one long one. Idea: a filter that is the product of one over time, a column and a row needs
// M_t + M_y + M_x products instead of M_t·M_y·M_x. The pass over time is made on the way into the tile, so no frame is
// kept; the columns and then the rows of the tile follow in shared memory.
// Traffic: (T_x+2r_x)(T_y+2r_y)·M_t / (T_x·T_y) loads per output; DRAM sees every frame once.
// Limits: rank 1 in all three directions only; the halo is summed over time, and its columns, by each block anew.
#include "kernels/contract/theory/model.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/filter/volume_separability.h"
#include "kernels/kinds/volume.h"

namespace convoscope::CONVOSCOPE_TARGET::volume::separable {

namespace {

__constant__ float taps[most_volume_frames + 2 * max_filter_taps_1d];  // over time, of the column, of the row
ConstantOwner taps_owner;

template <class Pixel>
__global__ void __launch_bounds__(1024)
    filter_volume_separable(Frames<Pixel> in, ImageView<Pixel> out, Radii r, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;
  const int tile_width = width + 2 * r.x, tile_height = height + 2 * r.y;
  const auto tile = shared_memory<Wide<Pixel>>(0, tile_width * tile_height);
  const auto columns = shared_memory<Wide<Pixel>>(sizeof(Wide<Pixel>) * tile_width * tile_height, tile_width * height);

  for (int j = ty; j < tile_height; j += height)
    for (int i = tx; i < tile_width; i += width) {
      const int sx = border_index(x0 - r.x + i, out.width, border), sy = border_index(y0 - r.y + j, out.height, border);
      Wide<Pixel> sum{};
      for (int t = 0; t <= 2 * r.t && sx >= 0 && sy >= 0; ++t) add(sum, *pixel_at(in[t], sx, sy), taps[t]);
      tile[j * tile_width + i] = sum;
    }
  __syncthreads();
  const int column_taps = 2 * r.t + 1, row_taps = column_taps + 2 * r.y + 1;
  for (int i = tx; i < tile_width; i += width) {
    Wide<Pixel> sum{};
    for (int dy = 0; dy <= 2 * r.y; ++dy) add(sum, tile[(ty + dy) * tile_width + i], taps[column_taps + dy]);
    columns[ty * tile_width + i] = sum;
  }
  __syncthreads();
  const int x = x0 + tx, y = y0 + ty;
  if (x >= out.width || y >= out.height) return;
  Wide<Pixel> sum[1]{};
  for (int dx = 0; dx <= 2 * r.x; ++dx) add(sum[0], columns[ty * tile_width + tx + dx], taps[row_taps + dx]);
  carry_alpha(sum[0], *pixel_at(in[r.t], x, y));
  *pixel_at(out, x, y) = finish_pixel<1>(epilogue, sum);
}

constexpr int tile_widths[] = {16, 32, 64};
constexpr int tile_heights[] = {4, 8, 16, 32};
constexpr Tunable tunables[] = {
    {"tile_width", "Tile width", "Outputs of a tile along x, and threads of the block", tile_widths, 32},
    {"tile_height", "Tile height", "Outputs of a tile along y, and threads of the block", tile_heights, 16},
};

LaunchShape shape_of(const Problem& p, const Tuned& t) {
  const int width = t["tile_width"], height = t["tile_height"];
  const auto columns = static_cast<std::size_t>(width + 2 * p.filter.rx());
  const std::size_t wide = p.format == PixelFormat::rgba8 ? sizeof(Wide<Rgba8>) : sizeof(Wide<float>);
  return {dim3(ceil_div(p.width, width), ceil_div(p.height, height)), dim3(width, height),
          wide * columns * static_cast<std::size_t>(2 * height + 2 * p.filter.ry())};
}

template <class Pixel>
class SeparablePlan final : public VolumePlan<Pixel> {
 public:
  SeparablePlan(const Problem& problem, const LaunchShape& launch)
      : VolumePlan<Pixel>(problem, "filter_volume_separable", filter_volume_separable<Pixel>, launch, nullptr) {
    set_taps(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    VolumePlan<Pixel>::set_filter(filter);
    set_taps(filter);
  }
  void prepare(Stream stream) override { taps_.upload(taps, taps_owner, stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    taps_.expect_in_place();
    VolumePlan<Pixel>::enqueue(in, out, stream);
  }

 private:
  void set_taps(const Filter& filter) {
    const std::optional<VolumeFactors> factors = factor_volume(filter);
    std::vector<float> values = factors->frames;
    values.insert(values.end(), factors->column.begin(), factors->column.end());
    values.insert(values.end(), factors->row.begin(), factors->row.end());
    taps_.set(std::move(values));
  }
  ConstantWeights taps_;
};

}  // namespace

extern const Strategy strategy{
    .id = "separable",
    .title = "Separable: time, columns, rows",
    .idea =
        "Some filters are the product of one over time, a column and a row. A block sums its pixels over time while "
        "it loads them, then sums columns and then rows of what is in shared memory: far fewer products.",
    .reading = "PMPP 4th ed., ch. 7.4 (tiles with halo), applied three times",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = separable_volume_sum_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = separable_volume_reason(p.filter); !reason.empty()) return reason;
      const LaunchShape shape = shape_of(p, t);
      if (std::string reason = block_size_reason(shape.block.x, shape.block.y, device); !reason.empty()) return reason;
      return shared_memory_reason(shape.shared_bytes, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return dispatch(p.format, false, [&]<class Pixel, int>() -> std::unique_ptr<Plan> {
        return std::make_unique<SeparablePlan<Pixel>>(p, shape_of(p, t));
      });
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const dim3 block = shape_of(p, t).block;
      Cost cost = tiled_cost(p, block.x, block.y);
      // A row of the tile has halo on both sides, which is summed over time and along the columns too.
      const double columns = p.filter.height * (block.x + 2.0 * p.filter.rx()) / block.x, rows = p.filter.width;
      cost.flop *= (cost.global_loads_per_output + columns + rows) / p.filter.taps();
      cost.shared_loads_per_output = columns + rows;
      cost.tile_width = cost.tile_height = 0;  // what it holds are sums over time
      return cost;
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const dim3 block = shape_of(p, t).block;
          KernelStep step = one_thread_per_output("filter_volume_separable", block.x, block.y, at.x, at.y);
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          step.words = "The threads of the block sum each pixel of the tile over " + std::to_string(p.filter.depth) +
                       " frames while they load it, then sum the tile's columns, and then each thread sums a row of "
                       "what these have left.";
          return in_all_frames(
              p, Explanation{.steps = {std::move(step)},
                             .words = "The weights are one over time times a column times a row: their product is what "
                                      "is shown."});
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::separable
