#include "app/ui/notices/waiting_messages.h"

#include <imgui.h>

#include <optional>
#include <string>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/stage_places.h"

namespace convoscope::ui {
namespace {

constexpr int waiting_slot = -1;  // no other box has it
constexpr const char *waiting_name = "messages/more", *action_of_waiting = action::messages;

std::string label_of_waiting(std::size_t count) {
  const std::string of_what = ui_state().messages_height > 0 ? " more" : count == 1 ? " message" : " messages";
  return std::to_string(count) + of_what + ": " + first_key_of(action_of_waiting);
}

std::optional<Area> place_of_waiting(const Area& room, ImVec2 size) {
  const auto kept = ui_state().kept_boxes.find(waiting_name);
  if (kept != ui_state().kept_boxes.end()) {
    const Area area{kept->second.area.x, kept->second.area.y, size.x, size.y};
    if (lies_in(area, room) && is_free(area)) return area;
  }
  const std::optional<Area> place = place_at_foot(room, size);
  return place ? place : place_near(room, size, room.to());
}

}  // namespace

Area room_for_messages(const Area& picture) {
  const float margin = px(picture.width > px(400) ? 12 : 6);
  return {picture.x + margin, picture.y + margin, picture.width - 2 * margin, picture.height - 2 * margin};
}

bool lies_in(const Area& area, const Area& room) {
  return area.x >= room.x && area.y >= room.y && area.x + area.width <= room.x + room.width &&
         area.y + area.height <= room.y + room.height;
}

void keep_place_of_waiting(const Area& room) {
  UiState& state = ui_state();
  if (state.messages_waiting == 0 || state.kept_boxes.contains(waiting_name)) return;
  const ImVec2 size{text_button_width(label_of_waiting(state.messages_waiting).c_str()), ImGui::GetFrameHeight()};
  const std::optional<Area> place = place_of_waiting(room, size);
  if (!place) return;
  state.kept_boxes[waiting_name] = {*place, waiting_slot, false};
  keep_free(*place);
}

void show_waiting(std::size_t count, const Area& room) {
  UiState& state = ui_state();
  state.messages_waiting = count;
  if (count == 0) return;
  const std::string label = label_of_waiting(count);
  const ImVec2 size{text_button_width(label.c_str()), ImGui::GetFrameHeight()};
  const std::optional<Area> place = place_of_waiting(room, size);
  if (!place) return draw_again_in(0);
  state.kept_boxes[waiting_name] = {*place, waiting_slot, true};
  ImGui::SetNextWindowPos(place->from());
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().card);
  ImGui::Begin("##messages-more", nullptr, message_flags);
  if (text_button("messages-more", label.c_str(),
                  "There is no room for them here yet. Show them all" + keys_of(action_of_waiting)))
    momentary().show_messages = true;
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  take_place(waiting_name, *place);
}

}  // namespace convoscope::ui
