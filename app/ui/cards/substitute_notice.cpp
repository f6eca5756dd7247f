// At the foot of a pane: another strategy filters it than the one that the user chose, a button to make it the choice
// and, where only the type of a layer's numbers is in the way, one to give the pane a type in which its own choice
// runs.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/keys/keys.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/stage/layout.h"
#include "app/ui/stage/stage_places.h"

namespace convoscope::ui {
namespace {

// "Runs constant, as winograd cannot run: …": the reason comes last, as that is what is cut.
std::string notice_text(const PaneStats& measured) {
  std::string why = measured.why_substitute;
  const std::string instead = " " + measured.substitute + " runs instead.";
  if (why.ends_with(instead)) why.resize(why.size() - instead.size());
  // The reason goes on within the sentence. Names keep their capitals.
  constexpr std::string_view not_names[] = {"This", "The", "It", "Only", "There", "Its", "A", "An", "No"};
  if (const std::size_t colon = why.find(": "); colon != std::string::npos) {
    char& first = why[colon + 2];
    const std::string_view reason = std::string_view(why).substr(colon + 2);
    if (std::ranges::find(not_names, reason.substr(0, reason.find(' '))) != std::end(not_names))
      first = static_cast<char>(first + ('a' - 'A'));
  }
  return "Runs " + measured.substitute + ", as " + why;
}

constexpr int most_lines = 3;

void draw_notice(int index, const PaneStats& measured, PaneSettings& pane, const LayerSettings& layer,
                 const Area& area) {
  const std::string number = std::to_string(index + 1), other = measured.substitute;
  const std::string text = notice_text(measured), button = "Choose " + other;
  const float padding = px(8), row = ImGui::GetFrameHeight();
  const std::optional<Precision> type = measured.takes_type;
  const std::string give = type ? offer_of_type(*type) : std::string();
  const float choose_width = text_size(Font::strong, button).x + px(24);
  const float give_width = type ? text_size(Font::strong, give).x + px(24) : 0;
  // What lets the choice run comes first, and is there where both have no room.
  const bool both = !type || give_width + choose_width + 3 * padding <= std::min(area.width - px(16), px(640));
  const float button_width = !type ? choose_width : both ? give_width + padding + choose_width : give_width;
  const float beside_text = button_width + 3 * padding;
  const float width = std::min({text_size(Font::body, text).x + beside_text, area.width - px(16), px(640)});
  // Where it is narrow the button comes below.
  const float least = text_size(Font::body, text.substr(0, text.find(": "))).x + px(80);
  const bool beside = width >= std::min(least, text_size(Font::body, text).x) + beside_text;
  const float room = width - (beside ? beside_text : 2 * padding);
  const int lines = area.height >= px(240) ? most_lines : beside ? 1 : 2;
  const std::string shown = first_lines(wrapped(Font::body, text, room), lines);
  const float lines_height = text_size(Font::body, shown).y;
  const float text_height = beside ? std::max(row, lines_height) : lines_height + px(4);
  const float height = (beside ? text_height : text_height + row) + 2 * px(4);
  if (width < button_width + 2 * padding || area.height < height + px(80)) return;  // the panel says it too
  const std::optional<Area> place = place_at_foot({area.x, area.y, area.width, area.height - px(12)}, {width, height});
  if (!place) return;
  ImGui::SetNextWindowPos(place->from());
  take_place("substitute/" + number, *place);
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
  const float above = beside ? std::round((text_height - lines_height) / 2) : 0;
  draw_text(*ImGui::GetWindowDrawList(), Font::body, {from.x, from.y + above}, theme().warning, shown);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::InvisibleButton("##why", {std::max(room, 1.0f), text_height});
  ImGui::PopStyleVar();
  mark_item("pane/" + number + "/why-substitute");
  watch_tip(shown);
  tooltip(measured.why_substitute);
  if (beside) ImGui::SameLine(0, padding);
  if (type) {
    if (text_button(("pane/" + number + "/give-type").c_str(), give.c_str(), offer_explained(pane, *type)))
      choose_type(pane, layer, *type);
    if (both) ImGui::SameLine(0, padding);
  }
  if (both && text_button(("pane/" + number + "/choose-what-runs").c_str(), button.c_str(),
                          "Chooses " + other + " for this pane. Otherwise " + pane.strategy +
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
    draw_notice(i, *measured, pane, settings.layer, pane_area(settings, layout, i));
  }
}

}  // namespace convoscope::ui
