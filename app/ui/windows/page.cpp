#include "app/ui/windows/page.h"

#include <imgui.h>

#include <algorithm>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

bool opening = false;

}  // namespace

bool begin_page(const char* id, const char* title, float width, float height, bool* open, const std::string& keys) {
  UiState& state = ui_state();
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const bool low = screen.y < px(160);  // then all of it is needed
  width = std::min(px(width), screen.x - px(24));
  height = std::min(px(height), screen.y - (low ? 0 : px(24)));
  if (!*open || width < px(60) || height < px(40)) {
    if (state.page == id) state.page.clear();
    return false;
  }
  // Taking the focus in every frame would take it from the button that is being pressed.
  opening = state.page != id;
  state.page = id;
  // A window of its own dims the panels too.
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(screen);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, dimming);
  if (opening) ImGui::SetNextWindowFocus();
  const std::string name = std::string("##") + id;
  ImGui::Begin((name + "-shade").c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  if (!opening && ImGui::IsWindowHovered() && ImGui::IsMouseClicked(0)) *open = false;
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({width, height});
  if (opening) ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(12));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(28), px(low ? 4 : 20)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().raised);
  ImGui::Begin((name + "-window").c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  const ImVec2 at = ImGui::GetCursorPos();
  push_font(Font::title);
  text_coloured(theme().text, title);
  pop_font();
  const ImVec2 below = ImGui::GetCursorPos();
  ImGui::SetCursorPos({std::max(ImGui::GetWindowContentRegionMax().x - px(28), at.x), at.y - px(4)});
  if (icon_button((std::string("close-") + id).c_str(), Icon::close, "Close" + keys)) *open = false;
  ImGui::SetCursorPos({at.x, std::max(below.y, at.y + px(32))});
  return true;
}

void end_page() {
  ImGui::SetScrollY(0);  // a field that takes the keyboard would move all of a low page
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

bool page_is_opening() { return opening; }

}  // namespace convoscope::ui
