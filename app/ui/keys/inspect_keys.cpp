// The keys of looking closely.
#include <optional>
#include <utility>

#include "app/ui/actions/command_table.h"
#include "app/ui/explain/explanation.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/inspect_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/stage/inspect.h"

namespace convoscope::ui {

namespace {

// What an explanation draws over the picture needs one.
void show_on_explained(const Act& a, bool& shown) {
  shown = !(shown && a.settings.inspect.explain);
  if (!shown || a.settings.inspect.explain) return;
  explain_pixel(a.settings.inspect.pinned ? std::nullopt : a.stats.inspect.under_cursor, a.settings);
}

}  // namespace

std::vector<Binding> inspect_bindings() {
  using namespace key;
  return {
      {{'I', 0, "I", "Inspect", action::values},
       [](const Act& a) { a.settings.inspect.values = !a.settings.inspect.values; }},
      {{'Q', 0, "Q", "Inspect", action::magnifier},
       [](const Act& a) { a.settings.inspect.magnifier = !a.settings.inspect.magnifier; }},
      {{'Q', shift, "Shift+Q", "Inspect", action::magnifier_cells},
       [](const Act& a) {
         int& cells = inspect_state().magnifier_cells;
         cells = cells > 7 ? 7 : 15;
         a.settings.inspect.magnifier = true;
       }},
      {{'I', shift, "Shift+I", "Inspect", action::pin_pixel}, [](const Act& a) { toggle_pin(a.stats, a.settings); }},
      {{'J', 0, "J", "Inspect", action::histogram},
       [](const Act& a) { a.settings.inspect.histogram = !a.settings.inspect.histogram; }},
      {{'J', shift, "Shift+J", "Inspect", action::vectorscope},
       [](const Act& a) { a.settings.inspect.vectorscope = !a.settings.inspect.vectorscope; }},
      {{'E', 0, "E", "Inspect", action::explain},
       [](const Act& a) {
         InspectSettings& inspect = a.settings.inspect;
         if (std::exchange(inspect.explain, false)) return;
         const bool keeps = keeps_explained_pin(a.stats, a.settings);
         explain_pixel(keeps ? std::nullopt : a.stats.inspect.under_cursor, a.settings);
         if (!keeps && a.stats.inspect.under_cursor) pin_under_cursor(a.stats, a.settings);
       }},
      {{'U', shift, "Shift+U", "Inspect", action::uses},
       [](const Act& a) { show_on_explained(a, a.settings.inspect.uses); }},
      {{'X', shift, "Shift+X", "Inspect", action::tiles},
       [](const Act& a) { show_on_explained(a, a.settings.inspect.tiles); }},
      {{'E', shift, "Shift+E", "Inspect", action::go_to_wrong},
       [](const Act& a) { a.requests.show_wrong_pixel = a.settings.group().active_pane; }},
  };
}

}  // namespace convoscope::ui
