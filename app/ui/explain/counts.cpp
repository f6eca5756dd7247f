// What can be counted of an explained output: its ghost cells, the loads of its block, how often an input is used.
#include "kernels/contract/theory/counts.h"

#include <algorithm>
#include <string>

#include "app/ui/explain/parts.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/model.h"

namespace convoscope::ui {
namespace {

std::string count_text(double count) { return format_count(static_cast<long long>(count)); }

// "4 at the corner, 6 at an edge, 9 inside": where those differ.
std::string uses_text(const InputUses& uses) {
  const int column = *std::ranges::max_element(uses.columns), row = *std::ranges::max_element(uses.rows);
  const double corner = uses.at(0, 0), inside = static_cast<double>(column) * row;
  const double edge =
      std::max(static_cast<double>(column) * uses.rows.front(), static_cast<double>(row) * uses.columns.front());
  if (corner == inside) return count_text(inside) + " everywhere";
  if (uses.rows.size() == 1 || uses.columns.size() == 1)
    return count_text(corner) + " at an end, " + count_text(inside) + " inside";
  return count_text(corner) + " at a corner, " + count_text(edge) + " at an edge, " + count_text(inside) + " inside";
}

void draw_block_counts(const Problem& p, const Explanation& explanation) {
  const BlockCounts block = count_block(p, explanation);
  if (block.loads <= 0) return;
  value_row("Block loads", count_text(block.loads) + " for " + count_text(block.outputs) + " outputs",
            "The inputs that this block brings in, ghost cells included. Of a strategy that reads through the caches "
            "these are the inputs that its threads read, each counted once.");
  value_row("By definition",
            count_text(block.by_definition) + ", " + format_number(block.by_definition / block.loads, 4) + " × as many",
            "What the same outputs would read if each thread loaded all of its own inputs.");
  if (block.shared > 0)
    value_row("Loaded again", count_text(block.shared) + " by other blocks",
              "Inputs that a neighbouring block loads too, since its tile overlaps this one.");
}

}  // namespace

void draw_explained_counts(const PixelExplanation& explained, InspectSettings& inspect) {
  const Problem& p = *explained.problem;
  if (explained.strategy.empty() || (p.filter.is_bank() && p.layer.pass != Pass::forward)) return;
  const OutputIndex& at = explained.output;
  heading("COUNTED");
  const bool layer = p.filter.is_bank();
  if (!layer)
    value_row("Ghost cells",
              std::to_string(ghost_cells(p, at.x, at.y)) + " of " + std::to_string(p.filter.taps()) + " inputs",
              "Of this output's inputs those that lie outside the picture, where the border says what is there.");
  draw_block_counts(p, explained.explanation);
  if (const SkippedProducts all = skipped_products(p); all.skipped > 0)
    value_row("Skipped", count_text(all.skipped) + " of " + count_text(all.all),
              "The products of all outputs that fall on ghost cells of the zero border, so that nothing is added.");
  const InputUses uses = input_uses(p);
  if (!uses.columns.empty() && !uses.rows.empty())
    value_row("An input's uses", uses_text(uses) + (layer ? ", by each map" : ""),
              "How many outputs read one and the same input. Every use but the first is a chance to save a load.");
  if (layer)
    value_row("Outputs", count_text(outputs(p)), "N · M · H · W: all of them can be computed at the same time.");
  if (!layer)
    toggle("uses", "Uses on the picture", &inspect.uses,
           "Shades each input by how many outputs use it" + keys_of(action::uses));
  if (const KernelStep* const step = step_of_input(explained.explanation); step && !block_grid(p, *step).empty())
    toggle("tiles", "All tiles, numbered", &inspect.tiles,
           "Draws the outputs of every block, numbered along the rows from 0" + keys_of(action::tiles));
}

}  // namespace convoscope::ui
