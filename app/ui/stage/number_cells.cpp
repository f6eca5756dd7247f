#include "app/ui/stage/number_cells.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/on_screen.h"
#include "app/ui/places/wall_overlay.h"

namespace convoscope::ui {
namespace {

constexpr ImU32 cell_paper = IM_COL32(24, 26, 31, 255), cell_white = IM_COL32(236, 238, 242, 255),
                cell_above = IM_COL32(255, 176, 46, 255), cell_below = IM_COL32(74, 158, 255, 255);

// From dark to bright; where some are below zero, those and the others go from dark into two colours.
struct Shades {
  double least = 0, most = 0;
  ImU32 of(double value) const {
    if (std::isnan(value)) return IM_COL32(160, 40, 60, 255);
    if (least < 0) {
      const double reach = std::max(-least, most);
      return mix(cell_paper, value < 0 ? cell_below : cell_above, static_cast<float>(0.9 * std::abs(value) / reach));
    }
    return mix(cell_paper, cell_white, most > 0 ? static_cast<float>(0.9 * value / most) : 0.0f);
  }
};

Shades shades_of(const std::vector<PixelPatch>& planes) {
  Shades shades;
  for (const PixelPatch& plane : planes)
    for (int y = 0; y < plane.area.height; ++y)
      for (int x = 0; x < plane.area.width; ++x) {
        const double value = plane.at(x, y).values[0];
        if (!std::isfinite(value)) continue;
        shades.least = std::min(shades.least, value);
        shades.most = std::max(shades.most, value);
      }
  return shades;
}

ImU32 ink_over_shade(ImU32 ground) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(ground);
  return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z > 0.45f ? IM_COL32(0, 0, 0, 235) : IM_COL32(255, 255, 255, 235);
}

// The largest of our faces in which every number of the plane fits its cell; none where even the smallest does not.
const Font* face_for(const PixelPatch& plane, const Area& cell) {
  static constexpr Font faces[] = {Font::title, Font::body, Font::small};
  for (const Font& face : faces) {
    bool fits = font_size(face) + px(2) <= cell.height;
    for (int y = 0; fits && y < plane.area.height; ++y)
      for (int x = 0; fits && x < plane.area.width; ++x)
        fits = text_size(face, number_in_cell(plane.at(x, y))).x + px(4) <= cell.width;
    if (fits) return &face;
  }
  return nullptr;
}

void draw_number_plane(ImDrawList& list, const PixelPatch& plane, const Area& picture, const Shades& shades) {
  const auto columns = static_cast<float>(plane.area.width), rows = static_cast<float>(plane.area.height);
  const Area first{picture.x, picture.y, picture.width / columns, picture.height / rows};
  const Font* const face = face_for(plane, first);
  const float gap = std::min(first.width, first.height) > px(8) ? 1.0f : 0.0f;
  const ImVec2 least = list.GetClipRectMin(), most = list.GetClipRectMax();
  for (int y = 0; y < plane.area.height; ++y)
    for (int x = 0; x < plane.area.width; ++x) {
      const ImVec2 from{std::round(picture.x + first.width * static_cast<float>(x)),
                        std::round(picture.y + first.height * static_cast<float>(y))};
      const ImVec2 to{std::round(picture.x + first.width * static_cast<float>(x + 1)) - gap,
                      std::round(picture.y + first.height * static_cast<float>(y + 1)) - gap};
      const PixelValue value = plane.at(x, y);
      const ImU32 ground = shades.of(value.values[0]);
      list.AddRectFilled(from, to, ground);
      if (!face) continue;
      const std::string text = number_in_cell(value);
      const ImVec2 size = text_size(*face, text);
      const ImVec2 at{std::round((from.x + to.x - size.x) / 2), std::round((from.y + to.y - size.y) / 2)};
      // Beside a wipe, or where the picture is larger than its pane, half a number would be another one.
      if (at.x < least.x || at.y < least.y || at.x + size.x > most.x || at.y + size.y > most.y) continue;
      draw_text(list, *face, at, ink_over_shade(ground), text);
    }
}

}  // namespace

std::string number_in_cell(const PixelValue& value) {
  const float number = value.values[0];
  const bool whole = std::abs(number) < 1e7f && number == std::trunc(number);
  return with_minus(whole ? std::to_string(static_cast<long long>(number)) : rounded_text(number, 6));
}

void draw_number_cells(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  if (!stats.source.numbers || shown_view(settings) == View::difference) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const int count = static_cast<int>(std::min(stats.inspect.cells.size(), settings.group().panes.size()));
  for (int pane = 0; pane < count; ++pane) {
    const std::vector<PixelPatch>& planes = stats.inspect.cells[static_cast<std::size_t>(pane)];
    const Area seen = pane_area(settings, layout, pane);
    if (planes.empty() || seen.width < 1 || seen.height < 1) continue;
    const auto index = static_cast<std::size_t>(pane);
    if (index < stats.panes.size() && stats.panes[index].wall && stats.panes[index].wall->frames) continue;
    std::vector<Area> places = maps_on_screen(stats, settings, layout, pane);
    const bool maps = !places.empty();
    if (!maps) places = {on_screen(layout, stats, pane, {0, 0, stats.source.width, stats.source.height})};
    const Shades shades = shades_of(planes);
    list.PushClipRect(seen.from(), seen.to(), true);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t plane = maps && settings.wall.map >= 0 ? static_cast<std::size_t>(settings.wall.map) : i;
      if (plane >= planes.size() || places[i].width < 1) continue;
      draw_number_plane(list, planes[plane], places[i], shades);
      mark_area("cells/" + std::to_string(pane) + (maps ? "/" + std::to_string(plane) : std::string()),
                places[i].from(), places[i].to());
    }
    list.PopClipRect();
  }
}

}  // namespace convoscope::ui
