// What lies over the panes besides their cards: problems, labels, where a dragged pane would go.
#include "app/ui/stage/overlay.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/cards/filtering_mark.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/places/on_screen.h"
#include "app/ui/places/stage_places.h"

namespace convoscope::ui {
namespace {

// A pane that cannot run says so in its middle, where the picture would be looked for: as many lines as have room.
void draw_problem(const std::string& id, const Area& area, const std::string& whole_problem, ImDrawList& list) {
  const Theme& t = theme();
  const float width = std::min(px(420), area.width - px(24)), padding = px(14);
  if (width < px(80)) return;
  const float size = font_size(Font::body);
  const float text_width = width - 2 * padding - px(26);
  const std::string whole = wrapped(Font::body, shortened(whole_problem, 600), text_width);
  for (int lines = count_lines(whole); lines > 0; --lines) {
    const std::string problem = first_lines(Font::body, whole, lines, text_width);
    const float height = text_size(Font::body, problem).y + 2 * padding;
    const std::optional<Area> place =
        place_near(area, {width, height}, {area.x + (area.width - width) / 2, area.y + (area.height - height) / 2});
    if (!place) continue;
    const ImVec2 from = place->from();
    list.AddRectFilled(from, place->to(), t.card, px(9));
    draw_icon(list, Icon::warning, {from.x + padding + px(8), from.y + padding + size * 0.6f}, px(17), t.warning);
    draw_text(list, Font::body, {from.x + padding + px(26), from.y + padding}, t.text, problem);
    return take_place(id, *place);
  }
}

// Where the pane that is being dragged would go.
void draw_dragged_pane(const Settings& settings, const UiLayout& layout, ImDrawList& list) {
  const PictureDrag& drag = ui_state().drag;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (drag.kind != PictureDrag::Kind::pane || drag.index < 0 ||
      drag.index >= static_cast<int>(settings.group().panes.size()) || !ImGui::IsMouseDragging(0, px(4)))
    return;
  const int target = pane_at(settings, layout, mouse.x, mouse.y);
  if (target < 0 || target == drag.index) return;  // only the card moves
  const Area area = pane_area(settings, layout, target);
  list.AddRectFilled(area.from(), area.to(), with_alpha(theme().accent, 0.16f));
  list.AddRect(area.from(), area.to(), theme().accent, 0, 0, px(3));
  const std::string& title = settings.group().panes[static_cast<std::size_t>(drag.index)].strategy;
  const ImVec2 size = text_size(Font::strong, title), from{mouse.x + px(12), mouse.y + px(8)};
  list.AddRectFilled(from, {from.x + size.x + px(18), from.y + size.y + px(10)}, theme().card, px(6));
  draw_text(list, Font::strong, {from.x + px(9), from.y + px(5)}, theme().text, title);
}

void draw_source_label(const SourceStats& source, const UiLayout& layout, ImDrawList& list) {
  const Area area = picture_area(layout);
  const std::string text = clipped(Font::title, unfiltered_title(source), std::min(px(420), area.width - px(50)));
  const ImVec2 size = text_size(Font::title, text);
  const std::optional<Area> place =
      place_near(area, {size.x + px(26), size.y + px(18)}, {area.x + px(12), area.y + px(12)});
  if (!place) return;
  list.AddRectFilled(place->from(), place->to(), theme().card, px(9));
  draw_text(list, Font::title, {place->x + px(13), place->y + px(9)}, theme().text, text);
  take_place("source-label", *place);
}

}  // namespace

void draw_overlay(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const Area whole = picture_area(layout);
  list.PushClipRect(whole.from(), whole.to(), true);
  draw_cards(stats, settings, layout, list);
  if (settings.show_overlay && flick_pane(settings) == flick_source) draw_source_label(stats.source, layout, list);
  list.PopClipRect();
  for (int i = 0; i < static_cast<int>(settings.group().panes.size()); ++i) {
    const Area area = pane_area(settings, layout, i);
    if (area.width < 1 || area.height < 1) continue;
    list.PushClipRect(area.from(), area.to(), true);
    const PaneStats* const measured = stats_of(stats, settings.group().panes[static_cast<std::size_t>(i)]);
    if (measured && !measured->problem.empty())
      draw_problem("problem/" + std::to_string(i + 1), area, measured->problem, list);
    list.PopClipRect();
  }
  draw_dragged_pane(settings, layout, list);
}

}  // namespace convoscope::ui
