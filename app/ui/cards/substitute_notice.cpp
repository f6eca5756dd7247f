// At the foot of a pane: another strategy filters it than the one that the user chose, and a button to make it the
// choice.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/keys/keys.h"
#include "app/ui/keys/pane_actions.h"
#include "app/ui/keys/strategy_actions.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/stage/layout.h"
#include "app/ui/stage/stage_places.h"

namespace convoscope::ui {
namespace {

void draw_notice(int index, const PaneStats& measured, PaneSettings& pane, const Area& area) {
  const std::string number = std::to_string(index + 1), other = measured.substitute;
  const std::string text = pane.strategy + " cannot run; " + other + " runs instead.", button = "Choose it";
  const float padding = px(8), row = ImGui::GetFrameHeight();
  const float button_width = text_size(Font::strong, button).x + px(24);
  const float text_width = text_size(Font::body, text).x;
  const float width = std::min(text_width + button_width + 3 * padding, area.width - px(16));
  const bool one_row = width >= text_width + button_width + 3 * padding;
  // Where it is narrow the button comes below.
  const float room = one_row ? text_width : width - 2 * padding;
  const std::string shown = one_row ? text : wrapped(Font::body, text, room);
  const float text_height = one_row ? row : text_size(Font::body, shown).y + px(4);
  const float height = (one_row ? row : text_height + row) + 2 * px(4);
  if (width < button_width + 2 * padding || area.height < height + px(80)) return;  // the panel says it too
  const ImVec2 at{std::round(area.x + (area.width - width) / 2), std::round(area.y + area.height - height - px(12))};
  ImGui::SetNextWindowPos(at);
  take_place({at.x, at.y, width, height});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding, px(4)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().card);
  ImGui::Begin(("##substitute" + number).c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float above = one_row ? std::round((row - font_size(Font::body)) / 2) : 0;
  draw_text(*ImGui::GetWindowDrawList(), Font::body, {from.x, from.y + above}, theme().warning, shown);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::InvisibleButton("##why", {std::max(room, 1.0f), text_height});
  ImGui::PopStyleVar();
  mark_item("pane/" + number + "/why-substitute");
  tooltip(measured.why_substitute);
  if (one_row) ImGui::SameLine(0, padding);
  if (text_button(("pane/" + number + "/choose-what-runs").c_str(), button.c_str(),
                  "Makes " + other + " the choice of this pane. Otherwise " + pane.strategy +
                      " runs again as soon as it can." + keys_of("Choose what really runs")))
    choose_strategy(pane, other);
  ImGui::End();
}

}  // namespace

void draw_substitute_notices(const Stats& stats, Settings& settings, const UiLayout& layout) {
  if (!settings.show_overlay || settings.flick_pane == flick_source) return;
  for (int i = 0; i < static_cast<int>(settings.panes.size()); ++i) {
    PaneSettings& pane = settings.panes[static_cast<std::size_t>(i)];
    const PaneStats* const measured = stats_of(stats, pane);
    if (!measured || measured->substitute.empty() || measured->strategy != pane.strategy) continue;
    draw_notice(i, *measured, pane, pane_area(settings, layout, i));
  }
}

}  // namespace convoscope::ui
