#include "app/ui/actions/panel_actions.h"

#include <string>

#include "app/ui/memory/ui_state.h"

namespace convoscope::ui {

void set_open(Settings& settings, std::string_view id, bool open) {
  if (open)
    settings.open_panels.emplace(id);
  else
    settings.open_panels.erase(std::string(id));
}

void show_panel(Settings& settings, std::string_view id) {
  settings.show_panels = true;
  set_open(settings, id, true);
  ui_state().reveal_panel = id;
}

bool is_open(const Settings& settings, std::string_view id) { return settings.open_panels.contains(std::string(id)); }

}  // namespace convoscope::ui
