#include "kernels/own/counts.h"

#include <algorithm>
#include <cmath>

#include "kernels/own/new_kernel.h"
#include "kernels/text/number_text.h"

namespace convoscope::own {
namespace {

struct Rung {
  std::string id;
  double loads;
};

std::vector<Rung> rungs(const Problem& problem) {
  std::vector<Rung> list;
  for (const std::string& id : forkable(*problem.kind)) {
    const Strategy& strategy = *find_strategy(Backend::emulated, id, *problem.kind);
    const Cost cost = strategy.model(problem, {});
    list.push_back({id, cost.global_loads_per_output + cost.weight_loads_per_output});
  }
  return list;
}

std::string at_line(int line) { return line > 0 ? " (line " + std::to_string(line) + ")" : ""; }

template <class Number>
int line_with_most(const Counts& counts, Number number) {
  const auto most =
      std::ranges::max_element(counts.lines, {}, [&](const LineTally& line) { return number(line.tally); });
  return most == counts.lines.end() ? 0 : most->line;
}

std::string percent(double share) { return rounded_text(100 * share, 2) + " %"; }

}  // namespace

Asked asked_for_counts(const KernelFile& file) {
  Asked asked;
  const bool frames = file.kind->has_catalogue;
  asked.problem = {frames ? 96 : 2048,
                   frames ? 64 : 2,
                   file.formats[0],
                   Border::replicate,
                   file.kind->parse(frames ? "gaussian:radius=2" : "0.05 0.1 0.2 0.3 0.2 0.1 0.05"),
                   file.kind};
  return asked;
}

Counts counts_of(const Tally& tally, const std::vector<int>& lines, const Asked& asked) {
  const Problem& p = asked.problem;
  Counts counts{.counted = true};
  counts.problem = p.kind->describe(p) + ", " + p.filter.name;
  PlaceTally all;
  long long global_warps = 0;
  std::size_t i = 0;
  for (const auto& [code, place] : tally.places) {
    const int line = lines[i++];
    all.loads += place.loads;
    all.shared += place.shared;
    all.sectors += place.sectors;
    all.least += place.least;
    all.conflicts += place.conflicts;
    all.warps += place.warps;
    all.lanes += place.lanes;
    global_warps += place.shared > 0 ? place.warps : 0;
    const auto same = std::ranges::find(counts.lines, line, &LineTally::line);
    LineTally& at = same == counts.lines.end() ? counts.lines.emplace_back(LineTally{line, {}}) : *same;
    at.tally.loads += place.loads;
    at.tally.stores += place.stores;
    at.tally.shared += place.shared;
    at.tally.warps += place.warps;
    at.tally.lanes += place.lanes;
    at.tally.sectors += place.sectors;
    at.tally.least += place.least;
    at.tally.conflicts += place.conflicts;
  }
  std::ranges::stable_sort(counts.lines, std::ranges::greater(), [](const LineTally& l) { return l.tally.loads; });
  const double outputs = static_cast<double>(p.width) * p.height;
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  counts.loads_per_output = static_cast<double>(all.loads) / outputs;
  counts.shared_per_output = static_cast<double>(all.shared) / outputs;
  counts.loads_again =
      1 - share(static_cast<double>(std::min(tally.distinct, all.loads)), static_cast<double>(all.loads));
  counts.sectors_per_least = share(static_cast<double>(all.sectors), static_cast<double>(all.least));
  counts.conflicts_per_access = share(static_cast<double>(all.conflicts), static_cast<double>(global_warps));
  counts.idle_threads = share(static_cast<double>(tally.without_output), static_cast<double>(tally.threads));
  counts.lanes = share(static_cast<double>(all.lanes), static_cast<double>(all.warps));
  for (const Rung& rung : rungs(p)) {
    const auto far = [&](double loads) { return std::abs(std::log(loads / std::max(counts.loads_per_output, 1e-9))); };
    if (!counts.nearest.empty() && far(rung.loads) >= far(counts.nearest_loads)) continue;
    counts.nearest = rung.id;
    counts.nearest_loads = rung.loads;
  }
  return counts;
}

std::vector<std::string> why_slower(const Counts& counts, const Asked& asked) {
  std::vector<std::pair<double, std::string>> causes;  // how much it may cost, roughly
  const auto loads_line = line_with_most(counts, [](const PlaceTally& t) { return t.loads; });
  const std::vector<Rung> all = rungs(asked.problem);
  const auto least = std::ranges::min_element(all, {}, &Rung::loads);
  if (least != all.end() && counts.loads_per_output > 1.3 * least->loads)
    causes.emplace_back(counts.loads_per_output / least->loads,
                        "It loads " + rounded_text(counts.loads_per_output, 3) +
                            " elements of global memory for each output" + at_line(loads_line) + "; '" + least->id +
                            "' loads " + rounded_text(least->loads, 3) +
                            " by the model, since its blocks share what they load.");
  if (counts.sectors_per_least > 1.5)
    causes.emplace_back(counts.sectors_per_least,
                        "Its loads touch " + rounded_text(counts.sectors_per_least, 3) +
                            " times as many sectors of 32 bytes as their bytes fill" +
                            at_line(line_with_most(counts, [](const PlaceTally& t) { return t.sectors - t.least; })) +
                            ": the threads of a warp do not read side by side.");
  // Up to three may be pixels of 16 bytes, which the host's compiler reads by channels, and a GPU at once.
  if (counts.conflicts_per_access > 3.2)
    causes.emplace_back(1 + counts.conflicts_per_access,
                        "A warp waits " + rounded_text(counts.conflicts_per_access, 3) +
                            " more turns for each access of shared memory, since its threads meet at the same banks" +
                            at_line(line_with_most(counts, [](const PlaceTally& t) { return t.conflicts; })) + ".");
  if (counts.idle_threads > 0.2)
    causes.emplace_back(1 / (1 - std::min(counts.idle_threads, 0.99)),
                        percent(counts.idle_threads) + " of its threads write no output.");
  if (counts.lanes > 0 && counts.lanes < 24)
    causes.emplace_back(
        32 / counts.lanes,
        "On average " + rounded_text(counts.lanes, 3) + " of the 32 threads of a warp take part in a load or a store" +
            at_line(line_with_most(counts, [](const PlaceTally& t) { return 32 * t.warps - t.lanes; })) +
            ": the others idle or have gone another way.");
  std::ranges::stable_sort(causes, std::ranges::greater(), &std::pair<double, std::string>::first);
  std::vector<std::string> sentences;
  for (const auto& [cost, sentence] : causes)
    if (sentences.size() < 3) sentences.push_back(sentence);
  return sentences;
}

}  // namespace convoscope::own
