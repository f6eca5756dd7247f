#include "app/ui/menus/command_menus.h"

#include <algorithm>
#include <array>
#include <span>

#include "app/ui/actions/command_table.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {

namespace {

bool menu_item(const std::string& name, const char* keys, bool chosen) {
  const bool clicked = ImGui::MenuItem(name.c_str(), keys, chosen);
  mark_item("menu/" + name);
  return clicked;
}

const Binding* binding_of(std::string_view action) {
  const std::vector<Binding>& table = bindings();
  const auto found = std::ranges::find(table, action, [](const Binding& row) { return std::string_view(row.action); });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

void begin_menu_style() {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(8), px(8)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(12), px(6)));
}

void end_menu_style() { ImGui::PopStyleVar(2); }

bool found_row(const std::string& name, const std::string& also, const char* keys, bool chosen, bool possible) {
  ImGui::BeginDisabled(!possible);
  const bool taken = list_row(name, also, chosen, [&](bool stands_out) {
    if (stands_out) draw_row_at_hand();
    return menu_item(name, keys, chosen);
  });
  ImGui::EndDisabled();
  return taken;
}

bool menu_row(const std::string& name, const char* keys, bool possible) {
  return found_row(name, {}, keys, false, possible);
}

const char* keys_to(std::string_view action) {
  const Binding* const binding = binding_of(action);
  return binding ? binding->keys : nullptr;
}

void menu_action(const char* action, const Act& a) {
  const Binding* const found = binding_of(action);
  if (!found || found->release) return;
  const std::string why = why_not(*found, a.settings);
  if (menu_row(action, found->keys, why.empty())) found->act(a);
  tooltip(why);
}

namespace {

void draw_actions(const char* id, std::span<const char* const> actions, const Act& a) {
  begin_menu_style();
  if (ImGui::BeginPopup(id)) {
    begin_list();
    for (const char* const action : actions) menu_action(action, a);
    ImGui::EndPopup();
  }
  end_menu_style();
}

}  // namespace

void draw_weights_menu(const Act& a) {
  constexpr std::array actions{action::copy_weights,    action::paste_weights, action::normalise,
                               action::flip_horizontal, action::flip_vertical, action::rotate,
                               action::transpose,       action::undo,          action::redo};
  draw_actions(weights_menu_name, actions, a);
}

void draw_transport_menu(const Act& a) {
  if (ImGui::IsWindowHovered() && ImGui::IsMouseReleased(1)) ImGui::OpenPopup(transport_menu_name);
  constexpr std::array actions{action::play,       action::step_back, action::step_forward,   action::first_frame,
                               action::last_frame, action::loop,      action::loop_from_here, action::loop_to_here,
                               action::clear_loop, action::faster,    action::slower,         action::normal_speed,
                               action::sound,      action::volume_up, action::volume_down};
  draw_actions(transport_menu_name, actions, a);
}

}  // namespace convoscope::ui
