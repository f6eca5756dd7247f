#include "app/cli/experiment/region_reads.h"

#include <algorithm>
#include <set>

namespace convoscope {
namespace {

bool meet(const PixelArea& a, const PixelArea& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool reads(const KernelStep& step, const PixelArea& region) {
  const auto meets = [&](const PixelArea& area) { return meet(area, region); };
  return std::ranges::any_of(step.tile, meets) || std::ranges::any_of(step.direct, meets);
}

// Blocks of the step whose outputs lie near enough for the filter to reach the region.
std::optional<int> reads_of_step(const Strategy& strategy, const Problem& problem, const Device& device,
                                 const Tuning& tuning, std::size_t number, const PixelArea& region) {
  std::set<std::array<int, 3>> blocks;
  const int reach_x = 2 * problem.filter.rx() + 2 * region.width, reach_y = 2 * problem.filter.ry() + 2 * region.height;
  for (int y = std::max(region.y - reach_y, 0); y < std::min(region.y + reach_y, problem.height); y += region.height)
    for (int x = std::max(region.x - reach_x, 0); x < std::min(region.x + reach_x, problem.width); x += region.width) {
      const Explanation how = strategy.explain(problem, device, tuning, {x, y});
      if (number >= how.steps.size()) return std::nullopt;
      const KernelStep& step = how.steps[number];
      if (reads(step, region)) blocks.insert(step.block);
    }
  return static_cast<int>(blocks.size());
}

}  // namespace

std::optional<int> region_reads(const Strategy& strategy, const Problem& problem, const Device& device,
                                const Tuning& tuning) {
  if (!strategy.explains || problem.filter.is_bank() || problem.filter.depth > 1) return std::nullopt;
  if (!strategy.unsupported(problem, device, tuning).empty()) return std::nullopt;
  const Explanation how = strategy.explain(problem, device, tuning, {problem.width / 2, problem.height / 2});
  if (how.steps.empty()) return std::nullopt;
  int reads = 0;
  for (std::size_t i = 0; i < how.steps.size(); ++i) {
    if (how.steps[i].outputs.size() != 1 || how.steps[i].outputs[0].empty()) return std::nullopt;
    const std::optional<int> of_step = reads_of_step(strategy, problem, device, tuning, i, how.steps[i].outputs[0]);
    if (!of_step) return std::nullopt;
    reads += *of_step;
  }
  return reads;
}

}  // namespace convoscope
