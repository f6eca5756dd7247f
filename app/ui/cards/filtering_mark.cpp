#include "app/ui/cards/filtering_mark.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/stage/stage_places.h"

namespace convoscope::ui {
namespace {

constexpr double worth_saying = 0.3;  // seconds: until then it would only flicker over a picture that is filtered

constexpr const char* what_the_time_is =
    "For so long the next picture of this pane has been under way. Panes are filtered one after another, beside the "
    "window, so it may be another one's turn. The time on the card is what this strategy takes by itself.";

// At the foot of the pane, on the left, where nothing of the picture's middle is hidden; above what lies there already.
// Shortened only where the pane has no room for all of it.
std::optional<Area> place_mark(const Settings& settings, const UiLayout& layout, int pane, ImVec2 size) {
  const Area whole = pane_area(settings, layout, pane);
  const float margin = px(12);
  for (const float least : {size.x, px(60)})
    for (float top = whole.y + whole.height - margin - size.y; top >= whole.y; top -= size.y / 2) {
      const Area row = row_of_pane(settings, layout, pane, top, size.y);
      const Area area{row.x + margin, top, std::min(size.x, row.width - 2 * margin), size.y};
      if (area.width >= least && is_free(area)) return area;
    }
  return {};
}

constexpr const char* under_way = "next picture under way";

void draw_mark(const PaneStats& stats, const Settings& settings, const UiLayout& layout, int pane, ImDrawList& list) {
  const double seconds = stats.filtering_seconds;
  const bool long_enough = seconds >= worth_saying, unfiltered = stats.stands_in && seconds > 0;
  if (!long_enough && !unfiltered) return;
  std::string text = under_way;
  if (long_enough) text += " for " + format_number(seconds, seconds < 10 ? 2 : 3) + " s";
  if (unfiltered) text += ", unfiltered until then";
  const float padding = px(8);
  const ImVec2 size = text_size(Font::small, text);
  const std::optional<Area> area =
      place_mark(settings, layout, pane, {size.x + 2 * padding, std::ceil(size.y) + padding});
  if (!area) return;
  const std::string shown = clipped(Font::small, text, area->width - 2 * padding);
  list.AddRectFilled(area->from(), area->to(), theme().card, px(4));
  draw_text(list, Font::small, {area->x + padding, area->y + padding / 2}, theme().text, shown);
  tooltip_of_cut(list, shown, (shown == text ? "" : text + "\n") + what_the_time_is, area->from(), area->to());
  take_place("filtering/" + std::to_string(pane + 1), *area);
}

// In the middle of a stage that has nothing to show.
void draw_mark_of_empty_stage(const Area& stage, ImDrawList& list) {
  const ImVec2 size = text_size(Font::body, under_way);
  draw_text(list, Font::body, {stage.x + (stage.width - size.x) / 2, stage.y + (stage.height - size.y) / 2},
            theme().dim, under_way);
}

}  // namespace

void draw_filtering_marks(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  if (stats.seconds_without_picture >= worth_saying) return draw_mark_of_empty_stage(picture_area(layout), list);
  for (int i = 0; i < static_cast<int>(settings.panes.size()); ++i) {
    const Area area = pane_area(settings, layout, i);
    const PaneStats* const measured = stats_of(stats, settings.panes[static_cast<std::size_t>(i)]);
    if (!measured || area.width < 1 || area.height < 1) continue;
    list.PushClipRect(area.from(), area.to(), true);
    draw_mark(*measured, settings, layout, i, list);
    list.PopClipRect();
  }
}

}  // namespace convoscope::ui
