#include "app/ui/windows/palette_layer.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "app/state/network_settings.h"
#include "app/state/workbench.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/learn_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"

namespace convoscope::ui {
namespace {

void add_learning(std::vector<Command>& commands, const Settings& settings) {
  const auto add = [&](const char* name, bool Requests::*asked) {
    commands.push_back(
        {name, "", [asked](const Stats&, Settings&, Requests& r) { r.*asked = true; }, {}, why_not_learning(settings)});
  };
  commands.push_back(
      {"Layer: Set the layer up to learn", "", [](const Stats&, Settings& s, Requests& r) { set_up_to_learn(s, r); }});
  add("Layer: Reset what was learnt", &Requests::reset_learning);
  add("Layer: Check the gradients", &Requests::check_gradients);
}

void add_wall(std::vector<Command>& commands, const Settings& settings) {
  const auto add = [&](const char* name, void (*run)(Settings&), std::string why_not = {}) {
    commands.push_back({name, "", [run](const Stats&, Settings& s, Requests&) { run(s); }, {}, std::move(why_not)});
  };
  const bool can_be_frame = seen_bank(settings.layer).maps == channels(settings.format);
  add("Layer: All maps", [](Settings& s) { s.wall.frames = false, s.wall.map = -1; });
  add("Layer: One map", [](Settings& s) {
    s.wall.frames = false;
    s.wall.map = bank_choice(seen_bank(s.layer)).map;
  });
  add(
      "Layer: As a frame", [](Settings& s) { s.wall.frames = true, s.wall.map = -1; },
      can_be_frame ? "" : "Only a layer with one map for each colour can be seen as a frame.");
  if (!settings.layer.further.empty())
    add("Layer: Next layer",
        [](Settings& s) { s.layer.seen = static_cast<int>((seen_layer(s.layer) + 1) % (s.layer.further.size() + 1)); });
}

// What is chosen for the layer; elsewhere its workbench is shown first.
void add_for_layer(std::vector<Command>& commands, const Settings& settings, const std::string& name,
                   std::string_view also, std::function<void(Settings&)> choose) {
  const auto bench = std::ranges::find_if(workbenches, &Workbench::has_bank);
  const std::string where = has_bank(settings) ? "" : std::string(" (in the ") + bench->title + " workbench)";
  commands.push_back({name + where, "",
                      [id = bench->id, choose = std::move(choose)](const Stats&, Settings& s, Requests&) {
                        show_workbench(s, id);
                        follow_workbench(s);
                        observe_history(s, true);  // the layer from before is one step back
                        choose(s);
                      },
                      std::string(also)});
  commands.back().is_elsewhere = !has_bank(settings);
}

}  // namespace

void add_layer_commands(std::vector<Command>& commands, const Settings& settings) {
  add_learning(commands, settings);
  add_wall(commands, settings);
}

void add_banks(std::vector<Command>& commands, const Settings& settings) {
  for (const BankKind& kind : bank_kinds())
    add_for_layer(commands, settings, "Bank: " + std::string(kind.title), kind.id,
                  [&kind](Settings& s) { choose_bank(s.layer, kind); });
  for (const NetworkKind& kind : network_kinds())
    add_for_layer(commands, settings, "Network: " + std::string(kind.title), kind.id,
                  [id = std::string(kind.id)](Settings& s) { choose_network(s, id); });
}

}  // namespace convoscope::ui
