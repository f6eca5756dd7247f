#pragma once
// The keys of an action, for texts and tooltips. The table is key_bindings() of ui.h.
#include <string>
#include <string_view>

namespace convoscope::ui {

// The keys of an action as the cheat sheet names them, " (Ctrl+Z)": for the tooltip of the button that does the same.
std::string keys_of(const char* action);
std::string with_keys(const char* action);          // "Undo (Ctrl+Z)": a tooltip
std::string first_key_of(std::string_view action);  // "Ctrl+Z"

}  // namespace convoscope::ui
