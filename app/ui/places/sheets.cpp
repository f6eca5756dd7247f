#include "app/ui/places/sheets.h"

#include <algorithm>
#include <cmath>

#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr float least_width = 300, least_height = 200;  // of the stage beside and above a sheet
constexpr float share_below = 0.55f, sweep_share = 0.58f, listing_share = 0.55f;

}  // namespace

Area take_sheet(Area& stage, float width, bool left) {
  width = std::floor(width);
  if (stage.height < px(least_height)) return {};
  if (stage.width - width >= px(least_width)) {
    stage.width -= width;
    if (!left) return {stage.x + stage.width, stage.y, width, stage.height};
    stage.x += width;
    return {stage.x - width, stage.y, width, stage.height};
  }
  const float height = std::floor(stage.height * share_below);
  stage.height -= height;
  return {stage.x, stage.y + stage.height, stage.width, height};
}

Area take_explain_sheet(Area& stage, bool left) { return take_sheet(stage, px(430), left); }

Area take_lesson_sheet(Area& stage, bool left) { return take_sheet(stage, px(400), left); }

Area take_sweep_sheet(Area& stage, bool left) {
  return take_sheet(stage, std::clamp(stage.width * sweep_share, px(420), px(760)), left);
}

// Lines of code have up to 120 characters: as many of them as leave the picture half.
Area take_listing_sheet(Area& stage, bool left) {
  return take_sheet(stage, std::clamp(stage.width * listing_share, px(380), px(920)), left);
}

bool begin_sheet(const char* name, const char* title, const Area& area, bool& open, const std::string& close_tip,
                 const std::string& workbench) {
  if (!has_room(area)) return false;
  ImGui::SetNextWindowPos(area.from());
  ImGui::SetNextWindowSize({area.width, area.height});
  constexpr ImGuiWindowFlags docked = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavInputs |
                                      ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoFocusOnAppearing;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(16), px(12)));
  ImGui::Begin(("##" + std::string(name)).c_str(), nullptr, docked);
  ImGui::PopStyleVar();
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID last = ImGui::GetID("##workbench");
  const int now = static_cast<int>(ImGui::GetID(workbench.c_str()));
  if (ImGui::IsWindowAppearing() || kept.GetInt(last) != now) ImGui::SetScrollY(0);  // what is read first
  kept.SetInt(last, now);
  mark_area(name, area.from(), area.to());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRect(area.from(), area.to(), theme().line);
  const float room = ImGui::GetContentRegionAvail().x - px(32);
  draw_clipped(list, Font::title, ImGui::GetCursorScreenPos(), theme().text, title, room);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - px(28));
  if (icon_button((std::string(name) + "-close").c_str(), Icon::close, close_tip)) open = false;
  return true;
}

void end_sheet() { ImGui::End(); }

bool has_room(const Area& sheet) { return sheet.width >= px(100) && sheet.height >= px(60); }

}  // namespace convoscope::ui
