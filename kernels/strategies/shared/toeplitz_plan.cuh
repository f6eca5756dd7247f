#pragma once
// What tensor-core-half says and does on the host, alike for pictures and volumes; see toeplitz_stream.cuh.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/cuda_raii.h"
#include "kernels/strategies/shared/toeplitz_stream.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int toeplitz_warp_choices[] = {0, 4, 8, 10, 12, 16, 20};
inline constexpr int toeplitz_depths[] = {0, 2, 3, 4, 6};
inline constexpr Tunable toeplitz_tunables[] = {
    {"warps", "Warps",
     "Of a multiprocessor, each with a strip so high that all are done in one turn. More of them have shorter strips, "
     "which read more of their neighbours' rows. 0: as many as its registers hold",
     toeplitz_warp_choices, 0},
    {"depth", "Steps in the ring",
     "Steps of two rows that a warp has in shared memory; all but one of them are under way. 0: 2, and 3 for a single "
     "frame up to radius 4",
     toeplitz_depths, 0},
};

// Σ|error| of the weights and of what pixels up to white lose: what splitting costs, and the sums' own roundings.
// Tensor cores multiply exactly, but align the products of a block and the sum so far to the largest of them, cut them
// off there and cut the result off: each loses at most 2^-23 = 2u of Σ|w·x| (Fasi et al., 2021). Blocks are 4 deep at
// least, so products of a depth D are D/4 of them: of two rows in each frame D/2, of which each loses twice: 2·D·u of
// what is summed in one piece, and these pieces share the output's products among them. The small products come first
// and are a thousandth of the others: all that they lose is less than u. The pieces of 2r + 1 rows are added in
// float32, r + 1 of them, or twice as many.
inline double toeplitz_bound(const Problem& p, int radius) {
  const int depth = 8 * toeplitz_words(radius), pieces = 2 * (radius + 1);
  return float32_sum_bound(p, 2 * depth * p.filter.depth + 1 + pieces) +
         split_products_error(p.filter.weights, split_weights(p.filter.weights, weight_scale(p.filter))) *
             std::abs(p.filter.gain) * white_level(p.format);
}

struct ToeplitzStrips {
  int depth = 0, rows = 0;
  std::size_t shared_bytes = 0;  // the ring
  dim3 grid;
};

inline int toeplitz_depth(const Strategy& strategy, const Problem& p, const Tuning& tuning, int radius) {
  const int chosen = tuned(strategy, tuning, "depth");
  return chosen ? chosen : p.filter.depth == 1 && radius <= 4 ? 3 : 2;
}
inline std::size_t toeplitz_shared_bytes(const Problem& p, int depth, int radius) {
  return static_cast<std::size_t>(16 * ring_barrier_quads + depth * toeplitz_rows * p.filter.depth *
                                                                ring_row_bytes(4, toeplitz_reach(radius) / 4));
}

// As high as makes all blocks resident at once, for a second turn with a few blocks in it would take as long as the
// first.
template <class Kernel>
ToeplitzStrips toeplitz_strips(const Strategy& strategy, const Problem& p, const Device& device, const Tuning& tuning,
                               Kernel kernel, int radius) {
  constexpr int fewest_rows = 4;
  ToeplitzStrips strips{.depth = toeplitz_depth(strategy, p, tuning, radius)};
  strips.shared_bytes = toeplitz_shared_bytes(p, strips.depth, radius);
  allow_shared(kernel, strips.shared_bytes);
  const int fit = blocks_per_multiprocessor(kernel, dim3(toeplitz_lanes), strips.shared_bytes);
  const int chosen = tuned(strategy, tuning, "warps"), across = ceil_div(p.width, toeplitz_columns);
  const int blocks = device.multiprocessors * (chosen ? std::min(fit, chosen) : fit);
  strips.rows = std::max(fewest_rows, ceil_div(p.height, std::max(1, blocks / across)));
  strips.rows = ceil_div(strips.rows, toeplitz_rows) * toeplitz_rows;  // a step that is not whole would be for nothing
  strips.grid = dim3(across, ceil_div(p.height, strips.rows));
  return strips;
}

template <int Count>
using ToeplitzKernel = void (*)(FewFrames<Count>, ImageView<float>, const unsigned*, int strip_rows, int depth, Border,
                                Epilogue, bool in_aligned, bool out_aligned);

template <int Count>
class ToeplitzPlan final : public Plan {
 public:
  ToeplitzPlan(const Problem& problem, ToeplitzKernel<Count> kernel, int radius, const ToeplitzStrips& strips)
      : problem_(problem),
        kernel_(kernel),
        radius_(radius),
        strips_(strips),
        early_(starts_early(kernel)),
        device_fragments_(static_cast<std::size_t>(2 * Count * (2 * radius + 1)) * 2 * toeplitz_words(radius) *
                          toeplitz_lanes) {
    ToeplitzPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    const float scale = weight_scale(filter);
    epilogue_ = make_epilogue(filter, problem_.format);
    epilogue_.gain /= scale;  // a power of two: exact
    fragments_ = toeplitz_fragments(filter, split_weights(filter.weights, scale), radius_);
    changed_ = true;
  }
  void prepare(Stream stream) override {
    if (!std::exchange(changed_, false)) return;
    CONVOSCOPE_CHECK(cudaMemcpyAsync(device_fragments_.data(), fragments_.data(), device_fragments_.bytes(),
                                     cudaMemcpyHostToDevice, native(stream)));
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const Image to = rows_of(out[0]), first = rows_of(in[0]);
    FewFrames<Count> frames{{}, first.width, first.height, first.pitch};
    bool aligned = true;
    for (int t = 0; t < Count; ++t) {
      frames.data[t] = static_cast<const float*>(in[static_cast<std::size_t>(t)].data);
      aligned = aligned && rows_aligned(rows_of(in[static_cast<std::size_t>(t)]), 4);
    }
    launch(early_, kernel_, strips_.grid, dim3(toeplitz_lanes), strips_.shared_bytes, stream, frames, to.view<float>(),
           device_fragments_.data(), strips_.rows, strips_.depth, problem_.border, epilogue_, aligned,
           rows_aligned(to, 2));
  }
  std::vector<KernelInfo> kernels() const override {
    return {describe("filter_toeplitz_stream", kernel_, strips_.grid, dim3(toeplitz_lanes), strips_.shared_bytes)};
  }
  std::string note() const override {
    return "compiled for radius " + std::to_string(radius_) + ", strips of " + std::to_string(strips_.rows) +
           " rows; pixels and weights in two fp16 numbers each: three products; pixels up to 65504 do not overflow";
  }

 private:
  Problem problem_;
  ToeplitzKernel<Count> kernel_;
  int radius_;
  ToeplitzStrips strips_;
  bool early_;
  Epilogue epilogue_;
  std::vector<unsigned> fragments_;
  DeviceBuffer<unsigned> device_fragments_;
  bool changed_ = true;
};

// Empty when all is well but for the filter's size.
inline std::string toeplitz_reason(const Strategy& strategy, const Problem& p, const Device& device,
                                   const Tuning& tuning, int radius) {
  if (p.format != PixelFormat::gray32f)
    return "the matrices take floating-point pixels, gray32f; this image is " + std::string(to_string(p.format));
  if (p.filter.is_magnitude())
    return "an edge magnitude has 2 weight sets, and the registers of a lane hold the sums of 1";
  if (device.compute_capability < 75)
    return "these matrix instructions need compute capability 7.5; this device has " +
           std::to_string(device.compute_capability / 10) + "." + std::to_string(device.compute_capability % 10);
  if (const int warps = tuned(strategy, tuning, "warps"); warps < 0)
    return "A multiprocessor cannot have " + std::to_string(warps) + " warps";
  const int depth = toeplitz_depth(strategy, p, tuning, radius);
  if (depth < 2 || depth > most_ring_steps)
    return "A ring cannot have " + std::to_string(depth) + " steps: choose 2 to " + std::to_string(most_ring_steps);
  return shared_memory_reason(toeplitz_shared_bytes(p, depth, radius), device);
}

inline Cost toeplitz_cost(const Problem& p, int radius) {
  constexpr double typical_rows = 36, words = 2;  // a lane's registers for eight columns of a row
  const double eights = toeplitz_words(radius), repeated = (typical_rows + 2 * radius) / typical_rows;
  return {.flop = 2 * 8 * eights * (2 * radius + 1) * p.filter.depth * 3 * outputs(p),
          .global_loads_per_output = static_cast<double>(toeplitz_columns + 2 * toeplitz_reach(radius)) /
                                     toeplitz_columns * repeated * p.filter.depth,
          .global_stores_per_output = 1,
          .shared_loads_per_output = words * 2 * eights * toeplitz_lanes / toeplitz_columns * repeated * p.filter.depth,
          .dram_bytes = (p.filter.depth + 1) * frame_bytes(p),
          .on_matrix_units = true};
}

inline Explanation explain_toeplitz(const Problem& p, const ToeplitzStrips& strips, int radius, const OutputIndex& at) {
  KernelStep step = one_thread_per_output("filter_toeplitz_stream", toeplitz_columns, strips.rows, at.x, at.y);
  const PixelArea strip = step.outputs[0];
  const int rows = std::min(strips.rows, p.height - strip.y), lane = (at.x - strip.x) % 64 / 2;
  const int reach = toeplitz_reach(radius);
  step.thread = {lane, 0, 0};
  step.block_size = {toeplitz_lanes, 1, 1};
  step.thread_outputs = {{strip.x + 2 * lane, strip.y, 2, rows}, {strip.x + 64 + 2 * lane, strip.y, 2, rows}};
  // The last step may have a row more than is needed, on the side that the warp walks to.
  const int beyond = rows % toeplitz_rows;
  const int right = std::min(strip.x + toeplitz_columns, ceil_div(p.width, 4) * 4) + reach;  // whole quads
  step.tile = {{strip.x - reach, strip.y - radius, right - (strip.x - reach), rows + 2 * radius + beyond}};
  if (step.block[1] % 2 == 1) step.tile[0].y -= beyond;
  step.words =
      "A warp walks along its strip, two rows at a time, which bulk copies bring to a ring in shared memory. "
      "Sixteen runs of eight outputs are the rows of a matrix of pixels; each row of the filter is a banded "
      "matrix of " +
      std::to_string(8 * toeplitz_words(radius)) + " × 8. The sums of " + std::to_string(2 * radius + 2) +
      " output rows wait in registers.";
  return Explanation{.steps = {std::move(step)},
                     .words =
                         "Pixels and weights are split in two fp16 numbers each; three products make up one. The "
                         "filter is padded with zeros to " +
                         std::to_string(2 * radius + 1) + " × " + std::to_string(2 * radius + 1) + " weights."};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
