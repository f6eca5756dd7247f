// convoscope list: what there is, and what theory says about it.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/columns.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/edges_text.h"
#include "app/cli/commands/list_data.h"
#include "app/cli/commands/list_tiles.h"
#include "app/cli/commands/problems.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/options/values.h"
#include "app/cli/options/workbench_option.h"
#include "app/media/sources/source.h"
#include "kernels/choose/ladder.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/model.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t columns_for_titles = 130;  // of strategies, whose ids are what nobody can do without

// Reasons are sentences and often the same: a number in the table, the sentence below it.
class Footnotes {
 public:
  std::string mark(const std::string& reason) {
    if (reason.empty()) return "yes";
    auto found = std::find(reasons_.begin(), reasons_.end(), reason);
    if (found == reasons_.end()) found = reasons_.insert(reasons_.end(), reason);
    return "no (" + std::to_string(found - reasons_.begin() + 1) + ")";
  }
  std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < reasons_.size(); ++i)
      out += (i ? "" : "\n") + ("(" + std::to_string(i + 1) + ") " + reasons_[i] + "\n");
    return out;
  }

 private:
  std::vector<std::string> reasons_;
};

// --- strategies ---

struct ListedStrategy {
  StrategyRow row;
  Tuning tuning;
  std::string unsupported;  // why it refuses the problem; empty when it takes it
  std::vector<KernelInfo> kernels;
  std::string note;
};

std::vector<StrategyRow> rows_of(BackendChoice choice, const Kind& kind) {
  std::vector<StrategyRow> rows;
  if (choice == BackendChoice::emulated || choice == BackendChoice::cpu) {
    const Backend backend = choice == BackendChoice::cpu ? Backend::cpu : Backend::emulated;
    const std::string reason = why_unavailable(backend);
    for (const Strategy* strategy : strategies(backend, kind))
      rows.push_back({strategy, backend, reason.empty(), reason});
    return rows;
  }
  for (StrategyRow& row : ladder(kind))
    if (choice == BackendChoice::automatic || row.backend == Backend::cuda) rows.push_back(std::move(row));
  return rows;
}

// What a strategy is asked about when its own backend is missing: the emulated device stands for a GPU.
Device device_for(const StrategyRow& row, int ordinal) {
  const Backend backend = row.backend == Backend::cuda && !row.available ? Backend::emulated : row.backend;
  const std::vector<Device> devices = list_devices(backend);
  if (row.backend == Backend::cuda && row.available && static_cast<std::size_t>(ordinal) < devices.size())
    return devices[static_cast<std::size_t>(ordinal)];
  return devices.empty() ? Device{.backend = backend} : devices[0];
}

// `only`: this one; empty: all.
std::vector<ListedStrategy> ask_strategies(const Invocation& invocation, const Problem& problem,
                                           const std::string& only = {}) {
  std::vector<ListedStrategy> listed;
  std::unique_ptr<Compute> cuda;  // kernels can only be described where they can run
  for (const StrategyRow& row : rows_of(invocation.settings.backend, *problem.kind)) {
    if (!only.empty() && row.strategy->id != only) continue;
    ListedStrategy entry{.row = row,
                         .tuning = tuning_for(std::string(row.strategy->id), invocation.tuning, *problem.kind)};
    const Device device = device_for(row, invocation.settings.device);
    entry.unsupported = problem.kind->invalid(problem);
    if (entry.unsupported.empty()) entry.unsupported = surely_unsupported(*row.strategy, problem, device, entry.tuning);
    if (row.backend == Backend::cuda && row.available && entry.unsupported.empty()) {
      try {
        if (!cuda) cuda = make_compute(Backend::cuda, invocation.settings.device);
        const auto plan = row.strategy->plan(problem, device, entry.tuning);
        entry.kernels = plan->kernels();
        entry.note = plan->note();
      } catch (const Error& error) {
        entry.unsupported = error.what();
      }
    }
    listed.push_back(std::move(entry));
  }
  return listed;
}

ordered_json tunables_json(const Strategy& strategy, const Tuning& tuning) {
  ordered_json out = ordered_json::array();
  const Tuned tuned(strategy, tuning);
  for (const Tunable& tunable : strategy.tunables)
    out.push_back({{"id", tunable.id},
                   {"title", tunable.title},
                   {"explanation", tunable.explanation},
                   {"values", std::vector<int>(tunable.values.begin(), tunable.values.end())},
                   {"initial", tunable.initial},
                   {"value", tuned[tunable.id]}});
  return out;
}

// What a block holds of the input in shared memory; null where that is nothing.
ordered_json tile_json(const Problem& problem, const Cost& cost) {
  if (cost.tile_width == 0) return nullptr;
  const auto bytes = static_cast<std::int64_t>(tile_bytes(problem.format, cost));
  return {{"width", cost.tile_width}, {"height", cost.tile_height}, {"bytes", bytes}};
}

std::string tile_text(const Problem& problem, const Cost& cost) {
  if (cost.tile_width == 0) return "–";
  return std::to_string(cost.tile_width) + " × " + std::to_string(cost.tile_height) + ", " +
         decimals(tile_bytes(problem.format, cost), 0) + " B";
}

ordered_json strategy_json(const ListedStrategy& entry, const Problem& problem) {
  const Strategy& strategy = *entry.row.strategy;
  // A strategy is not asked for figures about a problem that it refuses.
  const bool answers = entry.unsupported.empty();
  const Cost cost = strategy.model(problem, entry.tuning);
  const double at_ends = load_reduction_at_ends(problem, cost);
  return {{"id", strategy.id},
          {"kind", strategy.kind->id},
          {"title", strategy.title},
          {"backend", to_string(entry.row.backend)},
          {"available", entry.row.available},
          {"reason", entry.row.reason},
          {"idea", strategy.idea},
          {"reading", strategy.reading},
          {"tunables", tunables_json(strategy, entry.tuning)},
          {"unsupported", entry.unsupported},
          {"tolerance", answers ? number_json(strategy.tolerance(problem)) : ordered_json(nullptr)},
          {"model", cost_json(cost)},
          {"outputs", number_json(outputs(problem))},
          {"flop_per_output", number_json(cost.flop / outputs(problem))},
          {"unrolled_expansion", problem.filter.is_bank() ? number_json(unrolled_expansion(problem)) : nullptr},
          {"flop_per_loaded_byte", number_json(flop_per_loaded_byte(problem, cost))},
          {"load_reduction", number_json(load_reduction(problem, cost))},
          {"load_reduction_at_ends", at_ends > 0 ? number_json(at_ends) : ordered_json(nullptr)},
          {"ghost_share", number_json(ghost_share(problem))},
          {"tile", tile_json(problem, cost)},
          {"note", entry.note},
          {"kernels", kernels_json(entry.kernels)}};
}

void list_strategies(const Invocation& invocation) {
  const Kind& kind = *invocation.kinds[0];
  const Problem problem = listed_problem(invocation);
  const std::vector<ListedStrategy> listed = ask_strategies(invocation, problem);
  if (invocation.json) {
    ordered_json out = ordered_json::array();
    for (const ListedStrategy& entry : listed) out.push_back(strategy_json(entry, problem));
    return print(json_text(out));
  }
  print("For " + kind.describe(problem) + ", " + name_and_size(problem.filter) + ", border " +
        std::string(to_string(problem.border)) + ":\n\n");
  const bool titles = output_columns() >= columns_for_titles;
  std::vector<std::string> header{"Strategy", "Backend",          "MFLOP", "loads/\noutput", "times\nfewer",
                                  "tile",     "FLOP/\nloaded\nB", "MB",    "FLOP/\nB",       "Runs\nhere"};
  if (titles) header.insert(header.begin() + 2, "Title");
  TextTable table(header, titles ? "llwrrrrrrrl" : "llrrrrrrrl");
  Footnotes footnotes;
  std::string edges = ghost_cells_text(problem);
  for (const ListedStrategy& entry : listed) {
    const Strategy& strategy = *entry.row.strategy;
    const Cost cost = strategy.model(problem, entry.tuning);
    const std::string& why_not = entry.row.available ? entry.unsupported : entry.row.reason;
    std::vector<std::string> row{std::string(strategy.id),
                                 to_string(entry.row.backend),
                                 decimals(cost.flop * 1e-6, 0),
                                 significant(cost.global_loads_per_output, 3),
                                 decimals(load_reduction(problem, cost), 1),
                                 tile_text(problem, cost),
                                 decimals(flop_per_loaded_byte(problem, cost), 2),
                                 decimals(cost.dram_bytes * 1e-6, 1),
                                 decimals(cost.intensity(), 2),
                                 footnotes.mark(why_not)};
    if (titles) row.insert(row.begin() + 2, std::string(strategy.title));
    table.add(std::move(row));
    edges += edges_text(strategy.id, problem, cost);
  }
  print(table, footnotes.text() + (edges.empty() ? "" : "\n" + edges));
}

// --- sources, and what one of them offers; devices ---

void list_sources(bool json) {
  ordered_json out = ordered_json::array();
  TextTable table({"Source", "INPUT", "What it is"}, "lww");
  for (const OfferedSource& source : known_sources()) {
    const SourceKind& kind = *source.kind;
    out.push_back({{"id", kind.id},
                   {"title", kind.title},
                   {"available", true},
                   {"reason", ""},
                   {"input", kind.form},
                   {"idea", kind.help}});
    table.add({std::string(kind.id), kind.form, kind.help});
  }
  json ? print(json_text(out)) : print(table);
}

ordered_json choice_json(const SourceChoice& choice) {
  ordered_json modes = ordered_json::array();
  for (const CameraMode& mode : choice.modes)
    modes.push_back({{"format", mode.format}, {"width", mode.width}, {"height", mode.height}, {"rate", mode.rate}});
  return {{"id", choice.input},       {"title", choice.title},
          {"path", choice.path},      {"available", choice.problem.empty()},
          {"reason", choice.problem}, {"modes", modes}};
}

void list_choices(const Source& source, bool json) {
  const std::vector<SourceChoice> choices = source.choices();
  if (json) {
    ordered_json out = ordered_json::array();
    for (const SourceChoice& choice : choices) out.push_back(choice_json(choice));
    return print(json_text(out));
  }
  if (choices.empty()) return print(std::string(source.kind.nothing) + "\n");
  const bool modes = std::ranges::any_of(choices, [](const SourceChoice& each) { return !each.modes.empty(); });
  std::vector<std::string> header{std::string(source.kind.title), "Name"};
  if (modes) header.insert(header.end(), {"Format", "Size", "Frames/s"});
  TextTable table(header, modes ? "lwlrr" : "lw");
  std::string footnotes;
  for (const SourceChoice& choice : choices) {
    std::string id = choice.input, name = choice.title;
    if (!choice.problem.empty()) footnotes += id + ": " + choice.problem + "\n";
    if (!modes) table.add({id, name});
    if (modes && choice.modes.empty()) table.add({id, name, "–", "–", "–"});
    for (const CameraMode& mode : choice.modes)
      table.add({std::exchange(id, ""), std::exchange(name, ""), mode.format,
                 std::to_string(mode.width) + "x" + std::to_string(mode.height), significant(mode.rate, 4)});
  }
  print(table, footnotes);
}

std::string units_text(const Device& device) {
  if (device.multiprocessors == 0) return "–";
  return std::to_string(device.multiprocessors) + (device.backend == Backend::cpu ? " thread" : " multiprocessor") +
         (device.multiprocessors == 1 ? "" : "s");
}

void list_devices_here(bool json) {
  ordered_json out = ordered_json::array();
  TextTable table({"Backend", "N", "Device", "Compute", "Parallel units", "Memory", "Usable"}, "lrwlrrl");
  Footnotes footnotes;
  for (Backend backend : {Backend::cpu, Backend::cuda, Backend::emulated}) {
    const std::string reason = why_unavailable(backend);
    std::vector<Device> devices = list_devices(backend);
    if (devices.empty()) devices.push_back({.backend = backend});  // the reason needs a row
    for (const Device& device : devices) {
      ordered_json row{{"id", std::string(to_string(backend)) + ":" + std::to_string(device.ordinal)},
                       {"title", device.name},
                       {"available", reason.empty()},
                       {"reason", reason}};
      row.update(device_json(device));
      out.push_back(row);
      const int capability = device.compute_capability;
      table.add({to_string(backend), std::to_string(device.ordinal), device.name.empty() ? "–" : device.name,
                 capability ? std::to_string(capability / 10) + "." + std::to_string(capability % 10) : "–",
                 units_text(device),
                 device.memory_bytes ? decimals(static_cast<double>(device.memory_bytes) / (1 << 30), 1) + " GiB" : "–",
                 footnotes.mark(reason)});
    }
  }
  json ? print(json_text(out)) : print(table, footnotes.text());
}

}  // namespace

ordered_json strategy_row_json(const Invocation& invocation, const std::string& id) {
  const Problem problem = listed_problem(invocation);
  const std::vector<ListedStrategy> listed = ask_strategies(invocation, problem, id);
  if (listed.empty())
    throw Error("There is no strategy " + in_quotes(id) + " for " + std::string(problem.kind->id) + "s.");
  return strategy_json(listed[0], problem);
}

int run_list(const Invocation& invocation) {
  check_device(invocation);
  switch (invocation.listing) {
    case Invocation::Listing::strategies:
      list_strategies(invocation);
      break;
    case Invocation::Listing::filters:
      list_filters(invocation);
      break;
    case Invocation::Listing::banks:
      list_banks(invocation.json);
      break;
    case Invocation::Listing::benches:
      list_workbenches(invocation.json);
      break;
    case Invocation::Listing::sources:
      list_sources(invocation.json);
      break;
    case Invocation::Listing::choices:
      list_choices(source_named(invocation.listed_source), invocation.json);
      break;
    case Invocation::Listing::devices:
      list_devices_here(invocation.json);
      break;
    case Invocation::Listing::tiles:
      list_tiles(invocation);
      break;
  }
  return 0;
}

}  // namespace convoscope
