#pragma once
// What strategies whose warps walk down runs (run_stream.cuh) do besides their kernels. Host only.
#include <tuple>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/capability.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/device/parts/run_stream.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int run_block_columns = run_warps * run_columns;
inline dim3 run_block() { return {run_lanes, run_warps}; }

struct RunStrips {
  int rows = 0;
  dim3 grid;
};

// `chosen_rows` 0: so high that all blocks are there at once, and that a warp, which takes `ahead` rows at a time,
// takes none for nothing: a strip's rows and the 2 · radius beside them are a multiple of it.
template <class Kernel>
RunStrips lay_out_runs(const Problem& p, const Device& device, Kernel kernel, int radius, int ahead, int chosen_rows) {
  const int across = ceil_div(p.width, run_block_columns);
  int rows = chosen_rows;
  if (rows == 0) {
    const int resident = device.multiprocessors * blocks_per_multiprocessor(kernel, run_block(), 0);
    const int fewest = ceil_div(p.height, std::max(1, resident / across));
    rows = ceil_div(fewest + 2 * radius, ahead) * ahead - 2 * radius;
    if (rows <= 0) rows += ahead;
  }
  return {rows, dim3(across, ceil_div(p.height, rows))};
}

inline constexpr int run_strip_heights[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128};
inline constexpr Tunable run_tunables[] = {
    {"strip_rows", "Strip height", "Rows that a warp walks down. 0: so many that all blocks are on the device at once",
     run_strip_heights, 0},
};

// The tap of a filter's row that output m of a run has for pixel k of its window; −1: none.
inline int run_tap(int m, int k, int filter_width) {
  const int tap = k - run_reach - m + filter_width / 2;
  return tap >= 0 && tap < filter_width ? tap : -1;
}

// What a kernel is told of a filter: its matrices, as lanes have them, and numbers. note: the end of the plan's.
template <class Numbers>
struct RunFilter {
  std::vector<unsigned> fragments;
  Numbers numbers;
  std::string note;
};

// Of: name, the kernel's; Pixel; built_radius(filter); with_kernel(radius, f), which calls f(kernel);
// filter(filter, format), a RunFilter; arguments(fragments, strip_rows, border, numbers), all between the images and
// whether rows are aligned.
template <class Of>
class RunPlan final : public ImagePlan {
 public:
  RunPlan(const Problem& problem, const RunStrips& strips)
      : format_(problem.format),
        border_(problem.border),
        radius_(Of::built_radius(problem.filter)),
        strips_(strips),
        filter_(Of::filter(problem.filter, format_)),
        fragments_(filter_.fragments) {
    Of::with_kernel(radius_, [&](auto kernel) { early_ = starts_early(kernel); });
  }
  void set_filter(const Filter& filter) override {
    filter_ = Of::filter(filter, format_);
    fragments_.set(filter_.fragments);
  }
  void prepare(Stream stream) override { fragments_.send(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    Of::with_kernel(radius_, [&](auto kernel) {
      std::apply(
          [&](const auto&... arguments) {
            launch(early_, kernel, strips_.grid, run_block(), 0, stream, in.view<const typename Of::Pixel>(),
                   out.view<typename Of::Pixel>(), arguments..., rows_aligned(in, 4));
          },
          Of::arguments(fragments_.data(), strips_.rows, border_, filter_.numbers));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    Of::with_kernel(radius_, [&](auto kernel) { infos = {describe(Of::name, kernel, strips_.grid, run_block(), 0)}; });
    return infos;
  }
  std::string note() const override {
    return "built for radius " + std::to_string(radius_) + ", strips of " + std::to_string(strips_.rows) + " rows; " +
           filter_.note;
  }

 private:
  PixelFormat format_;
  Border border_;
  int radius_;
  RunStrips strips_;
  decltype(Of::filter(std::declval<const Filter&>(), PixelFormat::rgba8)) filter_;
  GlobalValues<unsigned> fragments_;
  bool early_ = false;
};

inline std::string run_reason(const Problem& p, const Device& device, int chosen_rows) {
  const int radius = std::max(p.filter.rx(), p.filter.ry());
  if (radius > run_reach)
    return "a window of 16 pixels has " + std::to_string(run_reach) +
           " on either side of eight outputs, which allows a radius of as many; this filter's is " +
           std::to_string(radius);
  if (device.compute_capability < 75)
    return "these matrix instructions need compute capability 7.5; " + capability_at_hand(device);
  if (chosen_rows < 0) return "A strip cannot have fewer than 0 rows";
  return places_reason(p.width, p.height);
}

// products: of 16 × 8 × 16 multiply-adds, of a warp for each row; flop: besides them, for each output.
inline Cost run_cost(const Problem& p, int radius, int chosen_rows, double products, double flop) {
  const double rows = chosen_rows ? chosen_rows : 64, repeated = (rows + 2 * radius) / rows;
  return {.flop = (2 * products * 16 * 8 * 16 / run_columns + flop) * repeated * outputs(p),
          .global_loads_per_output = 2 * repeated,
          .global_stores_per_output = 1,
          .shared_loads_per_output = 0,
          .dram_bytes = 2 * frame_bytes(p),
          .on_matrix_units = true};
}

inline Explanation explain_runs(const Problem& p, const RunStrips& strips, int radius, const char* kernel,
                                const OutputIndex& at, std::string of_step, std::string of_filter) {
  KernelStep step = one_thread_per_output(kernel, run_block_columns, strips.rows, at.x, at.y);
  const PixelArea block = step.outputs[0];
  const int column = at.x - block.x, warp = column / run_columns, run = column % run_columns / run_outputs;
  const int n = run_of_column(run), lane = column % run_outputs * 4 + n / 2;
  const int first = block.x + warp * run_columns + first_run_output(lane);
  step.block_size = {run_lanes, run_warps, 1};
  step.thread = {lane, warp, 0};
  step.thread_outputs = {{first, block.y, 1, block.height}, {first + run_pair_apart, block.y, 1, block.height}};
  const int right = std::min(block.x + block.width, ceil_div(p.width, 4) * 4);
  step.direct = {{block.x - run_reach, block.y - radius, right - block.x + 2 * run_reach,
                  std::min(block.height, p.height - block.y) + 2 * radius}};
  step.words = std::move(of_step);
  number_edges_first(step, strips.grid);
  return Explanation{.steps = {std::move(step)}, .words = std::move(of_filter)};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
