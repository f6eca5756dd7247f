#include "kernels/choose/auto_candidates.h"

#include <algorithm>
#include <ranges>

#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/model.h"

namespace convoscope {
namespace {

// Of the fastest prediction. Models leave out what a strategy loses to latency and conflicts, which differs by less.
constexpr double hopeless = 3;
// Whatever the ratio, a trial of this length costs a frame little, so the model need not be trusted; but a library must
// be loaded for it, so that it has to be likely.
constexpr double always_affordable_ms = 2;
// Matrix units make 2 (fp16 on GeForce) to 30 (int8 on data-centre parts) times the FLOP of the FP32 units. Taken as
// high, since a strategy that is tried in vain costs less than one missed.
constexpr double matrix_units_factor = 16;
// The emulator makes such an instruction one product at a time, and the lanes of the warp wait for each other: seconds.
constexpr double emulated_matrix_units_factor = 1.0 / 64;

// Of what loads no library; one would have to be loaded to be asked.
bool is_candidate(const Strategy& strategy, const Problem& problem, const Device& device) {
  return !strategy.chooses && !strategy.peer && !loads_library(strategy) &&
         strategy.unsupported(problem, device, {}).empty();
}

}  // namespace

DeviceLimits assumed_limits(const Device& device) {
  const DeviceLimits known = load_limits(device);
  if (known.from_cache) return known;
  const double cores = std::max(device.multiprocessors, 1);
  if (device.backend == Backend::cpu) return {.copy_bytes_per_second = 10e9, .flop_per_second = 30e9 * cores};
  return {.copy_bytes_per_second = 20e9 * cores, .flop_per_second = 2 * 128 * 1.5e9 * cores};
}

double predicted_ms(const Strategy& strategy, const Problem& problem, const DeviceLimits& limits) {
  const Cost cost = strategy.model(problem, {});
  const bool emulated = strategy.backend == Backend::emulated;
  const double matrix_units = emulated ? emulated_matrix_units_factor : matrix_units_factor;
  const double flop = cost.on_matrix_units ? cost.flop / matrix_units : cost.flop;
  double seconds = cost.dram_bytes / limits.copy_bytes_per_second + flop / limits.flop_per_second;
  if (strategy.backend != Backend::cpu) {
    // A multiprocessor makes 128 multiply-adds a cycle and loads 128 bytes from shared memory or L1: half a byte a
    // FLOP.
    const double loads = cost.global_loads_per_output + cost.global_stores_per_output + cost.shared_loads_per_output;
    seconds += 4 * loads * outputs(problem) / (0.5 * limits.flop_per_second);
  }
  return seconds * 1e3;
}

Candidates find_candidates(const Problem& problem, const Device& device, const DeviceLimits& limits) {
  Candidates found;
  const auto all = strategies(device.backend, *problem.kind);
  // The ladder leads from plain to clever: of two with the same prediction the later one comes first.
  const auto add = [&](bool plain) {
    for (const Strategy* strategy : all | std::views::reverse)
      if (strategy->plain == plain && is_candidate(*strategy, problem, device))
        found.likely.push_back({strategy, predicted_ms(*strategy, problem, limits)});
  };
  add(false);
  if (found.likely.empty()) add(true);  // slow, but it filters
  std::ranges::stable_sort(found.likely, {}, &Candidate::predicted_ms);
  if (found.likely.empty()) return found;
  const double most = hopeless * found.likely.front().predicted_ms;
  const double affordable = device.backend == Backend::cpu ? most : std::max(most, always_affordable_ms);
  const auto slow = std::ranges::find_if(found.likely, [&](const Candidate& c) { return c.predicted_ms > affordable; });
  found.pruned.assign(slow, found.likely.end());
  found.likely.erase(slow, found.likely.end());
  if (device.backend != Backend::cuda) return found;
  for (const Strategy* strategy : all) {
    if (strategy->chooses || strategy->peer || !loads_library(*strategy)) continue;
    const Candidate library{strategy, predicted_ms(*strategy, problem, limits)};
    (library.predicted_ms <= most ? found.likely : found.pruned).push_back(library);
  }
  return found;
}

std::string why_no_candidate(const Problem& problem, const Device& device) {
  std::string first;
  for (const Strategy* strategy : strategies(device.backend, *problem.kind)) {
    if (is_candidate(*strategy, problem, device)) return {};
    if (first.empty() && !strategy->chooses && !loads_library(*strategy))
      first = std::string(strategy->id) + ": " + strategy->unsupported(problem, device, {});
  }
  return "no strategy of the " + std::string(to_string(device.backend)) + " backend takes this problem" +
         (first.empty() ? "" : " (" + first + ")");
}

std::string why_only_plain(const Problem& problem, const Device& device) {
  std::string first;
  for (const Strategy* strategy : strategies(device.backend, *problem.kind) | std::views::reverse) {
    if (strategy->plain || strategy->chooses || strategy->peer || loads_library(*strategy)) continue;
    const std::string why = strategy->unsupported(problem, device, {});
    if (why.empty()) return {};
    if (first.empty()) first = std::string(strategy->id) + " cannot run: " + why + (why.ends_with('.') ? "" : ".");
  }
  return first;
}

const Device& typical_device(Backend backend) {
  static const auto first = [](Backend which) {
    const std::vector<Device> devices = list_devices(which);
    if (!devices.empty()) return devices.front();
    Device device = list_devices(Backend::emulated).front();
    device.backend = which;
    return device;
  };
  static const Device cpu = first(Backend::cpu), emulated = first(Backend::emulated);
  if (backend == Backend::cpu) return cpu;
  if (backend == Backend::emulated) return emulated;
  static const Device cuda = first(Backend::cuda);  // asks the driver, so only where it is wanted
  return cuda;
}

}  // namespace convoscope
