// The cheat sheet: every key, from the table that the keys themselves obey.
#include <imgui.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/ui/keys.h"
#include "app/ui/panels.h"
#include "app/ui/ui_state.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {
namespace {

struct Line {
  std::string keys;
  const char* action;
};
struct Group {
  const char* title;
  std::vector<Line> lines;
};

// One line for each action, with all of its keys.
const std::vector<Group>& groups() {
  static const std::vector<Group> table = [] {
    std::vector<Group> made;
    for (const KeyBinding& binding : key_bindings()) {
      if (made.empty() || std::string_view(made.back().title) != binding.group) made.push_back({binding.group, {}});
      std::vector<Line>& lines = made.back().lines;
      const auto known = std::ranges::find_if(
          lines, [&](const Line& line) { return std::string_view(line.action) == binding.action; });
      if (known == lines.end())
        lines.push_back({binding.keys, binding.action});
      else if (known->keys != binding.keys && !known->keys.ends_with(", " + std::string(binding.keys)))
        known->keys += ", " + std::string(binding.keys);
    }
    made.push_back({"Mouse",
                    {{"Wheel", "Zoom about the cursor"},
                     {"Drag", "Move the picture, the progress bar, a weight"},
                     {"Click", "Pick a pane, a weight"},
                     {"Double click", "Full screen; on a weight: type its value"},
                     {"Drop a file", "Play it"}}});
    return made;
  }();
  return table;
}

void draw_group(const Group& group, float width) {
  const Theme& t = theme();
  push_font(Font::strong);
  text_coloured(t.accent, group.title);
  pop_font();
  const float keys_width = px(118), height = px(21);
  for (const Line& line : group.lines) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    draw_text(list, Font::strong, at, t.text, line.keys);
    const std::string action = clipped(line.action, width - keys_width);
    draw_text(list, Font::body, {at.x + keys_width, at.y}, t.dim, action);
    ImGui::Dummy({std::max(width, 1.0f), height - ImGui::GetStyle().ItemSpacing.y});
  }
  ImGui::Dummy({0, px(8)});
}

float height_of(const Group& group) { return static_cast<float>(group.lines.size() + 1) * px(21) + px(16); }

}  // namespace

void draw_help(Settings& settings) {
  // Taking the focus in every frame would take it from the button that is being pressed.
  UiState& state = ui_state();
  const bool opening = settings.show_help && !state.help_open;
  state.help_open = settings.show_help;
  if (!settings.show_help) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(1120), screen.x - px(24)), height = std::min(px(830), screen.y - px(24));
  if (width < px(60) || height < px(40)) return;
  // A window of its own dims the panels too; a click on it closes the sheet.
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(screen);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, static_cast<ImU32>(IM_COL32(0, 0, 0, 130)));
  if (opening) ImGui::SetNextWindowFocus();
  ImGui::Begin("##help-shade", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  if (ImGui::IsWindowHovered() && ImGui::IsMouseClicked(0)) settings.show_help = false;
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({width, height});
  if (opening) ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(12));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(28), px(22)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().raised);
  ImGui::Begin("##help-window", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
  push_font(Font::title);
  text_coloured(theme().text, "Keys and mouse");
  pop_font();
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - px(28), 0.0f));
  if (icon_button("close-help", Icon::close, "Close" + keys_of("This sheet"))) settings.show_help = false;
  ImGui::Dummy({0, px(4)});

  // As many columns as have room, filled one after another to about the same height.
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = std::clamp(static_cast<int>(room / px(330)), 1, 3);
  const float column_width = room / static_cast<float>(columns) - px(18);
  float total = 0;
  for (const Group& group : groups()) total += height_of(group);
  const ImVec2 top = ImGui::GetCursorPos();
  int column = 0;
  float used = 0;
  ImGui::BeginGroup();
  for (const Group& group : groups()) {
    if (column + 1 < columns && used > 0 && used + height_of(group) / 2 > total / static_cast<float>(columns)) {
      ImGui::EndGroup();
      ++column;
      used = 0;
      ImGui::SetCursorPos({top.x + static_cast<float>(column) * (column_width + px(18)), top.y});
      ImGui::BeginGroup();
    }
    draw_group(group, column_width);
    used += height_of(group);
  }
  ImGui::EndGroup();
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace convoscope::ui
