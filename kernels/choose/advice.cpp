#include "kernels/choose/advice.h"

#include <algorithm>

#include "kernels/contract/theory/model.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr int widest_for_tiles = 11;  // PMPP, and the notes that this ladder follows

constexpr double fewer = 0.99;  // of the definition's FLOP: fewer than that is another algorithm

// What a strategy is, by what it costs on this problem.
using Family = bool (*)(const MeasuredHere&, const Problem&);

bool saves_flop(const MeasuredHere& one, const Problem& p) { return one.cost.flop < fewer * filter_flop(p); }
bool has_tiles(const MeasuredHere& one, const Problem&) { return one.cost.tile_width > 0 && !one.library; }
bool reads_each_window(const MeasuredHere& one, const Problem& p) {
  return one.cost.tile_width == 0 && !one.library && !saves_flop(one, p) &&
         one.cost.global_loads_per_output >= loads_by_definition(p);
}
bool is_in_two_passes(const MeasuredHere& one, const Problem& p) { return !one.library && saves_flop(one, p); }
bool is_in_one_pass(const MeasuredHere& one, const Problem& p) { return !one.library && !saves_flop(one, p); }
bool is_library(const MeasuredHere& one, const Problem&) { return one.library; }
bool has_constant_weights(const MeasuredHere& one, const Problem& p) {
  return reads_each_window(one, p) && one.cost.weight_loads_per_output == 0;
}
bool has_global_weights(const MeasuredHere& one, const Problem& p) {
  return reads_each_window(one, p) && one.cost.weight_loads_per_output > 0;
}

const MeasuredHere* best_of(std::span<const MeasuredHere> measured, const Problem& p, Family family) {
  const MeasuredHere* best = nullptr;
  for (const MeasuredHere& each : measured)
    if (family(each, p) && each.median_ms > 0 && (!best || each.median_ms < best->median_ms)) best = &each;
  return best;
}

std::string time_of(const MeasuredHere& one) { return one.id + " takes " + rounded_text(one.median_ms, 3) + " ms"; }

// Of the advised ones the best against the best of the others.
void hold_against(Advice& advice, const Problem& p, std::span<const MeasuredHere> measured, Family advised,
                  Family others, const std::string& try_these) {
  const MeasuredHere *good = best_of(measured, p, advised), *other = best_of(measured, p, others);
  if (!good || !other) {
    advice.found = "Not measured here: give one pane " + try_these + ".";
    return;
  }
  advice.found = "Here " + time_of(*good) + " and " + time_of(*other) + ".";
  if (good->high_ms < other->low_ms)
    advice.here = Advice::Here::agrees;
  else if (other->high_ms < good->low_ms)
    advice.here = Advice::Here::disagrees;
  else
    advice.here = Advice::Here::undecided;
}

}  // namespace

std::string separable_saving(int width, int height) {
  const int before = width * height, after = width + height;
  const double less = 100.0 * (1 - static_cast<double>(after) / before);
  return std::to_string(before) + " multiplications become " + std::to_string(after) +
         (less > 0 ? ": " + rounded_text(less, 2) + " % less" : "");
}

std::vector<Advice> advice_for(const Problem& p, bool rank_one, Backend backend,
                               std::span<const MeasuredHere> measured) {
  const Filter& f = p.filter;
  const int widest = std::max(f.width, f.height);
  std::vector<Advice> all;
  if (f.is_bank() || widest < 3) return all;
  const bool gpu = backend == Backend::cuda;
  if (rank_one && f.width > 1 && f.height > 1) {
    Advice& two_passes = all.emplace_back();
    two_passes.says = "Separable whenever the filter is: " + separable_saving(f.width, f.height) + ".";
    hold_against(two_passes, p, measured, is_in_two_passes, is_in_one_pass,
                 "a strategy of two passes and another one of one pass");
  }
  Advice& size = all.emplace_back();
  const std::string extent = std::to_string(f.width) + " × " + std::to_string(f.height);
  const bool tiles = widest <= widest_for_tiles;
  size.says = tiles ? "At " + extent + ", tiles in shared memory; from 3 × 3 to 11 × 11 they pay."
                    : "At " + extent + ", beyond 11 × 11, an FFT or a library.";
  if (!gpu)
    size.found = "That is of a GPU: the times of cores say nothing of it.";
  else if (tiles)
    hold_against(size, p, measured, has_tiles, reads_each_window,
                 "a strategy with tiles and another one that reads each window through the caches");
  else
    hold_against(size, p, measured, is_library, is_in_one_pass,
                 "a strategy that calls a library and another one that does not");
  Advice& constants = all.emplace_back();
  constants.says = "Weights in constant memory, always.";
  if (!gpu)
    constants.found = "That is of a GPU, too.";
  else
    hold_against(constants, p, measured, has_constant_weights, has_global_weights,
                 "a strategy with its weights in constant memory and another one that has them in global memory");
  if (backend == Backend::emulated)
    for (Advice& advice : all) advice.found.clear();
  return all;
}

}  // namespace convoscope
