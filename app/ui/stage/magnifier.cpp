#include "app/ui/stage/magnifier.h"

#include <algorithm>
#include <cmath>

#include "app/ui/memory/inspect_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

// The cell's value, as many figures as fit.
std::string short_value(const PixelValue& value, int line) {
  if (value.channels == 1) return line == 1 ? format_number(value.values[0], 3) : "";
  return std::to_string(static_cast<int>(value.values[line]));
}

}  // namespace

ImU32 shown_colour(const PixelValue& value) {
  const auto code = [&](int c) {
    const float v = value.channels == 1 ? value.values[0] * 255 : value.values[c];
    return static_cast<int>(std::clamp(std::round(v), 0.0f, 255.0f));
  };
  return IM_COL32(code(0), code(1), code(2), 255);
}

void draw_magnifier(ImDrawList& list, ImVec2 at, float side, const InspectStats& inspect, std::size_t pane,
                    bool is_old) {
  const Theme& t = theme();
  const int cells = inspect_state().magnifier_cells, radius = cells / 2;
  const float cell = side / static_cast<float>(cells);
  list.AddRectFilled(at, {at.x + side, at.y + side}, t.field);
  if (pane < inspect.patches.size()) {
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i) {
        const PixelValue value = inspect.patches[pane].at(inspect.pixel->x + i - radius, inspect.pixel->y + j - radius);
        if (value.channels == 0) continue;  // beyond the picture
        const ImVec2 from{std::round(at.x + cell * static_cast<float>(i)),
                          std::round(at.y + cell * static_cast<float>(j))};
        const ImVec2 to{std::round(at.x + cell * static_cast<float>(i + 1)),
                        std::round(at.y + cell * static_cast<float>(j + 1))};
        const ImU32 colour = shown_colour(value);
        list.AddRectFilled(from, to, colour);
        if (cells > 7 || cell < px(3 * 11)) continue;
        const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
        const ImU32 ink = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z > 0.5f ? IM_COL32(0, 0, 0, 220)
                                                                               : IM_COL32(255, 255, 255, 230);
        for (int line = 0; line < 3; ++line) {
          const std::string text = short_value(value, line);
          const ImVec2 size = text_size(Font::small, text);
          if (size.x > cell) continue;
          draw_text(list, Font::small,
                    {(from.x + to.x - size.x) / 2, (from.y + to.y) / 2 + (static_cast<float>(line) - 1.5f) * px(11)},
                    ink, text);
        }
      }
  }
  if (is_old) list.AddRectFilled(at, {at.x + side, at.y + side}, with_alpha(t.card, 0.6f));
  for (int i = 0; i <= cells; ++i) {
    const float x = std::round(at.x + cell * static_cast<float>(i)),
                y = std::round(at.y + cell * static_cast<float>(i));
    list.AddLine({x, at.y}, {x, at.y + side}, IM_COL32(0, 0, 0, 70));
    list.AddLine({at.x, y}, {at.x + side, y}, IM_COL32(0, 0, 0, 70));
  }
  const float low = std::round(cell * static_cast<float>(radius)),
              high = std::round(cell * static_cast<float>(radius + 1));
  list.AddRect({at.x + low - 1, at.y + low - 1}, {at.x + high + 1, at.y + high + 1}, IM_COL32(0, 0, 0, 200), 0, 0,
               px(3));
  list.AddRect({at.x + low, at.y + low}, {at.x + high, at.y + high}, t.accent, 0, 0, px(2));
}

}  // namespace convoscope::ui
