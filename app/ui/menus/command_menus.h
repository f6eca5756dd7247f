#pragma once
// Menus of the table's actions, with their keys.
#include <string>
#include <string_view>

#include "app/ui/actions/command_table.h"

namespace convoscope::ui {

// A row that does what the table's action of this name does; mark "menu/ACTION".
void menu_action(const char* action, const Act&);

// Drawn in the window where ImGui::OpenPopup() was called with their name.
inline constexpr const char* weights_menu_name = "##weights-menu";
inline constexpr const char* transport_menu_name = "##transport-menu";
void draw_weights_menu(const Act&);
void draw_transport_menu(const Act&);  // the right button opens it too, over the current window

// What menus are made of: a row with its keys, greyed where it is not possible; mark "menu/NAME". `also`: other words
// that find it.
void begin_menu_style();
void end_menu_style();
bool found_row(const std::string& name, const std::string& also, const char* keys, bool chosen, bool possible);
bool menu_row(const std::string& name, const char* keys, bool possible = true);
const char* keys_to(std::string_view action);  // null: it has none

}  // namespace convoscope::ui
