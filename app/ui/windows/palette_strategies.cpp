#include "app/ui/windows/palette_strategies.h"

#include <utility>

#include "app/ui/actions/strategy_actions.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_names.h"

namespace convoscope::ui {
namespace {

std::string command_name(const Stats& stats, const StrategyRow& row) {
  return "Strategy: " + std::string(row.strategy->id) + ", " + title_here(stats, row);
}

}  // namespace

void add_strategies(std::vector<Command>& commands, const Stats& stats) {
  for (const StrategyRow& row : stats.ladder) {
    if (!row.strategy || !row.available) continue;
    commands.push_back(
        {command_name(stats, row), "", [id = std::string(row.strategy->id)](const Stats&, Settings& s, Requests&) {
           choose_strategy(s.active(), id);
         }});
  }
  commands.push_back({"Strategy: source, the unfiltered picture", "",
                      [](const Stats&, Settings& s, Requests&) { choose_strategy(s.active(), "source"); }});
}

void add_strategies_of_others(std::vector<Command>& commands, const Stats& stats) {
  for (const StrategyRow& row : stats.ladder) {
    if (!row.strategy || row.available) continue;
    std::string why = row.reason + (row.reason.ends_with('.') ? "" : ".");
    if (stats.device.backend == Backend::cpu) {
      const bool is_emulated = find_strategy(Backend::emulated, row.strategy->id, *row.strategy->kind);
      const bool next = is_emulated && !stats.why_no_gpu.empty();
      why = std::string(row.strategy->id) + " needs CUDA." +
            (next ? " " + first_key_of(action::next_backend) + " tries the emulator." : "") + " " + why;
    }
    commands.push_back({command_name(stats, row), "", {}, {}, std::move(why)});
  }
}

}  // namespace convoscope::ui
