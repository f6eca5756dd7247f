#include "app/cli/commands/edges_text.h"

#include "app/cli/commands/report.h"
#include "kernels/contract/theory/model.h"

namespace convoscope {
namespace {

std::string percent_of(double share) { return (share < 0.995 ? significant(100 * share, 2) : "100") + " %"; }

}  // namespace

std::string ghost_cells_text(const Problem& problem) {
  const double share = ghost_share(problem);
  if (share <= 0) return {};
  return "Of the products, " + percent_of(share) + " fall on ghost cells of the zero border.\n";
}

std::string edges_text(std::string_view strategy, const Problem& problem, const Cost& cost) {
  const std::string line = std::string(strategy) + ": ";
  std::string text;
  if (cost.diverging_warps > 0)
    text += line + "in " + percent_of(cost.diverging_warps) + " of the warps, threads diverge at edges.\n";
  if (const double at_ends = load_reduction_at_ends(problem, cost); at_ends > 0)
    text += line + decimals(at_ends, 2) + " times fewer loads in a block at an end, " +
            decimals(load_reduction(problem, cost), 2) + " in an inner one.\n";
  return text;
}

}  // namespace convoscope
