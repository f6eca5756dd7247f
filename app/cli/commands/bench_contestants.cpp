#include "app/cli/commands/bench_contestants.h"

#include <algorithm>
#include <cstdlib>

#include "app/cli/options/values.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::size_t most_tunings = 256;       // of one strategy in a sweep
constexpr std::size_t most_tile_trials = 4096;  // of which one with such a tile is looked for

// Each of `tunings` with each of these values.
std::vector<Tuning> with_each(const std::vector<Tuning>& tunings, std::string_view id, std::span<const int> values) {
  std::vector<Tuning> more;
  for (const Tuning& tuning : tunings)
    for (const int value : values) more.emplace_back(tuning)[std::string(id)] = value;
  return more;
}

void check_number(const std::vector<Tuning>& tunings, const char* option, const Strategy& strategy,
                  const Tunable& fixed) {
  if (tunings.size() <= most_tunings) return;
  throw Error(std::string(option) + ": " + std::string(strategy.id) + " has more than " + std::to_string(most_tunings) +
              " tunings. Fix some with --tune, like --tune " + std::string(fixed.id) + "=" +
              std::to_string(fixed.initial) + ".");
}

const Tunable* tunable_of(const Strategy& strategy, std::string_view id) {
  const auto found = std::ranges::find(strategy.tunables, id, &Tunable::id);
  return found == strategy.tunables.end() ? nullptr : &*found;
}

// How many choices lie between a tuning and the one to begin with.
long distance(const Strategy& strategy, const Tuning& tuning) {
  long steps = 0;
  for (const Tunable& tunable : strategy.tunables) {
    const auto value = tuning.find(tunable.id);
    if (value == tuning.end()) continue;
    const auto place = [&](int of) { return std::ranges::find(tunable.values, of) - tunable.values.begin(); };
    steps += std::labs(place(value->second) - place(tunable.initial));
  }
  return steps;
}

bool makes_tile(const Strategy& strategy, const Problem& problem, const Device& device, const Tuning& tuning,
                int side) {
  if (!strategy.explains || !strategy.unsupported(problem, device, tuning).empty()) return false;
  const Explanation how = strategy.explain(problem, device, tuning, {problem.width / 2, problem.height / 2});
  if (how.steps.empty() || how.steps.back().outputs.empty()) return false;
  const PixelArea& tile = how.steps.back().outputs[0];
  return tile.width == side && tile.height == (problem.filter.height == 1 && tile.height == 1 ? 1 : side);
}

// Peers show their best: a library measures its algorithms instead of guessing.
void let_peer_measure(const Strategy& strategy, Tuning& tuning) {
  if (tunable_of(strategy, "measure")) tuning.try_emplace("measure", 1);
}

std::vector<Tuning> swept(const Strategy& strategy, std::vector<Tuning> tunings) {
  for (const Tunable& tunable : strategy.tunables) {
    if (tunings[0].contains(tunable.id)) continue;  // --tune or --over holds this one
    tunings = with_each(tunings, tunable.id, tunable.values);
    check_number(tunings, "--sweep", strategy, tunable);
  }
  return tunings;
}

}  // namespace

std::optional<Tuning> tuning_with_tile(const Strategy& strategy, const Problem& problem, const Device& device,
                                       const Tuning& start, int side) {
  std::vector<Tuning> tunings{start};
  for (const Tunable& tunable : strategy.tunables)
    if (!start.contains(tunable.id) && tunings.size() * tunable.values.size() <= most_tile_trials)
      tunings = with_each(tunings, tunable.id, tunable.values);
  std::ranges::stable_sort(tunings, {}, [&](const Tuning& tuning) { return distance(strategy, tuning); });
  for (const Tuning& tuning : tunings)
    if (makes_tile(strategy, problem, device, tuning, side)) return tuning;
  return std::nullopt;
}

std::vector<Tuning> tunings_of(const Strategy& strategy, const Problem& problem, const Device& device,
                               const Invocation& invocation) {
  std::vector<Tuning> tunings{tuning_for(std::string(strategy.id), invocation.tuning, *strategy.kind)};
  bool varied = invocation.over_tunables.empty();
  for (const Invocation::OverTunable& over : invocation.over_tunables) {
    std::vector<Tuning> more;
    if (over.id == tile_side) {
      for (const Tuning& tuning : tunings)
        for (const int side : over.values)
          if (auto with_tile = tuning_with_tile(strategy, problem, device, tuning, side))
            more.push_back(*std::move(with_tile));
    } else if (const Tunable* tunable = tunable_of(strategy, over.id)) {
      std::vector<int> values = over.values;
      std::erase_if(values,
                    [&](int value) { return std::ranges::find(tunable->values, value) == tunable->values.end(); });
      more = with_each(tunings, over.id, values);
    }
    if (more.empty()) continue;  // it has no such number, and is measured as it is beside those that have
    varied = true;
    tunings = std::move(more);
    if (!strategy.tunables.empty()) check_number(tunings, "--over", strategy, strategy.tunables[0]);
  }
  if (!varied && invocation.strategies.empty()) return {};  // nobody named it
  return invocation.sweep ? swept(strategy, std::move(tunings)) : tunings;
}

std::vector<Contestant> contestants_of(const Invocation& invocation, const Problem& problem, const Device& device) {
  const Kind& kind = *problem.kind;
  std::vector<std::string> ids = invocation.strategies;
  if (ids.empty())
    for (const Strategy* strategy : strategies(device.backend, kind)) ids.emplace_back(strategy->id);
  for (const std::string& peer : invocation.against)
    if (std::ranges::find(ids, peer) == ids.end()) ids.push_back(peer);
  std::vector<Contestant> contestants;
  for (const std::string& id : ids) {
    const Strategy* strategy = find_strategy(device.backend, id, kind);
    if (!strategy)
      throw Error("The strategy " + in_quotes(id) + " does not run with the " + to_string(device.backend) +
                  " backend on this machine. " +
                  (device.backend == Backend::cpu ? "It needs CUDA, and what the emulator runs is never timed."
                                                  : "It runs with --backend cpu."));
    const bool peer = std::ranges::find(invocation.against, id) != invocation.against.end();
    for (Tuning& tuning : tunings_of(*strategy, problem, device, invocation)) {
      if (peer) let_peer_measure(*strategy, tuning);
      contestants.push_back({strategy, std::move(tuning)});
    }
  }
  if (contestants.empty())
    throw Error("--over leaves nothing to measure: no strategy of this backend has such a tile. See --help.");
  return contestants;
}

}  // namespace convoscope
