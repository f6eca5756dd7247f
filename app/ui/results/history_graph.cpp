#include "app/ui/results/history_graph.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {

void draw_history(const RollingTimes& times, ImDrawList& list, ImVec2 from, ImVec2 to) {
  const Theme& t = theme();
  list.AddRectFilled(from, to, with_alpha(t.text, 0.06f), px(4));
  const int count = times.count();
  if (count < 2) return;
  const float median = static_cast<float>(times.median());
  // A single outlier must not flatten the rest: it leaves the graph at the top.
  const float top = static_cast<float>(std::max({times.p95() * 1.3, static_cast<double>(median) * 1.5, 1e-6}));
  const float width = to.x - from.x, height = to.y - from.y - px(4);
  const auto y_of = [&](float ms) { return to.y - px(2) - std::clamp(ms / top, 0.0f, 1.0f) * height; };
  const float step = width / static_cast<float>(count - 1);
  list.PushClipRect(from, to, true);
  for (int i = 0; i + 1 < count; ++i) {
    const float x0 = from.x + step * static_cast<float>(i), x1 = x0 + step;
    const float y0 = y_of(times.at(i)), y1 = y_of(times.at(i + 1));
    list.AddQuadFilled({x0, y0}, {x1, y1}, {x1, to.y}, {x0, to.y}, with_alpha(t.accent, 0.16f));
  }
  for (int i = 0; i < count; ++i) list.PathLineTo({from.x + step * static_cast<float>(i), y_of(times.at(i))});
  list.PathStroke(t.accent, 0, std::max(1.0f, px(1.25f)));
  const float y = std::round(y_of(median));
  for (float x = from.x; x < to.x; x += px(7))
    list.AddRectFilled({x, y}, {x + px(3), y + 1}, with_alpha(t.text, 0.55f));
  list.PopClipRect();
  if (!hovers_background(from, to)) return;
  const int i = std::clamp(static_cast<int>(std::lround((ImGui::GetIO().MousePos.x - from.x) / step)), 0, count - 1);
  tooltip_beside(format_milliseconds(static_cast<double>(times.at(i))) + ", " + std::to_string(count - 1 - i) +
                     " frames ago\nmedian " + format_milliseconds(times.median()),
                 from, to);
}

}  // namespace convoscope::ui
