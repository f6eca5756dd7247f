#pragma once
// Areas of an explained picture, or of the maps of a layer, drawn where they lie on screen.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/state/stats.h"
#include "app/ui/explain/window.h"
#include "app/ui/parts/theme.h"
#include "app/ui/places/on_screen.h"

namespace convoscope::ui {

class Brush {
 public:
  Brush(ImDrawList& list, const UiLayout& layout, const Stats& stats, const PixelExplanation& explained)
      : list_(list), layout_(layout), stats_(stats), explained_(explained) {}
  // From now on areas lie in that map, where the explained is of maps. False: it is not shown.
  bool show_map(int map) {
    map_ = map;
    return !explained_.wall || explained_.wall->alone < 0 || explained_.wall->alone == map;
  }
  void fill(const PixelArea& area, ImU32 ink) const {
    if (area.empty()) return;
    const Area at = place(area);
    list_.AddRectFilled(rounded(at.from()), rounded(at.to()), ink);
  }
  void outline(const PixelArea& area, ImU32 ink, float thickness) const {
    if (area.empty()) return;
    const Area at = place(area);
    draw_explained_outline(list_, rounded(at.from()), rounded(at.to()), ink, thickness);
  }
  // Around what is too small on the screen to be found there.
  void ring(const PixelArea& area, ImU32 ink) const {
    const Area at = place(area);
    if (at.width >= px(6)) return;
    const ImVec2 centre = rounded({at.x + at.width / 2, at.y + at.height / 2});
    list_.AddCircle(centre, px(9), IM_COL32(0, 0, 0, 130), 0, px(3.5f));
    list_.AddCircle(centre, px(9), ink, 0, px(2));
  }
  // What of `area` is not in `hole`, in up to four pieces.
  void fill_round(const PixelArea& area, const PixelArea& hole, ImU32 ink) const {
    const int left = std::clamp(hole.x, area.x, area.x + area.width);
    const int right = std::clamp(hole.x + hole.width, left, area.x + area.width);
    const int top = std::clamp(hole.y, area.y, area.y + area.height);
    const int bottom = std::clamp(hole.y + hole.height, top, area.y + area.height);
    fill({area.x, area.y, area.width, top - area.y}, ink);
    fill({area.x, bottom, area.width, area.y + area.height - bottom}, ink);
    fill({area.x, top, left - area.x, bottom - top}, ink);
    fill({right, top, area.x + area.width - right, bottom - top}, ink);
  }

  Area place(const PixelArea& area) const {
    if (!explained_.wall) return on_screen(layout_, stats_, explained_.pane, area);
    const Wall& wall = *explained_.wall;
    const WallPixel corner = pixel_on_wall(wall, map_, 0, 0);
    const MapPlace in_cell = place_on_wall(wall, corner.x, corner.y);
    const Area cell =
        on_screen(layout_, stats_, explained_.pane,
                  {in_cell.left, in_cell.up, wall.cell_width() - wall.gap(), wall.cell_height() - wall.gap()});
    const float across = cell.width / static_cast<float>(wall.map_width),
                down = cell.height / static_cast<float>(wall.map_height);
    return {cell.x + static_cast<float>(area.x) * across, cell.y + static_cast<float>(area.y) * down,
            static_cast<float>(area.width) * across, static_cast<float>(area.height) * down};
  }

 private:
  static ImVec2 rounded(ImVec2 at) { return {std::round(at.x), std::round(at.y)}; }
  ImDrawList& list_;
  const UiLayout& layout_;
  const Stats& stats_;
  const PixelExplanation& explained_;
  int map_ = 0;
};

}  // namespace convoscope::ui
