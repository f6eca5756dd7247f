#pragma once
// Panels by their ids: which are open, and which is to be seen.
#include <string_view>

#include "app/state/settings.h"

namespace convoscope::ui {

void show_panel(Settings&, std::string_view id);  // opened, and scrolled into sight
void set_open(Settings&, std::string_view id, bool open);
bool is_open(const Settings&, std::string_view id);

}  // namespace convoscope::ui
