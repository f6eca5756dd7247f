#pragma once
// What the right button opens: actions of the key table, with their keys, where they belong.
#include "app/ui/keys/key_table.h"
#include "app/ui/stage/layout.h"

namespace convoscope::ui {

// A row that does what the table's action of this name does; mark "menu/ACTION".
void menu_action(const char* action, const Act&);

void draw_pane_menu(const Stats&, Settings&, Requests&, const UiLayout&);  // over the picture, its panes and cards
// Drawn in the window where ImGui::OpenPopup() was called with their name.
inline constexpr const char* weights_menu_name = "##weights-menu";
inline constexpr const char* transport_menu_name = "##transport-menu";
void draw_weights_menu(const Act&);
void draw_transport_menu(const Act&);  // the right button opens it too, over the current window

}  // namespace convoscope::ui
