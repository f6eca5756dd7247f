// The keys of the workbenches.
#include "app/ui/actions/command_table.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_codes.h"

namespace convoscope::ui {

std::vector<Binding> workbench_bindings() {
  static constexpr const char* keys[] = {"Ctrl+Shift+1", "Ctrl+Shift+2", "Ctrl+Shift+3", "Ctrl+Shift+4"};
  static_assert(workbenches.size() <= std::size(keys));
  std::vector<Binding> table;
  for (std::size_t i = 0; i < workbenches.size(); ++i)
    table.push_back(
        {{'1' + static_cast<int>(i), key::control | key::shift, keys[i], "Window", workbench_action(workbenches[i])},
         [i](const Act& a) { show_workbench(a.settings, workbenches[i].id); }});
  return table;
}

std::vector<Binding> learn_bindings() {
  return {{{key::f(3), key::control, "Ctrl+F3", "Layer", action::learn},
           [](const Act&) { momentary().learning = !momentary().learning; },
           false,
           nullptr,
           has_bank}};
}

}  // namespace convoscope::ui
