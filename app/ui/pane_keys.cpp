// The keys of panes and views.
#include "app/ui/key_table.h"
#include "app/ui/keys.h"
#include "app/ui/strategy_actions.h"

namespace convoscope::ui {
namespace {

template <int number>
void pick_pane(const Act& a) {
  if (number < static_cast<int>(a.settings.panes.size())) a.settings.active_pane = number;
}

}  // namespace

std::vector<Binding> pane_bindings() {
  using namespace key;
  return {
      {{'1', 0, "1 … 9", "Panes", "Pick a pane"}, pick_pane<0>},
      {{'2', 0, "1 … 9", "Panes", "Pick a pane"}, pick_pane<1>},
      {{'3', 0, "1 … 9", "Panes", "Pick a pane"}, pick_pane<2>},
      {{'4', 0, "1 … 9", "Panes", "Pick a pane"}, pick_pane<3>},
      {{'5', 0, "1 … 9", "Panes", "Pick a pane"}, pick_pane<4>},
      {{'6', 0, "1 … 9", "Panes", "Pick a pane"}, pick_pane<5>},
      {{'7', 0, "1 … 9", "Panes", "Pick a pane"}, pick_pane<6>},
      {{'8', 0, "1 … 9", "Panes", "Pick a pane"}, pick_pane<7>},
      {{'9', 0, "1 … 9", "Panes", "Pick a pane"}, pick_pane<8>},
      {{'D', control, "Ctrl+D", "Panes", "Add a pane like this one"}, [](const Act& a) { add_pane(a.settings); }},
      {{'W', control, "Ctrl+W", "Panes", "Close the pane"}, [](const Act& a) { close_pane(a.settings); }},
      {{'V', 0, "V", "Panes", "Next view"}, [](const Act& a) { cycle_view(a.settings); }},
  };
}

}  // namespace convoscope::ui
