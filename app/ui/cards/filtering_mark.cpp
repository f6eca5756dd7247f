#include "app/ui/cards/filtering_mark.h"

#include <imgui.h>

#include <string>

#include "app/ui/keys/pane_actions.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/stage/stage_places.h"

namespace convoscope::ui {
namespace {

constexpr double worth_saying = 0.3;  // seconds: until then it would only flicker over a picture that is filtered

// At the foot of the pane, on the left, where nothing of the picture's middle is hidden; above what lies there already.
void draw_mark(const PaneStats& stats, const std::string& id, const Area& pane, ImDrawList& list) {
  const double seconds = stats.filtering_seconds;
  const bool long_enough = seconds >= worth_saying, unfiltered = stats.stands_in && seconds > 0;
  if (!long_enough && !unfiltered) return;
  std::string text = "filtering…";
  if (long_enough) text += " " + format_number(seconds, seconds < 10 ? 2 : 3) + " s";
  if (unfiltered) text += ", unfiltered until then";
  const float margin = px(12), padding = px(8);
  const std::string shown = clipped(Font::small, text, pane.width - 2 * (margin + padding));
  const ImVec2 size = text_size(Font::small, shown);
  Area area{pane.x + margin, pane.y + pane.height - margin - size.y - padding, size.x + 2 * padding, size.y + padding};
  while (area.y >= pane.y && !is_free(area)) area.y -= area.height / 2;
  if (area.y < pane.y) return;
  list.AddRectFilled(area.from(), area.to(), theme().card, px(4));
  draw_text(list, Font::small, {area.x + padding, area.y + padding / 2}, theme().text, shown);
  tooltip_of_cut(list, shown, text, area.from(), area.to());
  take_place(id, area);
}

}  // namespace

void draw_filtering_marks(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  for (int i = 0; i < static_cast<int>(settings.panes.size()); ++i) {
    const Area area = pane_area(settings, layout, i);
    const PaneStats* const measured = stats_of(stats, settings.panes[static_cast<std::size_t>(i)]);
    if (!measured || area.width < 1 || area.height < 1) continue;
    list.PushClipRect(area.from(), area.to(), true);
    draw_mark(*measured, "filtering/" + std::to_string(i + 1), area, list);
    list.PopClipRect();
  }
}

}  // namespace convoscope::ui
