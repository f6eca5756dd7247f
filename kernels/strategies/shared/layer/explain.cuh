#pragma once
// What layers' strategies say of an output, forward and to the input: which planes and places its block reads, and the
// tile of a matrix product that it lies in. A gradient to the weights is a sum over all outputs: that is said in words.
#include <algorithm>
#include <iterator>
#include <map>

#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/product.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

inline bool is_explained(const Problem& p) { return p.layer.pass != Pass::to_weights; }
inline Explanation in_words_alone(std::string words) { return {.steps = {}, .words = std::move(words)}; }
inline Explanation explain_weights_pass() {
  return in_words_alone(
      "A gradient to the weights is summed from all of both inputs. Blocks and threads are told of the other passes.");
}

// "3 × 3 × 3 = 27 products": the sources of a group and the taps of their filters.
inline std::string products_text(const Correlation& c) {
  const std::string k = " × " + std::to_string(c.filter);
  return std::to_string(c.group_sources()) + k + k + " = " + std::to_string(c.group_sources() * c.filter * c.filter) +
         " products";
}

// The numbers of the planes of sources that the target sees, and of a run of targets.
inline std::vector<int> source_planes(const Correlation& c, const OutputIndex& at) {
  return run_of_planes(at.sample * c.sources + at.channel / c.group_targets() * c.group_sources(), c.group_sources());
}
inline std::vector<int> target_planes(const Correlation& c, int sample, int first, int count) {
  return run_of_planes(sample * c.targets + first, count);
}

struct TouchedRun {
  int first, count;
  bool operator==(const TouchedRun&) const = default;
};
inline std::vector<TouchedRun> runs_of(std::vector<int> places) {
  std::ranges::sort(places);
  std::vector<TouchedRun> runs;
  for (const int place : places)
    if (!runs.empty() && place <= runs.back().first + runs.back().count)
      runs.back().count = place + 1 - runs.back().first;
    else
      runs.push_back({place, 1});
  return runs;
}
// What the taps of a run of targets touch along one axis of the sources, in order and once each; beyond their ends lies
// padding.
inline std::vector<int> touched(const Correlation& c, int first_target, int count) {
  std::vector<int> places;
  for (int target = first_target; target < first_target + count; ++target)
    for (int tap = 0; tap < c.filter; ++tap)
      if (const int place = target * c.stride - c.padding + tap * c.dilation; place % c.spread == 0)
        places.push_back(place / c.spread);
  std::ranges::sort(places);
  places.erase(std::ranges::unique(places).begin(), places.end());
  return places;
}

// What the windows of these targets touch in each of their sources, once each and nothing between: strides, dilations
// and the zeros of a gradient leave gaps.
inline std::vector<PixelArea> windows_of(const Correlation& c, const std::vector<PixelArea>& targets) {
  std::map<int, std::vector<const PixelArea*>> targets_of_rows;
  for (const PixelArea& area : targets)
    for (const int y : touched(c, area.y, area.height)) targets_of_rows[y].push_back(&area);
  std::vector<PixelArea> areas;
  std::vector<const PixelArea*> before;
  std::vector<TouchedRun> runs;
  std::size_t begin = 0;  // of the areas that may grow downwards
  for (const auto& [y, touching] : targets_of_rows) {
    const std::vector<TouchedRun> above = runs;
    if (touching != before) {
      std::vector<int> columns;
      for (const PixelArea* const area : touching)
        std::ranges::copy(touched(c, area->x, area->width), std::back_inserter(columns));
      runs = runs_of(std::move(columns));
      before = touching;
    }
    if (runs == above && !areas.empty() && areas.back().y + areas.back().height == y) {
      for (std::size_t i = begin; i < areas.size(); ++i) ++areas[i].height;
      continue;
    }
    begin = areas.size();
    for (const auto& [first, count] : runs) areas.push_back({first, y, count, 1});
  }
  return areas;
}
inline std::vector<PixelArea> windows_of(const Correlation& c, const PixelArea& targets) {
  return windows_of(c, std::vector{targets});
}

// Of a block that makes width × height targets of one plane, a thread each, in the grid of launch_tiles().
inline KernelStep explain_tile(std::string kernel, const Correlation& c, const dim3& block, const OutputIndex& at) {
  const int width = static_cast<int>(block.x), height = static_cast<int>(block.y);
  KernelStep step = one_thread_per_output(std::move(kernel), width, height, at.x, at.y);
  step.block = {at.channel, step.block[1] * ceil_div(c.out_width, width) + step.block[0], at.sample};
  step.output_planes = step.thread_planes = target_planes(c, at.sample, at.channel, 1);
  step.input_planes = source_planes(c, at);
  return step;
}
// The same where each thread reads its own windows.
inline KernelStep explain_tile_of_windows(std::string kernel, const Correlation& c, const dim3& block,
                                          const OutputIndex& at) {
  KernelStep step = explain_tile(std::move(kernel), c, block, at);
  step.direct = windows_of(c, clipped(step.outputs[0], c.out_width, c.out_height));
  return step;
}

// Of threads that make `rows` rows of `columns` targets each; the block's planes are the strategy's to tell.
inline KernelStep explain_rows_below(std::string kernel, const Correlation& c, const dim3& block, int rows,
                                     const OutputIndex& at, int columns = 1) {
  const int width = static_cast<int>(block.x), height = static_cast<int>(block.y);
  KernelStep step = one_thread_per_output(std::move(kernel), width * columns, height * rows, at.x, at.y);
  step.thread[0] /= columns, step.thread[1] /= rows;
  step.block_size = {width, height, 1};
  step.thread_outputs = {
      {step.outputs[0].x + step.thread[0] * columns, step.outputs[0].y + step.thread[1] * rows, columns, rows}};
  step.output_planes = step.thread_planes = target_planes(c, at.sample, at.channel, 1);
  step.input_planes = source_planes(c, at);
  return step;
}
// What such threads read for these targets. Those whose loops are unrolled read for each that they could make, also
// beyond the plane.
inline std::vector<PixelArea> explain_sliding(const Correlation& c, bool loops_unrolled, const PixelArea& targets) {
  if (!loops_unrolled) return windows_of(c, targets);
  return {{targets.x - c.padding, targets.y - c.padding, targets.width + c.filter - 1, targets.height + c.filter - 1}};
}

// Of a block of `threads` in a row, each of which has one place of a plane, numbered along its rows.
inline KernelStep explain_run(std::string kernel, const Correlation& c, int threads, const OutputIndex& at) {
  const int position = at.y * c.out_width + at.x, first = position / threads * threads;
  KernelStep step = one_thread_per_output(std::move(kernel), threads, 1, at.x, at.y);
  step.block = {position / threads, 0, 0};
  step.thread = {position % threads, 0, 0};
  step.outputs =
      run_of_pixels(static_cast<std::size_t>(first),
                    static_cast<std::size_t>(std::min(threads, c.out_height * c.out_width - first)), c.out_width);
  step.output_planes = step.thread_planes = target_planes(c, at.sample, at.channel, 1);
  step.input_planes = source_planes(c, at);
  return step;
}

// What Y = F · U is for the target: a row of the bank, one for each target of the group, and a column of the unrolled
// sources, one for each place of a plane.
inline MatrixProduct unrolled_product(const Correlation& c, const OutputIndex& at) {
  return {.rows = c.group_targets(),
          .depth = c.group_sources() * c.filter * c.filter,
          .columns = c.out_height * c.out_width,
          .row = at.channel % c.group_targets(),
          .column = at.y * c.out_width + at.x,
          .tile = {}};
}
inline std::string meeting_text(const MatrixProduct& product) {
  return "Row " + std::to_string(product.row) + " of F and column " + std::to_string(product.column) +
         " of U meet in this output.";
}

// Of layer_product() with such a tile.
template <class Tile>
PixelArea tile_of_product(const MatrixProduct& product) {
  return {product.column / Tile::columns * Tile::columns, product.row / Tile::rows * Tile::rows, Tile::columns,
          Tile::rows};
}

// The block's and the thread's share of the product; `batch` as the kernel counts them.
template <class Tile>
KernelStep explain_product(const Correlation& c, const MatrixProduct& product, int batch, const OutputIndex& at) {
  constexpr int quads = Tile::side / 4, row_step = Tile::rows / quads, column_step = Tile::columns / quads;
  const PixelArea tile = tile_of_product<Tile>(product);
  const int first_target = at.channel - product.row;
  const auto run = [&](int first, int count) {
    const int end = std::min({first + count, tile.x + tile.width, product.columns});
    return run_of_pixels(static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(end - first, 0)),
                         c.out_width);
  };
  KernelStep step;
  step.kernel = "layer_product";
  step.block = {tile.x / Tile::columns * ceil_div(product.rows, Tile::rows) + tile.y / Tile::rows, 0, batch};
  const int down = (product.row - tile.y) % row_step / 4, across = (product.column - tile.x) % column_step / 4;
  step.thread = {down * Tile::across + across, 0, 0};
  step.block_size = {Tile::threads, 1, 1};
  step.outputs = run(tile.x, tile.width);
  step.output_planes = target_planes(c, at.sample, first_target + tile.y, std::min(tile.height, product.rows - tile.y));
  step.thread_planes.clear();
  for (int quad = 0; quad < quads; ++quad) {
    const int row = tile.y + quad * row_step + 4 * down;
    for (int i = row; i < std::min(row + 4, product.rows); ++i)
      step.thread_planes.push_back(at.sample * c.targets + first_target + i);
    for (const PixelArea& area : run(tile.x + quad * column_step + 4 * across, 4)) step.thread_outputs.push_back(area);
  }
  step.input_planes = source_planes(c, at);
  return step;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
