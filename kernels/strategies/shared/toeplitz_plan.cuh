#pragma once
// What tensor-core-half says and does on the host, alike for pictures and volumes.
#include "kernels/contract/theory/model.h"
#include "kernels/device/capability.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/device/parts/even_strips.cuh"
#include "kernels/device/parts/row_ring.cuh"
#include "kernels/strategies/shared/split_products.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int toeplitz_lanes = 32, toeplitz_columns = 128;  // of a warp: 16 runs of 8

inline constexpr int toeplitz_warp_choices[] = {0, 4, 8, 10, 12, 16, 20};
inline constexpr int toeplitz_depths[] = {0, 2, 3, 4, 6};
inline constexpr Tunable toeplitz_tunables[] = {
    {"warps", "Warps",
     "Of a multiprocessor, each with a strip so high that all are done in one turn. More of them have shorter strips, "
     "which read more of their neighbours' rows. 0: as many as its registers hold",
     toeplitz_warp_choices, 0},
    {"depth", "Steps in the ring",
     "Steps of two rows for which a warp has room in shared memory, where rows to come are under way. 0: 2, and 3 for "
     "a "
     "picture up to radius 4",
     toeplitz_depths, 0},
};

// What the two kernels differ in for the host.
struct ToeplitzBuilt {
  const char* kernel;
  int radius;                           // that it is built for
  int depth;                            // steps of the ring where nobody chose
  int warps;                            // of a block, side by side
  int strip_rows;                       // strips are a multiple of it high: what is not whole would be for nothing
  std::size_t fixed_bytes, step_bytes;  // of shared memory, whatever the ring's depth and for each step of it
  std::vector<unsigned> (*fragments)(const Filter&, const HalfWeights&, int radius);
};

struct ToeplitzStrips {
  int depth = 0;
  EvenStrips all;
  std::size_t shared_bytes = 0;  // the ring
  dim3 grid, block;
};

inline int toeplitz_depth(const Tuned& tuning, const ToeplitzBuilt& built) {
  const int chosen = tuning["depth"];
  return chosen ? chosen : built.depth;
}
inline std::size_t toeplitz_shared_bytes(int depth, const ToeplitzBuilt& built) {
  return built.fixed_bytes + static_cast<std::size_t>(depth) * built.step_bytes;
}

// As high as makes all blocks resident at once, for a second turn with a few blocks in it would take as long as the
// first.
template <class Kernel>
ToeplitzStrips toeplitz_strips(const Problem& p, const Device& device, const Tuned& tuning, Kernel kernel,
                               const ToeplitzBuilt& built) {
  constexpr int fewest_rows = 4;
  ToeplitzStrips strips{.depth = toeplitz_depth(tuning, built)};
  strips.shared_bytes = toeplitz_shared_bytes(strips.depth, built);
  allow_shared(kernel, strips.shared_bytes);
  strips.block = dim3(toeplitz_lanes * built.warps);
  const int fit = blocks_per_multiprocessor(kernel, strips.block, strips.shared_bytes);
  const int chosen = tuning["warps"], across = ceil_div(p.width, toeplitz_columns * built.warps);
  const int blocks = device.multiprocessors * (chosen ? std::min(fit, std::max(1, chosen / built.warps)) : fit);
  strips.all = even_strips(p.height, built.strip_rows,
                           strips_at_once(p.height, across, blocks, std::max(fewest_rows, built.strip_rows)),
                           LongerStrips::at_top);
  strips.grid = dim3(across, strips.all.count);
  return strips;
}

template <int Count>
using ToeplitzKernel = void (*)(FewFrames<Count>, ImageView<float>, const unsigned*, EvenStrips, int depth, Border,
                                Epilogue, bool in_aligned, bool out_aligned);

template <int Count>
class ToeplitzPlan final : public Plan {
 public:
  ToeplitzPlan(const Problem& problem, ToeplitzKernel<Count> kernel, const ToeplitzBuilt& built,
               const ToeplitzStrips& strips)
      : problem_(problem),
        kernel_(kernel),
        built_(built),
        strips_(strips),
        early_(starts_early(kernel)),
        fragments_(fragments_of(problem.filter)) {
    ToeplitzPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    epilogue_ = split_epilogue(filter, problem_.format);
    fragments_.set(fragments_of(filter));
  }
  void prepare(Stream stream) override { fragments_.send(stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const Image to = rows_of(out[0]);
    const auto [frames, aligned] = few_frames<Count>(in);
    launch(early_, kernel_, strips_.grid, strips_.block, strips_.shared_bytes, stream, frames, to.view<float>(),
           fragments_.data(), strips_.all, strips_.depth, problem_.border, epilogue_, aligned, rows_aligned(to, 2));
  }
  std::vector<KernelInfo> kernels() const override {
    return {describe(built_.kernel, kernel_, strips_.grid, strips_.block, strips_.shared_bytes)};
  }
  std::string note() const override {
    return "compiled for radius " + std::to_string(built_.radius) + ", strips of " +
           std::to_string(strips_.all.highest() * built_.strip_rows) + " rows; " + split_products_note;
  }

 private:
  std::vector<unsigned> fragments_of(const Filter& filter) const {
    return built_.fragments(filter, split_filter(filter), built_.radius);
  }

  Problem problem_;
  ToeplitzKernel<Count> kernel_;
  ToeplitzBuilt built_;
  ToeplitzStrips strips_;
  bool early_;
  Epilogue epilogue_;
  GlobalValues<unsigned> fragments_;
};

// Empty when all is well but for the filter's size.
inline std::string toeplitz_reason(const Problem& p, const Device& device, const Tuned& tuning,
                                   const ToeplitzBuilt& built) {
  if (std::string why = split_products_reason(p); !why.empty()) return why;
  if (device.compute_capability < 75)
    return "these matrix instructions need compute capability 7.5; " + capability_at_hand(device);
  if (const int warps = tuning["warps"]; warps < 0)
    return "A multiprocessor cannot have " + std::to_string(warps) + " warps";
  const int depth = toeplitz_depth(tuning, built);
  if (depth < 2 || depth > most_ring_steps)
    return "A ring cannot have " + std::to_string(depth) + " steps: choose 2 to " + std::to_string(most_ring_steps);
  return shared_memory_reason(toeplitz_shared_bytes(depth, built), device);
}

}  // namespace convoscope::CONVOSCOPE_TARGET
