#pragma once
// Gradients to the weights, kept in registers. A thread has all K² gradients of a few maps and channels; it walks down
// its four columns of a strip, the windows of X above which slide along in registers, and adds the window times dY. The
// threads of a block lie side by side; their sums meet by shuffles, and the strips' in a second kernel.
#include "kernels/device/parts/warp.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/layer/partials.cuh"
#include "kernels/strategies/shared/layer/quads.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

inline constexpr int strip_threads = 128, strip_warps = strip_threads / 32;
inline constexpr int most_strip_rows = 64;

// What a block has: Channels × Maps pairs of one group, fewer at the group's end, of one sample and strip.
struct WeightBlock {
  int map, maps, channel, channels, sample, top;
};
template <int Channels, int Maps>
__device__ inline WeightBlock weight_block(const LayerExtents& e, int strip_rows) {
  const int across = ceil_div(e.group_channels(), Channels), down = ceil_div(e.group_maps(), Maps);
  const int pair = static_cast<int>(blockIdx.x), group = pair / (across * down);
  const int channel = pair % across * Channels, map = pair / across % down * Maps;
  return {group * e.group_maps() + map,         min(Maps, e.group_maps() - map),
          group * e.group_channels() + channel, min(Channels, e.group_channels() - channel),
          static_cast<int>(blockIdx.z),         static_cast<int>(blockIdx.y) * strip_rows};
}

// Of 32 values in each lane the sum over all lanes, value k in lane k. Halves change hands: a lane keeps the half of
// its values that is its own and gives the other away, 31 shuffles instead of 160.
template <int Half = 16>
__device__ inline float totals_of_lanes(float (&values)[32]) {
  const bool upper = lane_index() & Half;
  CONVOSCOPE_UNROLL
  for (int k = 0; k < Half; ++k) {
    const float keep = upper ? values[k + Half] : values[k], give = upper ? values[k] : values[k + Half];
    values[k] = keep + shuffle_xor(give, Half);
  }
  if constexpr (Half > 1) return totals_of_lanes<Half / 2>(values);
  return values[0];
}

// The block's sums into its part of the buffer.
template <int K, int Channels, int Maps>
__device__ inline void store_weight_sums(const float (&sums)[Maps * Channels * K * K], float* partials,
                                         const LayerExtents& e, const WeightBlock& block) {
  constexpr int taps = K * K, count = Maps * Channels * taps, rounds = ceil_div(count, 32);
  const Shared<float> shared = shared_memory<float>(0, strip_warps * rounds * 32);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  CONVOSCOPE_UNROLL
  for (int round = 0; round < rounds; ++round) {
    float values[32];
    CONVOSCOPE_UNROLL
    for (int k = 0; k < 32; ++k) values[k] = round * 32 + k < count ? sums[(round * 32 + k) % count] : 0.0f;
    shared[(warp * rounds + round) * 32 + thread % 32] = totals_of_lanes(values);
  }
  __syncthreads();
  const std::ptrdiff_t part = static_cast<std::ptrdiff_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  float* const out = partials + part * e.maps * e.group_channels() * taps;
  for (int i = thread; i < count; i += strip_threads) {
    const int m = i / (Channels * taps), c = i / taps % Channels, tap = i % taps;
    if (m >= block.maps || c >= block.channels) continue;
    float sum = 0;
    for (int w = 0; w < strip_warps; ++w) sum += shared[w * rounds * 32 + i];
    out[e.weight_index(block.map + m, block.channel + c, tap / K, tap % K)] = sum;
  }
}

// On a multiprocessor, so that the sums and the window stay in registers.
template <int K, int Channels, int Maps>
constexpr int resident_strips = (Maps + 1) * Channels* K* K > 100 ? 2 : 3;

// Grid: pairs of maps and channels, strips of rows (a multiple of K), samples.
template <int K, int Channels, int Maps, Reach reach>
__global__ void __launch_bounds__(strip_threads, (resident_strips<K, Channels, Maps>))
    layer_weight_sums(LayerInputs in, float* partials, LayerExtents e, int rows) {
  const WeightBlock block = weight_block<Channels, Maps>(e, rows);
  const int end = min(block.top + rows, e.out_height);
  float sums[Maps * Channels * K * K] = {};
  CONVOSCOPE_KEEP_LOOP
  for (int column = 4 * static_cast<int>(threadIdx.x); column < e.out_width; column += 4 * strip_threads) {
    float window[Channels][K][K + 3];  // slot r % K holds row r of the strip's inputs
    const float* x = in.x.at(block.sample * e.channels + block.channel, block.top - e.padding) + column - e.padding;
    const float* dy = in.dy.at(block.sample * e.maps + block.map, block.top) + column;
    const auto load_row = [&](int row, int slot) {
      const int i = block.top - e.padding + row;
      CONVOSCOPE_UNROLL
      for (int c = 0; c < Channels; ++c)
        load_neighbours<K, reach>(window[c][slot], x + c * in.x.plane, c < block.channels && i >= 0 && i < e.height,
                                  column, e.padding, e.width);
      x += in.x.row;
    };
    CONVOSCOPE_UNROLL
    for (int row = 0; row < K - 1; ++row) load_row(row, row);
    CONVOSCOPE_KEEP_LOOP
    for (int first = 0; first < rows; first += K) CONVOSCOPE_UNROLL
    for (int step = 0; step < K; ++step, dy += in.dy.row) {
      float gradients[Maps][4];
      CONVOSCOPE_UNROLL
      for (int m = 0; m < Maps; ++m) {
        const bool there = m < block.maps && block.top + first + step < end;
        load_quad<reach>(gradients[m], dy + m * in.dy.plane, there, column, e.out_width);
      }
      load_row(first + step + K - 1, (step + K - 1) % K);
      CONVOSCOPE_UNROLL
      for (int m = 0; m < Maps; ++m) CONVOSCOPE_UNROLL
      for (int c = 0; c < Channels; ++c) CONVOSCOPE_UNROLL
      for (int tap = 0; tap < K * K; ++tap) CONVOSCOPE_UNROLL
      for (int p = 0; p < 4; ++p) {
        float& sum = sums[(m * Channels + c) * K * K + tap];
        sum = fmaf(window[c][(step + tap / K) % K][tap % K + p], gradients[m][p], sum);
      }
    }
  }
  store_weight_sums<K, Channels, Maps>(sums, partials, e, block);
}

// The same for any filter, stride and dilation: one weight after the other.
template <int Warps>
__global__ void layer_weight_sums_anyhow(LayerInputs in, float* partials, LayerExtents e, int rows) {
  const WeightBlock block = weight_block<1, 1>(e, rows);
  const Shared<float> shared = shared_memory<float>(0, Warps);
  const int thread = static_cast<int>(threadIdx.x), bottom = min(block.top + rows, e.out_height);
  const std::ptrdiff_t part = static_cast<std::ptrdiff_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  float* const out = partials + part * e.maps * e.group_channels() * e.filter * e.filter;
  for (int tap = 0; tap < e.filter * e.filter; ++tap) {
    const int i = tap / e.filter, j = tap % e.filter;
    float sum = 0;
    for (int y = block.top; y < bottom; ++y) {
      const int row = e.input_index(y, i);
      if (row < 0 || row >= e.height) continue;
      const float* const dy = in.dy.at(block.sample * e.maps + block.map, y);
      const float* const x = in.x.at(block.sample * e.channels + block.channel, row);
      for (int column = thread; column < e.out_width; column += Warps * 32)
        if (const int from = e.input_index(column, j); from >= 0 && from < e.width)
          sum = fmaf(__ldg(x + from), __ldg(dy + column), sum);
    }
    for (int other = 16; other > 0; other /= 2) sum += shuffle_xor(sum, other);
    if (thread % 32 == 0) shared[thread / 32] = sum;
    __syncthreads();
    if (thread == 0) {
      for (int w = 1; w < Warps; ++w) sum += shared[w];
      out[e.weight_index(block.map, block.channel, i, j)] = sum;
    }
    __syncthreads();
  }
}

inline Fitting fitting(const LayerExtents& e) {
  if (e.stride != 1 || e.dilation != 1) return {};
  return {quads_fit(e.width, e.out_width, e.filter, e.padding), pairs_fit(e.width, e.out_width, e.padding)};
}

struct WeightSums {
  using Kernel = void (*)(LayerInputs, float*, LayerExtents, int rows);
  OfReaches<Kernel> kernels;
  int channels, maps;  // of a block
  int filter;          // K of an unrolled kernel, 1 of the other
  int shared_floats;
};

template <int K, int Channels, int Maps>
WeightSums unrolled_weight_sums() {
  return {{layer_weight_sums<K, Channels, Maps, Reach::singles>, layer_weight_sums<K, Channels, Maps, Reach::pairs>,
           layer_weight_sums<K, Channels, Maps, Reach::quads>},
          Channels,
          Maps,
          K,
          strip_warps * ceil_div(Maps * Channels * K * K, 32) * 32};
}
inline WeightSums any_weight_sums() {
  constexpr WeightSums::Kernel anyhow = layer_weight_sums_anyhow<strip_warps>;
  return {{anyhow, anyhow, anyhow}, 1, 1, 1, strip_warps};
}
inline WeightSums::Kernel usual_kernel(const Problem& p, const WeightSums& sums) {
  return sums.kernels[fitting(layer_extents(p)).usually()];
}
inline bool one_by_one(const Problem& p) { return p.layer.stride == 1 && p.layer.dilation == 1; }

// For many maps and channels: as many of both as leave their gradients in registers.
inline WeightSums many_weight_sums(const Problem& p) {
  if (!one_by_one(p)) return any_weight_sums();
  const int channels = layer_extents(p).group_channels();
  switch (p.filter.width) {
    case 3:
      if (channels == 1) return unrolled_weight_sums<3, 1, 8>();
      return channels == 3 ? unrolled_weight_sums<3, 3, 4>() : unrolled_weight_sums<3, 2, 4>();
    case 5:
      return unrolled_weight_sums<5, 1, 4>();
    case 7:
      return unrolled_weight_sums<7, 1, 2>();
  }
  return any_weight_sums();
}

// For one map and channel.
inline WeightSums single_weight_sums(const Problem& p) {
  if (!one_by_one(p)) return any_weight_sums();
  switch (p.filter.width) {
    case 3:
      return unrolled_weight_sums<3, 1, 1>();
    case 5:
      return unrolled_weight_sums<5, 1, 1>();
    case 7:
      return unrolled_weight_sums<7, 1, 1>();
  }
  return any_weight_sums();
}

inline constexpr int strip_choices[] = {0, 3, 6, 12, 24, 48};
inline constexpr Tunable strip_rows_tunable{
    "strip_rows", "Strip height",
    "To the weights: rows that a block walks down, made a multiple of K. 0: as many as make all blocks resident at "
    "once",
    strip_choices, 0};

inline int weight_pairs(const Problem& p, const WeightSums& sums) {
  const LayerExtents e = layer_extents(p);
  return e.groups * ceil_div(e.group_channels(), sums.channels) * ceil_div(e.group_maps(), sums.maps);
}

// Rows of a strip, a multiple of K. 0 asked for: as many as make all blocks resident at once.
inline int strip_rows_of(const Problem& p, const Device& device, const WeightSums& sums, int asked) {
  const LayerExtents e = layer_extents(p);
  int rows = asked;
  if (rows == 0) {
    const int resident = device.multiprocessors *
                         blocks_per_multiprocessor(usual_kernel(p, sums), dim3(strip_threads),
                                                   sizeof(float) * static_cast<std::size_t>(sums.shared_floats));
    const int strips = std::max(1, resident / std::max(1, weight_pairs(p, sums) * e.samples));
    rows = ceil_div(e.out_height, strips);
  }
  rows = std::min({rows, most_strip_rows, e.out_height});
  return ceil_div(rows, sums.filter) * sums.filter;
}

// Whatever the strip's height is: a thread's column of it and its other columns; the lanes and warps; the strips.
inline int weight_sums_roundings(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  const int columns = std::max(4 * ceil_div(e.out_width, 4 * strip_threads), ceil_div(e.out_width, strip_threads));
  return std::min(most_strip_rows, e.out_height) * columns + 5 + strip_warps +
         PartialSums::roundings(e.samples * e.out_height);
}

// Of strategies whose other passes are sums of products one after another.
inline double sums_or_strips_bound(const Problem& p) {
  return float32_sum_bound(p, p.layer.pass == Pass::to_weights ? weight_sums_roundings(p) : layer_roundings(p));
}

// Checked for strips of one filter's height where the plan chooses, the most that there can be.
inline std::string weight_sums_reason(const Problem& p, const Device& device, const WeightSums& sums, int strip_rows) {
  if (strip_rows < 0) return "A strip cannot have " + std::to_string(strip_rows) + " rows";
  const LayerExtents e = layer_extents(p);
  const int strips = ceil_div(e.out_height, std::max(strip_rows, strip_rows ? 1 : sums.filter));
  if (std::string reason = grid_reason(dim3(weight_pairs(p, sums), strips, e.samples)); !reason.empty()) return reason;
  const int least = strip_rows ? strips : ceil_div(e.out_height, most_strip_rows);
  return memory_reason(PartialSums::bytes(p, e.samples * least), device, "The strips' sums");
}

inline Cost weight_sums_cost(const Problem& p, const WeightSums& sums) {
  Cost cost = direct_cost(p);
  if (sums.filter == 1) return cost;
  const double products = 1.0 * sums.channels * sums.maps * sums.filter * sums.filter;
  const double loads = sums.channels * (sums.filter + 3) / 4.0 + sums.maps;
  cost.global_loads_per_output = layer_terms(p) * loads / products;
  return cost;
}

class WeightSumsPlan final : public Plan {
 public:
  // strip_rows: as the user asks, 0 included.
  WeightSumsPlan(const Problem& problem, const Device& device, const WeightSums& sums, int strip_rows)
      : extents_(layer_extents(problem)),
        sums_(sums),
        usual_(usual_kernel(problem, sums)),
        rows_(strip_rows_of(problem, device, sums, strip_rows)),
        grid_(weight_pairs(problem, sums), ceil_div(extents_.out_height, rows_), extents_.samples),
        partials_(problem, static_cast<int>(grid_.y * grid_.z)) {}
  void set_filter(const Filter&) override {}
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const LayerInputs inputs = layer_inputs(in, Pass::to_weights);
    launch(sums_.kernels[fitting(extents_).in(inputs.x, inputs.dy)], grid_, dim3(strip_threads), shared_bytes(), stream,
           inputs, partials_.data(), extents_, rows_);
    partials_.add(out[0], stream);
  }
  std::vector<KernelInfo> kernels() const override {
    return {describe("layer_weight_sums", usual_, grid_, dim3(strip_threads), shared_bytes()), partials_.kernel()};
  }
  std::string note() const override {
    return "strips of " + std::to_string(rows_) + " rows, " + std::to_string(sums_.channels) + " × " +
           std::to_string(sums_.maps) + " channels and maps a block";
  }

 private:
  std::size_t shared_bytes() const { return sizeof(float) * static_cast<std::size_t>(sums_.shared_floats); }

  LayerExtents extents_;
  WeightSums sums_;
  WeightSums::Kernel usual_;
  int rows_;
  dim3 grid_;
  PartialSums partials_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
