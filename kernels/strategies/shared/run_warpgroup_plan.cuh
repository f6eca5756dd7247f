#pragma once
// What wgmma-stream says and does on the host, alike for pictures and volumes; see run_warpgroups.cuh.
#include "kernels/contract/theory/model.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/strategies/shared/run_warpgroups.cuh"
#include "kernels/strategies/shared/split_products.cuh"
#include "kernels/strategies/shared/warpgroups.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int group_strip_heights[] = {0, 8, 16, 24, 32, 48, 64, 96, 128};
inline constexpr Tunable group_tunables[] = {
    {"strip_rows", "Strip height", "Rows that a warp walks along. 0: so many that all blocks are on the device at once",
     group_strip_heights, 0},
};
inline dim3 group_block() { return {32, group_warps}; }
inline std::size_t group_shared_bytes(GroupShape shape) {
  return sizeof(ByteColumn) * static_cast<std::size_t>(shape.all_chunks()) + sizeof(int) * group_warps;
}

// `chosen_rows` 0: so high that all blocks are there at once, and that no row is taken for nothing.
template <class Kernel>
GroupStrips lay_out_groups(const Problem& p, const Device& device, Kernel kernel, GroupShape shape, int chosen_rows) {
  GroupStrips strips{.rows = chosen_rows, .across = ceil_div(p.width, group_columns)};
  allow_shared(kernel, group_shared_bytes(shape));
  if (chosen_rows == 0) {
    const int blocks =
        device.multiprocessors * blocks_per_multiprocessor(kernel, group_block(), group_shared_bytes(shape));
    // A direction's last block may have fewer warps with a strip.
    const int most = std::max(1, (blocks - 1) * group_warps / strips.across), at_once = shape.rows_at_once();
    strips.rows = ceil_div(ceil_div(p.height, most) + 2 * shape.radius, at_once) * at_once - 2 * shape.radius;
    while (strips.rows <= 0) strips.rows += at_once;
  }
  strips.count = ceil_div(p.height, strips.rows);
  return strips;
}

template <int Count>
using GroupKernel = void (*)(FewFrames<Count>, ImageView<float>, const ByteColumn*, GroupStrips, Border, Epilogue,
                             int in_aligned, int out_aligned);

template <int Count>
class GroupPlan final : public Plan {
 public:
  GroupPlan(const Problem& problem, GroupKernel<Count> kernel, GroupShape shape, const GroupStrips& strips)
      : format_(problem.format),
        border_(problem.border),
        kernel_(kernel),
        shape_(shape),
        strips_(strips),
        early_(starts_early(kernel)),
        epilogue_(split_epilogue(problem.filter, problem.format)),
        matrices_(group_matrices(problem.filter, split_filter(problem.filter), shape)) {}
  void set_filter(const Filter& filter) override {
    epilogue_ = split_epilogue(filter, format_);
    matrices_.set(group_matrices(filter, split_filter(filter), shape_));
  }
  void prepare(Stream stream) override { matrices_.send(stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const Image to = rows_of(out[0]);
    const auto [frames, aligned] = few_frames<Count>(in);
    launch(early_, kernel_, dim3(strips_.blocks()), group_block(), group_shared_bytes(shape_), stream, frames,
           to.view<float>(), matrices_.data(), strips_, border_, epilogue_, aligned, rows_aligned(to, 2));
  }
  std::vector<KernelInfo> kernels() const override {
    return {
        describe("filter_run_warpgroups", kernel_, dim3(strips_.blocks()), group_block(), group_shared_bytes(shape_))};
  }
  std::string note() const override {
    return "built for radius " + std::to_string(shape_.radius) + ", strips of " + std::to_string(strips_.rows) +
           " rows; " + split_products_note;
  }

 private:
  PixelFormat format_;
  Border border_;
  GroupKernel<Count> kernel_;
  GroupShape shape_;
  GroupStrips strips_;
  bool early_;
  Epilogue epilogue_;
  GlobalValues<ByteColumn> matrices_;
};

// Tensor cores multiply exactly, but align the products of a block and the sum so far to the largest of them, cut them
// off there and cut the result off: each loses at most 2^-23 = 2u of Σ|w·x| (Fasi et al., 2021). Blocks are 4 deep at
// least, and all products of an output are summed one after the other: 16u for each instruction.
inline double group_bound(const Problem& p, GroupShape shape) {
  const int instructions = 3 * p.filter.height * shape.frames * shape.chunks();
  return split_products_bound(p, 16 * instructions + 1);
}

// Empty when all is well but for the filter's size.
inline std::string group_reason(const Problem& p, const Device& device, int chosen_rows) {
  if (std::string why = split_products_reason(p); !why.empty()) return why;
  if (chosen_rows < 0) return "A strip cannot have fewer than 0 rows";
  if (std::string why = places_reason(p.width, p.height); !why.empty()) return why;
  return reason_without_warpgroups(device);
}

inline Cost group_cost(const Problem& p, GroupShape shape, int chosen_rows) {
  const double rows = chosen_rows ? chosen_rows : 40, repeated = (rows + 2 * shape.radius) / rows;
  const double products = 3.0 * 16 * shape.slots() * shape.frames * shape.chunks();  // of an output
  return {.flop = 2 * products * repeated * outputs(p),
          .global_loads_per_output = 2.0 * shape.frames * shape.chunks() * repeated,
          .global_stores_per_output = 1,
          // An instruction reads its part of B for 64 runs.
          .shared_loads_per_output = products / 64 / 2 * repeated,
          .dram_bytes = (shape.frames + 1) * frame_bytes(p),
          .on_matrix_units = true};
}

inline Explanation explain_groups(const Problem& p, GroupShape shape, const GroupStrips& strips,
                                  const OutputIndex& at) {
  const bool up = at.y / strips.rows % 2 == 1;
  const int number = group_number(strips, at.y / strips.rows, at.x / group_columns);
  KernelStep step;
  step.kernel = "filter_run_warpgroups";
  step.block = {number / group_warps, 0, 0};
  step.block_size = {32, group_warps, 1};
  for (int warp = 0; warp < group_warps; ++warp) {
    const GroupPlace place = group_place(strips, step.block[0], warp);
    if (!place.has_outputs) continue;
    const int rows = std::min(strips.rows, p.height - place.top), reach = shape.reach();
    const int right = std::min(place.left + group_columns, ceil_div(p.width, 4) * 4);
    step.outputs.push_back({place.left, place.top, group_columns, rows});
    step.direct.push_back(
        {place.left - reach, place.top - shape.radius, right - place.left + 2 * reach, rows + 2 * shape.radius});
    if (warp != number % group_warps) continue;
    const int column = at.x - place.left, pair = column / 2 % 4, run = column / run_outputs % 8;
    const int first = place.left + run * run_outputs + 2 * pair;
    step.thread = {4 * run + pair, warp, 0};
    step.thread_outputs = {{first, place.top, 2, rows}, {first + group_columns / 2, place.top, 2, rows}};
  }
  step.words = "Each of the block's four warps walks " + std::string(up ? "up" : "down") +
               " a strip of 128 columns. Of a row it has 16 windows of " + std::to_string(16 * shape.chunks()) +
               " pixels, which see eight outputs each; all 64 windows are the rows of one matrix, in registers. The "
               "filter's rows, banded matrices of eight columns, lie side by side in another, in shared memory. Its "
               "product with a row of pixels goes at once into the sums of all rows of outputs that this row touches.";
  std::string words = "Pixels and weights are split in two fp16 numbers each; three products make up one.";
  if (const int size = 2 * shape.radius + 1; p.filter.width < size || p.filter.height < size)
    words += " The filter is padded with zeros to " + std::to_string(size) + " × " + std::to_string(size) + " weights.";
  return Explanation{.steps = {std::move(step)}, .words = std::move(words)};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
