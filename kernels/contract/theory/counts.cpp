#include "kernels/contract/theory/counts.h"

#include <algorithm>
#include <cmath>

#include "kernels/contract/kind.h"
#include "kernels/contract/theory/model.h"

namespace convoscope {
namespace {

int cells_outside(int at, int reach, int size) {
  return std::max(reach - at, 0) + std::max(at + reach - (size - 1), 0);
}

double count_elements(const std::vector<PixelArea>& areas) {
  double sum = 0;
  for (const PixelArea& area : areas) sum += static_cast<double>(area.width) * area.height;
  return sum;
}
double count_elements_within(const std::vector<PixelArea>& areas, int width, int height) {
  double sum = 0;
  for (const PixelArea& area : areas)
    if (const PixelArea there = clipped(area, width, height); !there.empty())
      sum += static_cast<double>(there.width) * there.height;
  return sum;
}

const std::vector<PixelArea>& loaded_by(const KernelStep& step) { return step.tile.empty() ? step.direct : step.tile; }

// Of each place along a row, whether some neighbour's tile reaches it: that many places before and behind are.
int reached_from(int begin, int size, int step, int blocks_before, int blocks_after, int within) {
  int reached = 0;
  for (int at = std::max(begin, 0); at < std::min(begin + size, within); ++at) {
    const bool before = blocks_before > 0 && at < begin + size - step;
    const bool after = blocks_after > 0 && at >= begin + step;
    reached += before || after;
  }
  return reached;
}

// Inputs of the tile that lie in the tile of a block beside, above or below, or across a corner.
double shared_inputs(const Problem& p, const KernelStep& step) {
  const BlockGrid grid = block_grid(p, step);
  const std::vector<PixelArea>& loaded = loaded_by(step);
  if (grid.empty() || loaded.size() != 1) return 0;
  const PixelArea& tile = loaded.front();
  const PixelArea& own = step.outputs.front();
  const int column = (own.x - grid.first.x) / grid.first.width, row = (own.y - grid.first.y) / grid.first.height;
  const PixelArea there = clipped(tile, p.width, p.height);
  if (there.empty()) return 0;
  const int across = reached_from(tile.x, tile.width, own.width, column, grid.columns - 1 - column, p.width);
  const int down = reached_from(tile.y, tile.height, own.height, row, grid.rows - 1 - row, p.height);
  const double alone = static_cast<double>(there.width - across) * (there.height - down);
  return static_cast<double>(there.width) * there.height - alone;
}

std::vector<int> uses_along(int inputs, int outputs, int first, int stride, int taps, int dilation, Border border) {
  std::vector<int> uses(static_cast<std::size_t>(std::max(inputs, 0)));
  for (int output = 0; output < outputs; ++output)
    for (int tap = 0; tap < taps; ++tap)
      if (const int from = border_index(first + output * stride + tap * dilation, inputs, border); from >= 0)
        ++uses[static_cast<std::size_t>(from)];
  return uses;
}

}  // namespace

int ghost_cells(const Problem& p, int x, int y) {
  const Filter& f = p.filter;
  if (f.is_bank()) return 0;
  const int columns = f.width - cells_outside(x, f.rx(), p.width), rows = f.height - cells_outside(y, f.ry(), p.height);
  return (f.width * f.height - std::max(columns, 0) * std::max(rows, 0)) * f.depth;
}

SkippedProducts skipped_products(const Problem& p) {
  if (p.filter.is_bank()) return {};
  const double all = static_cast<double>(p.width) * p.height * p.filter.taps() * (p.filter.is_magnitude() ? 2 : 1);
  return {std::round(ghost_share(p) * all), all};
}

const KernelStep* step_of_input(const Explanation& explanation) {
  const auto found = std::ranges::find_if(explanation.steps, &KernelStep::of_input);
  return found == explanation.steps.end() ? nullptr : &*found;
}

BlockCounts count_block(const Problem& p, const Explanation& explanation) {
  const KernelStep* const step = step_of_input(explanation);
  if (!step) return {};
  const auto planes = static_cast<double>(step->input_planes.size());
  const std::vector<PixelArea>& loaded = loaded_by(*step);
  const Shape out = p.kind->outputs(p)[0];
  BlockCounts counts;
  counts.loads = count_elements(loaded) * planes;
  counts.ghosts = counts.loads - count_elements_within(loaded, p.width, p.height) * planes;
  counts.outputs =
      count_elements_within(step->outputs, out.width(), out.height()) * static_cast<double>(step->output_planes.size());
  const Filter& f = p.filter;
  const double terms = f.is_bank() ? static_cast<double>(layer_extents(p).group_channels()) * f.width * f.height
                                   : f.taps() * (f.is_magnitude() ? 2.0 : 1.0);
  counts.by_definition = counts.outputs * terms;
  counts.shared = f.is_bank() ? 0 : shared_inputs(p, *step) * planes;
  return counts;
}

InputUses input_uses(const Problem& p) {
  const Filter& f = p.filter;
  if (!f.is_bank())
    return {uses_along(p.width, p.width, -f.rx(), 1, f.width, 1, p.border),
            uses_along(p.height, p.height, -f.ry(), 1, f.height, 1, p.border)};
  const LayerExtents e = layer_extents(p);
  const Layer& l = p.layer;
  return {uses_along(e.width, e.out_width, -l.padding, l.stride, e.filter, l.dilation, Border::zero),
          uses_along(e.height, e.out_height, -l.padding, l.stride, e.filter, l.dilation, Border::zero)};
}

double tile_load_reduction(const Filter& f, int side) {
  const double outputs = f.height == 1 ? side : static_cast<double>(side) * side;
  const double tile = (side + 2.0 * f.rx()) * (f.height == 1 ? 1 : side + 2.0 * f.ry());
  return outputs * f.width * f.height / tile;
}

double largest_load_reduction(const Filter& f) { return static_cast<double>(f.width) * f.height; }

BlockGrid block_grid(const Problem& p, const KernelStep& step) {
  if (step.outputs.size() != 1 || step.outputs[0].empty() || step.blocks_along_y > 1) return {};
  const PixelArea& own = step.outputs[0];
  if (own.x < 0 || own.y < 0 || own.x % own.width != 0 || own.y % own.height != 0) return {};
  const Shape out = p.kind->outputs(p)[0];
  return {{0, 0, own.width, own.height},
          (out.width() + own.width - 1) / own.width,
          (out.height() + own.height - 1) / own.height};
}

}  // namespace convoscope
