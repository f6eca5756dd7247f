// A tile of each channel in shared memory. Idea: a block makes T × T outputs of one map; channel after channel its
// threads load what these need together, with the channel's K² weights, and add its products.
// Traffic: (T+K−1)²·C/g / T² loads per output at stride 1; every product takes two loads from shared memory.
// Limits: two barriers a channel, at which nobody computes; every map loads the same tiles again.
#include "kernels/device/parts/shared_tile.cuh"
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/tiles.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::tiled {

namespace {

// What the block brings of a channel, or of a map's gradient; the weights lie behind it.
struct Tile {
  int side;   // rows and columns
  int pitch;  // elements from row to row
};

// Rows and columns from (top, left) on of a plane; zeros where there are none.
__device__ inline void load_tile(const Shared<float>& shared, const Tile& tile, const float* plane, std::ptrdiff_t row,
                                 int top, int left, int height, int width) {
  for (int j = threadIdx.y; j < tile.side; j += blockDim.y)
    for (int i = threadIdx.x; i < tile.side; i += blockDim.x) {
      const int y = top + j, x = left + i;
      const bool inside = y >= 0 && y < height && x >= 0 && x < width;
      shared[j * tile.pitch + i] = inside ? read(plane + y * row + x) : 0.0f;
    }
}
__device__ inline void load_weights(const Shared<float>& shared, const float* weights, int count) {
  for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < count; k += blockDim.x * blockDim.y) shared[k] = weights[k];
}

__global__ void __launch_bounds__(1024) layer_tiled(LayerInputs in, Planes<float> y, LayerExtents e,
                                                    LayerEpilogue epilogue, const float* weights, Tile tile) {
  const auto [m, ho, wo] = place_in_tile(e.out_width);
  const int n = static_cast<int>(blockIdx.z), first = e.first_channel(m), taps = e.filter * e.filter;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int top = e.input_index(ho - ty, 0), left = e.input_index(wo - tx, 0);
  const Shared<float> inputs = shared_memory<float>(0, tile.side * tile.pitch);
  const Shared<float> bank = shared_memory<float>(sizeof(float) * tile.side * tile.pitch, taps);

  float sum = 0;
  for (int c = first; c < first + e.group_channels(); ++c) {
    if (c > first) __syncthreads();  // nobody needs the channel before any more
    load_tile(inputs, tile, in.x.at(n * e.channels + c, 0), in.x.row, top, left, e.height, e.width);
    load_weights(bank, weights + e.weight_index(m, c, 0, 0), taps);
    __syncthreads();
    for (int i = 0, tap = 0; i < e.filter; ++i) {
      const int row = (ty * e.stride + i * e.dilation) * tile.pitch + tx * e.stride;
      for (int j = 0; j < e.filter; ++j, ++tap) sum = fmaf(bank[tap], inputs[row + j * e.dilation], sum);
    }
  }
  if (ho < e.out_height && wo < e.out_width) y.at(n * e.maps + m, ho, wo) = epilogue.finish(sum, m);
}

// The first output row (or column) in which a tile of dX that begins at `input` can have been.
CONVOSCOPE_HOST_DEVICE inline int first_output(int input, const LayerExtents& e) {
  const int steps = input + e.padding - (e.filter - 1) * e.dilation;
  return steps <= 0 ? 0 : ceil_div(steps, e.stride);
}

__global__ void __launch_bounds__(1024) layer_tiled_to_input(LayerInputs in, Planes<float> dx, LayerExtents e,
                                                             LayerEpilogue, const float* weights, Tile tile) {
  const auto [c, hi, wi] = place_in_tile(e.width);
  const int n = static_cast<int>(blockIdx.z), first = e.first_map(c), taps = e.filter * e.filter;
  const int top = first_output(hi - static_cast<int>(threadIdx.y), e);
  const int left = first_output(wi - static_cast<int>(threadIdx.x), e);
  const Shared<float> gradients = shared_memory<float>(0, tile.side * tile.pitch);
  const Shared<float> bank = shared_memory<float>(sizeof(float) * tile.side * tile.pitch, taps);

  float sum = 0;
  for (int m = first; m < first + e.group_maps(); ++m) {
    if (m > first) __syncthreads();
    load_tile(gradients, tile, in.dy.at(n * e.maps + m, 0), in.dy.row, top, left, e.out_height, e.out_width);
    load_weights(bank, weights + e.weight_index(m, c, 0, 0), taps);
    __syncthreads();
    for (int i = 0; i < e.filter; ++i) {
      const int ho = e.output_index(hi, i, e.out_height);
      for (int j = 0; ho >= 0 && j < e.filter; ++j)
        if (const int wo = e.output_index(wi, j, e.out_width); wo >= 0)
          sum = fmaf(bank[i * e.filter + j], gradients[(ho - top) * tile.pitch + wo - left], sum);
    }
  }
  if (hi < e.height && wi < e.width) dx.at(n * e.channels + c, hi, wi) = sum;
}

constexpr int tile_sides[] = {8, 16, 32};
constexpr Tunable tunables[] = {
    {"tile", "Tile", "Outputs of a tile along x and y, and threads of the block", tile_sides, 16},
};

Tile tile_of(const Problem& p, const Tuned& t) {
  const LayerExtents e = layer_extents(p);
  const int outputs = t["tile"], reach = (e.filter - 1) * e.dilation;
  const int side =
      p.layer.pass == Pass::forward ? (outputs - 1) * e.stride + reach + 1 : (outputs - 1 + reach) / e.stride + 1;
  return {side, tile_pitch(side, outputs)};
}
LaunchShape launch_of(const Problem& p, const Tuned& t) {
  const Tile tile = tile_of(p, t);
  const auto floats = static_cast<std::size_t>(tile.side) * static_cast<std::size_t>(tile.pitch) +
                      static_cast<std::size_t>(p.filter.taps());
  const int outputs = t["tile"];
  return launch_tiles(p, dim3(outputs, outputs), floats * sizeof(float));
}

}  // namespace

extern const Strategy strategy{
    .id = "tiled",
    .title = "A tile of each channel",
    .idea =
        "The block is a tile of outputs of one map. Channel after channel its threads load the larger input tile and "
        "the channel's weights into shared memory together, and each adds the products of its own output.",
    .reading = "PMPP 4th ed., ch. 7.4 and 16.3",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, layer_roundings(p)); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
      if (std::string reason = no_bank_reason(p); !reason.empty()) return reason;
      const LaunchShape launch = launch_of(p, t);
      if (std::string reason = block_size_reason(launch.block.x, launch.block.y, device); !reason.empty())
        return reason;
      if (std::string reason = shared_memory_reason(launch.shared_bytes, device); !reason.empty()) return reason;
      return grid_reason(launch.grid);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const bool forward = p.layer.pass == Pass::forward;
      return std::make_unique<GlobalWeightsPlan<LayerViews, Tile>>(p, forward ? "layer_tiled" : "layer_tiled_to_input",
                                                                   forward ? layer_tiled : layer_tiled_to_input,
                                                                   launch_of(p, t), tile_of(p, t));
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const double outputs = t["tile"], side = tile_of(p, t).side;
          const int planes = p.layer.pass == Pass::forward ? p.filter.channels : p.layer.maps / p.layer.groups;
          Cost cost = direct_cost(p);
          cost.shared_loads_per_output = 2 * cost.global_loads_per_output;
          cost.global_loads_per_output = planes * side * side / (outputs * outputs);
          cost.weight_loads_per_output = planes * p.filter.taps() / (outputs * outputs);
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Correlation c = correlation_of(p);
          const LayerExtents e = layer_extents(p);
          const bool forward = p.layer.pass == Pass::forward;
          KernelStep step =
              explain_tile(forward ? "layer_tiled" : "layer_tiled_to_input", c, launch_of(p, t).block, at);
          const PixelArea block = step.outputs[0];
          const int side = tile_of(p, t).side, left = forward ? e.input_index(block.x, 0) : first_output(block.x, e),
                    top = forward ? e.input_index(block.y, 0) : first_output(block.y, e);
          step.tile = {{left, top, side, side}};
          step.words = "For each of " + std::to_string(c.group_sources()) +
                       " planes in turn, the threads of the block load the tile and the plane's " +
                       std::to_string(c.filter * c.filter) +
                       " weights together. Then each adds to the sum of its own output: " + products_text(c) +
                       " in all, their factors from shared memory.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::tiled
