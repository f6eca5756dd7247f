#include "app/ui/explain/overview.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/counts.h"

namespace convoscope::ui {
namespace {

constexpr float least_tile = 5, least_number = 14;  // on screen, at scale 1
constexpr int most_tiles = 20'000;

// Neighbours that are used alike.
struct AlikeRun {
  int first = 0, count = 0, uses = 0;
};
std::vector<AlikeRun> runs_of(const std::vector<int>& uses) {
  std::vector<AlikeRun> runs;
  for (int i = 0; i < static_cast<int>(uses.size()); ++i) {
    const int here = uses[static_cast<std::size_t>(i)];
    if (runs.empty() || runs.back().uses != here) runs.push_back({i, 0, here});
    ++runs.back().count;
  }
  return runs;
}

// With a ground of its own, in the middle of an area or, where a value may stand there, in its lower right corner;
// nothing where it would not fit, or would be cut off by the edge of the pane.
void draw_count_at(ImDrawList& list, const Area& at, const std::string& text, bool in_corner = false) {
  const ImVec2 size = text_size(Font::small, text);
  if (size.x + px(6) > at.width || size.y + px(2) > at.height) return;
  const ImVec2 free{at.width - size.x, at.height - size.y};
  const ImVec2 from{std::round(at.x + (in_corner ? free.x - px(5) : free.x / 2)),
                    std::round(at.y + (in_corner ? free.y - px(3) : free.y / 2))};
  const ImVec2 least = list.GetClipRectMin(), most = list.GetClipRectMax();
  if (from.x < least.x || from.y < least.y || from.x + size.x > most.x || from.y + size.y > most.y) return;
  list.AddRectFilled({from.x - px(3), from.y - px(1)}, {from.x + size.x + px(3), from.y + size.y + px(1)}, theme().card,
                     px(2));
  draw_text(list, Font::small, from, theme().text, text);
}

}  // namespace

void draw_input_uses(ImDrawList& list, const Brush& brush, const PixelExplanation& explained) {
  if (explained.wall || explained.strategy.empty()) return;
  const InputUses uses = input_uses(*explained.problem);
  const std::vector<AlikeRun> columns = runs_of(uses.columns), rows = runs_of(uses.rows);
  if (columns.empty() || rows.empty()) return;
  double most = 1;
  for (const AlikeRun& row : rows)
    for (const AlikeRun& column : columns) most = std::max(most, static_cast<double>(row.uses) * column.uses);
  for (const AlikeRun& row : rows)
    for (const AlikeRun& column : columns) {
      const double here = static_cast<double>(row.uses) * column.uses;
      const PixelArea area{column.first, row.first, column.count, row.count};
      brush.fill(area, with_alpha(mix(IM_COL32(30, 60, 160, 255), IM_COL32(255, 200, 60, 255),
                                      static_cast<float>(here / most)),
                                  0.62f));
      // Once in each area, or in each cell where those have room.
      const Area cell = brush.place({column.first, row.first, 1, 1});
      if (cell.width < px(least_number) * 2 || column.count * row.count > 4096) {
        draw_count_at(list, brush.place(area), format_count(static_cast<long long>(here)));
        continue;
      }
      for (int y = row.first; y < row.first + row.count; ++y)
        for (int x = column.first; x < column.first + column.count; ++x)
          draw_count_at(list, brush.place({x, y, 1, 1}), format_count(static_cast<long long>(here)), true);
    }
}

void draw_all_tiles(ImDrawList& list, Brush& brush, const PixelExplanation& explained, const Area& seen) {
  const KernelStep* const step = chosen_step(explained);
  const BlockGrid grid = step ? block_grid(*explained.problem, *step) : BlockGrid();
  if (grid.empty() || grid.columns > most_tiles / grid.rows || !brush.show_map(explained.output.channel)) return;
  const Area first = brush.place(grid.block(0, 0));
  if (std::min(first.width, first.height) < px(least_tile)) return;
  const Shape out = explained.problem->kind->outputs(*explained.problem)[0];
  for (int row = 0; row < grid.rows; ++row)
    for (int column = 0; column < grid.columns; ++column) {
      const PixelArea block = clipped(grid.block(column, row), out.width(), out.height());
      const Area at = brush.place(block);
      if (!overlap(at, seen)) continue;
      list.AddRect(at.from(), at.to(), with_alpha(explain_inks().block, 0.8f), 0, 0, px(1));
      draw_count_at(list, at, std::to_string(row * grid.columns + column));
    }
}

}  // namespace convoscope::ui
