#pragma once
// How split_window.cuh's kernel is launched, and what is said of it.
#include "kernels/strategies/shared/layer/held_window.cuh"
#include "kernels/strategies/shared/layer/split_bank.cuh"
#include "kernels/strategies/shared/layer/split_window.cuh"
#include "kernels/strategies/shared/layer/strips.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split {

// Whether the kernel is built for it.
inline bool by_windows(const Correlation& c) {
  return c.filter == WindowTile<Reach::quads>::filter && c.sources <= WindowTile<Reach::quads>::most_sources;
}

// What reaches how far: rows of outputs.
inline Fitting window_fitting(const Correlation& c) { return {c.out_width % 4 == 0, c.out_width % 2 == 0}; }

// f.template operator()<reach>()
template <class F>
auto with_reach(Reach reach, F&& f) {
  if (reach == Reach::quads) return f.template operator()<Reach::quads>();
  if (reach == Reach::pairs) return f.template operator()<Reach::pairs>();
  return f.template operator()<Reach::singles>();
}

struct SplitWindowLaunch {
  int rows, map_tiles;
  dim3 grid;
};
// asked_rows: of a strip, 0: what is thought best.
inline SplitWindowLaunch split_window_launch(const Correlation& c, Reach reach, const Device& device, int asked_rows) {
  return with_reach(reach, [&]<Reach of>() {
    using Tile = WindowTile<of>;
    const int tiles = ceil_div(c.targets, Tile::maps), across = ceil_div(c.out_width, Tile::width);
    const int rows = asked_rows ? asked_rows
                                : strip_rows(c.out_height, c.filter, across * tiles * c.samples,
                                             Tile::resident * std::max(device.multiprocessors, 1), 2);
    return SplitWindowLaunch{rows, tiles,
                             dim3(across, ceil_div(c.out_height, rows), static_cast<unsigned>(tiles * c.samples))};
  });
}

// The bank as lanes hold it: of each 16 maps, row, part and word one of each lane. Lane t of four has a source's taps,
// two in a word, the fourth of which is a zero.
inline std::vector<unsigned> window_bank(const Problem& p, const Filter& filter) {
  using Tile = WindowTile<Reach::quads>;
  const Correlation c = correlation_of(p);
  const CorrelationWeights weights(p, filter);
  const std::vector<float> scales = split_scales(p, filter);
  const auto number = [&](int map, int source, int row, int tap, int part) -> unsigned {
    if (map >= c.targets || source >= c.sources || tap >= c.filter) return 0;
    const SplitWeight split =
        split_weight(weights(map, source, row * c.filter + tap), scales[static_cast<std::size_t>(map)]);
    return part == 0 ? split.for_low : part == 1 ? split.low : split.high;
  };
  std::vector<unsigned> bank;
  for (int group = 0; group < ceil_div(c.targets, Tile::maps); ++group)
    for (int row = 0; row < Tile::filter; ++row)
      for (int part = 0; part < Tile::parts; ++part)
        for (int word = 0; word < 4; ++word)
          for (int lane = 0; lane < 32; ++lane) {
            const int map = group * Tile::maps + lane / 4 + word % 2 * 8, source = lane % 4, tap = word / 2 * 2;
            bank.push_back(number(map, source, row, tap, part) | number(map, source, row, tap + 1, part) << 16);
          }
  return bank;
}

class WindowPlan final : public SplitBankPlan {
 public:
  WindowPlan(const Problem& problem, const Device& device, int asked_rows)
      : SplitBankPlan(problem, [problem](const Filter& filter) { return window_bank(problem, filter); }),
        fitting_(window_fitting(correlation_)),
        launches_{split_window_launch(correlation_, Reach::singles, device, asked_rows),
                  split_window_launch(correlation_, Reach::pairs, device, asked_rows),
                  split_window_launch(correlation_, Reach::quads, device, asked_rows)},
        early_(with_reach(fitting_.usually(), []<Reach of>() { return starts_early(layer_split_window<of>); })) {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const auto to = planes_of<float>(out[0]);
    const Reach reach = fitting_.in(to, to);
    const WindowTask task{planes_of<const float>(in[0]),
                          to,
                          correlation_,
                          biases_.epilogue(),
                          scales_.data(),
                          bank_.data(),
                          problem_.layer.pass == Pass::forward,
                          launches_[reach].rows};
    with_reach(reach, [&]<Reach of>() {
      launch(early_, layer_split_window<of>, launches_[of].grid, dim3(WindowTile<of>::threads),
             WindowTile<of>::shared_bytes, stream, task);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return with_reach(fitting_.usually(), [&]<Reach of>() -> std::vector<KernelInfo> {
      return {describe("layer_split_window", layer_split_window<of>, launches_[of].grid, dim3(WindowTile<of>::threads),
                       WindowTile<of>::shared_bytes)};
    });
  }
  std::string note() const override { return note_of_strips(launches_[fitting_.usually()].rows); }

 private:
  Fitting fitting_;
  OfReaches<SplitWindowLaunch> launches_;
  bool early_;
};

inline Cost window_cost(const Problem& p, const Device& device, int asked_rows) {
  using Tile = WindowTile<Reach::quads>;
  Cost cost = direct_cost(p);
  const Correlation c = correlation_of(p);
  const SplitWindowLaunch launch = split_window_launch(c, Reach::quads, device, asked_rows);
  const double warps = 1.0 * launch.grid.x * launch.grid.y * launch.grid.z * Tile::warps,
               rows = warps * (launch.rows + c.filter - 1);
  cost.on_matrix_units = true;
  cost.flop = 2 * rows * Tile::strip * Tile::maps * 16 * Tile::filter * 3;
  cost.global_loads_per_output = rows * (Tile::strip + Tile::beyond) * c.sources / outputs(p);
  cost.weight_loads_per_output = warps * Tile::bank_words / outputs(p);
  cost.shared_loads_per_output = 1 + rows * Tile::strip * 16 / outputs(p);
  return cost;
}

inline Explanation explain_window(const Correlation& c, const Device& device, int asked_rows,
                                  const MatrixProduct& product, const OutputIndex& at) {
  const Reach reach = window_fitting(c).usually();
  const SplitWindowLaunch launch = split_window_launch(c, reach, device, asked_rows);
  return with_reach(reach, [&]<Reach of>() {
    using Tile = WindowTile<of>;
    const int block = at.x / Tile::width, left = block * Tile::width, top = at.y / launch.rows * launch.rows,
              rows = std::min(launch.rows, c.out_height - top), first_map = product.row / Tile::maps * Tile::maps,
              warp = product.row % Tile::maps % Tile::warps, first_target = at.sample * c.targets;
    // Columns of the line that the row begins within, as stores see it: as a program's tensors are, dense and aligned.
    const long row = (static_cast<long>(first_target + product.row) * c.out_height + at.y) * c.out_width + left;
    const int before = Tile::by_lines ? static_cast<int>(row % Tile::at_once) : 0,
              lane = (at.x - left + before) / Tile::vector % 32;
    KernelStep step;
    step.kernel = "layer_split_window";
    step.block = {block, at.y / launch.rows, at.sample * launch.map_tiles + product.row / Tile::maps};
    step.thread = {warp * 32 + lane, 0, 0};
    step.block_size = {Tile::threads, 1, 1};
    step.outputs = {{left, top, Tile::width, rows}};
    step.output_planes = run_of_planes(first_target + first_map, std::min(Tile::maps, c.targets - first_map));
    for (int x = lane * Tile::vector - before; x < Tile::width; x += Tile::at_once)
      if (x >= 0)
        step.thread_outputs.push_back({left + x, Tile::by_lines ? at.y : top, Tile::vector, Tile::by_lines ? 1 : rows});
    step.thread_planes.clear();
    for (int map = warp; map < Tile::maps && first_map + map < c.targets; map += Tile::warps)
      if (const int target = first_map + map; !Tile::by_lines || target == product.row)
        step.thread_planes.push_back(first_target + target);
    step.direct = {{left - c.padding, top - c.padding, Tile::width + Tile::beyond, rows + c.filter - 1}};
    step.input_planes = source_planes(c, at);
    step.words =
        " U is nowhere: each warp walks down 32 columns and multiplies what it sees of a row with all rows of the "
        "bank. Each number is two float16 numbers: low · high, high · low and high · high. ";
    Explanation said = explain_from_window(c, step, product);
    said.steps[0].words = meeting_text(product) + step.words + products_text(c) +
                          " for each output, summed in the registers of a warp. The outputs of the block meet in "
                          "shared memory, from where the thread that is named here stores this one" +
                          (Tile::by_lines ? ", and other columns of other rows and maps, as lines begin there." : ".");
    return said;
  });
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split
