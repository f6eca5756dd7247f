// At the foot of a pane: another strategy filters it than the one that the user chose, a button to make it the choice,
// where only the type of a layer's numbers or the picture's pixels are in the way one to give what its own choice runs
// with, and a cross that puts it away until there is another reason.
#include "app/ui/cards/substitute_notice.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/places/layout.h"
#include "app/ui/places/stage_places.h"
#include "app/ui/places/wall_overlay.h"

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
constexpr float cross_side = 24;

// Among what was put away.
std::string key_of(const PaneSettings& pane, const PaneStats& measured) {
  return "substitute " + std::to_string(pane.id) + '\n' + measured.why_substitute;
}

// What a notice says, and how it is set in a room of some width.
struct Notice {
  std::string text, choose, give;     // the last one empty where neither type nor pixels are in the way
  std::optional<PixelFormat> format;  // that is given
  float choose_width = 0, give_width = 0;
};

struct NoticeLook {
  ImVec2 size;
  bool both = true;    // buttons
  bool beside = true;  // the text, else below it
  float room = 0;      // for the text
  std::string shown;
  float lines_height = 0, text_height = 0;
};

Notice notice_of(const Stats& stats, const Settings& settings, const PaneSettings& pane, const PaneStats& measured) {
  Notice notice{notice_text(measured), "Choose " + measured.substitute, "", format_taken(stats, settings, pane)};
  if (measured.takes_type)
    notice.give = offer_of_type(*measured.takes_type);
  else if (notice.format)
    notice.give = offer_of_format(*notice.format);
  const auto width_of = [](const std::string& button) {
    return button.empty() ? 0 : text_size(Font::strong, button).x + px(24);
  };
  notice.choose_width = width_of(notice.choose), notice.give_width = width_of(notice.give);
  return notice;
}

// Nothing where not even the buttons have room.
std::optional<NoticeLook> look_within(const Notice& notice, float most_width, int lines) {
  const float padding = px(8), row = ImGui::GetFrameHeight();
  NoticeLook look;
  // What lets the choice run comes first, and is there where both have no room.
  const float both = notice.give_width + notice.choose_width + 4 * padding + px(cross_side);
  look.both = notice.give.empty() || both <= most_width;
  const float buttons = notice.give.empty() ? notice.choose_width
                        : look.both         ? notice.give_width + padding + notice.choose_width
                                            : notice.give_width;
  const float button_width = buttons + padding + px(cross_side);
  const float beside_text = button_width + 3 * padding, whole = std::ceil(text_size(Font::body, notice.text).x);
  look.size.x = std::min(whole + beside_text, most_width);
  // Where it is narrow the button comes below.
  const float least = text_size(Font::body, notice.text.substr(0, notice.text.find(": "))).x + px(80);
  look.beside = look.size.x >= std::min(least, whole) + beside_text;
  look.room = look.size.x - (look.beside ? beside_text : 2 * padding);
  if (look.size.x < button_width + 2 * padding) return {};
  const int most = lines > 0 ? lines : look.beside ? 1 : 2;
  look.shown = first_lines(Font::body, wrapped(Font::body, notice.text, look.room), most, look.room);
  look.lines_height = text_size(Font::body, look.shown).y;
  look.text_height = look.beside ? std::max(row, look.lines_height) : look.lines_height + px(4);
  look.size.y = (look.beside ? look.text_height : look.text_height + row) + 2 * px(4);
  return look;
}

// Maps side by side as one: between them there is no room, and of thousands each place would be tried.
std::vector<Area> rows_of(const std::vector<Area>& maps) {
  std::vector<Area> rows;
  for (const Area& map : maps) {
    if (rows.empty() || rows.back().y != map.y || map.x < rows.back().x)
      rows.push_back(map);
    else
      rows.back().width = std::max(rows.back().width, map.x + map.width - rows.back().x);
  }
  return rows;
}

// On one line where there is room for it; narrower, and wherever it is free, rather than over a map.
std::optional<Area> place_notice(const Notice& notice, const Area& area, const std::vector<Area>& maps,
                                 NoticeLook& look) {
  const float margin = px(8), foot = px(12), most = area.width - 2 * margin;
  const int lines = area.height >= px(240) ? most_lines : 0;
  const std::optional<NoticeLook> widest = look_within(notice, most, lines);
  if (!widest || area.height < widest->size.y + px(80)) return {};  // the panel says it too
  look = *widest;
  const Area room{area.x + margin, area.y, most, area.height - foot};
  if (maps.empty()) return place_at_foot(room, look.size);
  const std::vector<Area> rows = rows_of(maps);
  for (const float width : {most, px(640), px(420), px(300), px(220)}) {
    const std::optional<NoticeLook> narrower = width > most ? std::nullopt : look_within(notice, width, lines);
    if (!narrower) continue;
    const ImVec2 wish{room.x + (room.width - narrower->size.x) / 2, room.y + room.height - narrower->size.y};
    const std::optional<Area> place = place_near(room, narrower->size, wish, rows);
    if (!place) continue;
    look = *narrower;
    return place;
  }
  return place_at_foot(room, look.size);
}

// A pixel's values keep off it where they can. Where they cannot it makes way, but never to where the mouse is: over it
// the mouse would point at no pixel, and the values would leave and come back with every frame.
std::optional<Area> place_beside_values(const Notice& notice, const Area& area, const std::vector<Area>& maps,
                                        const Settings& settings, NoticeLook& look) {
  const Area values = ui_state().values_place;
  give_back(values);
  const std::optional<Area> place = place_notice(notice, area, maps, look);
  keep_free(values);
  if (!place) return place;
  ui_state().notice_places.push_back(*place);
  if (!overlap(*place, values)) return place;
  const float side = px(8);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Area under_mouse{mouse.x - side / 2, mouse.y - side / 2, side, settings.inspect.pinned ? 0 : side};
  keep_free(under_mouse);
  const std::optional<Area> other = place_notice(notice, area, maps, look);
  give_back(under_mouse);
  return other;
}

void draw_notice(int index, const Stats& stats, const PaneStats& measured, Settings& settings, const Area& area,
                 const std::vector<Area>& maps) {
  PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(index)];
  const std::string number = std::to_string(index + 1), other = measured.substitute;
  const Notice notice = notice_of(stats, settings, pane, measured);
  NoticeLook look;
  const std::optional<Area> place = place_beside_values(notice, area, maps, settings, look);
  if (!place) return;
  const float padding = px(8);
  ImGui::SetNextWindowPos(place->from());
  take_place("substitute/" + number, *place);
  ImGui::SetNextWindowSize(look.size);
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
  const float above = look.beside ? std::round((look.text_height - look.lines_height) / 2) : 0;
  draw_text(*ImGui::GetWindowDrawList(), Font::body, {from.x, from.y + above}, theme().warning, look.shown);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::InvisibleButton("##why", {std::max(look.room, 1.0f), look.text_height});
  ImGui::PopStyleVar();
  mark_item("pane/" + number + "/why-substitute");
  watch_tip(look.shown);
  tooltip(measured.why_substitute);
  if (look.beside) ImGui::SameLine(0, padding);
  if (const std::optional<Precision> type = measured.takes_type) {
    if (text_button(("pane/" + number + "/give-type").c_str(), notice.give.c_str(), offer_explained(pane, *type)))
      choose_type(pane, settings.layer, *type);
    if (look.both) ImGui::SameLine(0, padding);
  } else if (notice.format) {
    if (text_button(("pane/" + number + "/give-format").c_str(), notice.give.c_str(),
                    offer_explained(pane, *notice.format)))
      settings.format = *notice.format;
    if (look.both) ImGui::SameLine(0, padding);
  }
  if (look.both && text_button(("pane/" + number + "/choose-what-runs").c_str(), notice.choose.c_str(),
                               "Chooses " + other + " for this pane. Otherwise " + pane.strategy +
                                   " runs again as soon as it can." + keys_of(action::choose_what_runs)))
    choose_strategy(pane, other);
  ImGui::SameLine(0, 0);
  ImGui::SetCursorPosX(look.size.x - padding - px(cross_side));
  if (icon_button(("pane/" + number + "/close-notice").c_str(), Icon::close,
                  "Dismiss. The label and the Strategy panel still say which strategy runs", false, cross_side))
    ui_state().dismissed.insert(key_of(pane, measured));
  ImGui::End();
}

}  // namespace

void draw_substitute_notices(const Stats& stats, Settings& settings, const UiLayout& layout) {
  ui_state().notice_places.clear();
  if (!settings.show_overlay || flick_pane(settings) == flick_source) return;
  for (int i = 0; i < static_cast<int>(settings.group().panes.size()); ++i) {
    const PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(i)];
    const PaneStats* const measured = stats_of(stats, pane);
    if (!measured || measured->substitute.empty() || measured->strategy != pane.strategy) continue;
    if (ui_state().dismissed.contains(key_of(pane, *measured))) continue;
    draw_notice(i, stats, *measured, settings, pane_area(settings, layout, i),
                maps_on_screen(stats, settings, layout, i));
  }
}

}  // namespace convoscope::ui
