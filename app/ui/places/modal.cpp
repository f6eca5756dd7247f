#include "app/ui/places/modal.h"

#include <algorithm>
#include <string>

#include "app/ui/parts/widgets.h"

namespace convoscope::ui {

void begin_modal(const Modal& sheet, bool opening, bool* open) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(screen);
  if (opening) ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, dimming);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  constexpr ImGuiWindowFlags still = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
  ImGui::Begin(sheet.id, nullptr, still);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();

  const float width = std::max(std::min(px(sheet.width), screen.x - px(16)), 1.0f);
  const float height = std::max(std::min(px(sheet.height), screen.y - px(16)), 1.0f);
  ImGui::SetCursorPos({std::round((screen.x - width) / 2), std::round((screen.y - height) / 2)});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme().raised);
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, px(12));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(20), px(16)));
#if IMGUI_VERSION_NUM >= 19000
  ImGui::BeginChild("##content", {width, height}, ImGuiChildFlags_AlwaysUseWindowPadding,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
#else
  ImGui::BeginChild("##content", {width, height}, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
#endif
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  push_font(Font::title);
  text_clipped(sheet.title, ImGui::GetContentRegionAvail().x - px(36), theme().text);
  pop_font();
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(width - px(20) - px(28), 0.0f));
  ImGui::SetCursorPosY(px(12));
  if (icon_button(sheet.mark, Icon::close, "Close (Esc)")) *open = false;
  ImGui::Dummy({0, px(4)});
}

void end_modal() {
  ImGui::EndChild();
  ImGui::End();
}

}  // namespace convoscope::ui
