// How the pinned pixel was made, drawn over the picture: block, tile, halo, ghost cells, the thread's outputs, the
// filter's window.
#include <algorithm>
#include <cmath>

#include "app/ui/explain/explanation.h"
#include "app/ui/explain/window.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/on_screen.h"

namespace convoscope::ui {
namespace {

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

 private:
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
  static ImVec2 rounded(ImVec2 at) { return {std::round(at.x), std::round(at.y)}; }
  ImDrawList& list_;
  const UiLayout& layout_;
  const Stats& stats_;
  const PixelExplanation& explained_;
  int map_ = 0;
};

// The outputs with the pixel, outlined last: their neighbours' edges must not cover it.
const PixelArea& holding(const std::vector<PixelArea>& areas, const PixelAddress& at) {
  const auto found = std::ranges::find_if(areas, [&](const PixelArea& a) { return a.contains(at.x, at.y); });
  return found == areas.end() ? areas.front() : *found;
}

void draw_step(const Brush& brush, const KernelStep& step, const PixelExplanation& explained) {
  const ExplainInks inks = explain_inks();
  const PixelArea image{0, 0, explained.problem->width, explained.problem->height};
  const std::vector<PixelArea>& loaded = step.tile.empty() ? step.direct : step.tile;
  if (step.outputs.size() == 1) {
    for (const auto* areas : {&step.direct, &step.tile}) {
      if (areas->empty() || (areas == &step.direct && !step.tile.empty() && step.tile[0] == step.direct[0])) continue;
      brush.fill_round(areas->front(), step.outputs[0], with_alpha(inks.halo, halo_alpha));
    }
  } else {
    for (const PixelArea& area : loaded) brush.fill(area, with_alpha(inks.halo, 0.18f));
  }
  for (const auto* areas : {&step.tile, &step.direct})
    for (const PixelArea& area : *areas) {
      brush.fill_round(area, image, with_alpha(inks.ghost, ghost_alpha));
      brush.outline(area, inks.halo, px(1.5f));
    }
  const auto in_image = [&](const PixelArea& area) { return clipped(area, image.width, image.height); };
  for (const PixelArea& area : step.outputs) brush.outline(in_image(area), inks.block, px(2));
  for (const PixelArea& area : step.thread_outputs) brush.fill(in_image(area), with_alpha(inks.block, thread_alpha));
  if (step.outputs.size() > 1) brush.outline(in_image(holding(step.outputs, explained.pixel)), inks.block, px(2));
}

// The outputs of the block and of the thread, in all maps that they lie in; what is read lies in other pictures.
void draw_step_in_maps(Brush& brush, const KernelStep& step, const PixelExplanation& explained) {
  const ExplainInks inks = explain_inks();
  const Wall& wall = *explained.wall;
  const auto in_map = [&](const PixelArea& area) { return clipped(area, wall.map_width, wall.map_height); };
  for (const int plane : step.output_planes)
    if (brush.show_map(plane % wall.maps))
      for (const PixelArea& area : step.outputs) brush.outline(in_map(area), inks.block, px(2));
  for (const int plane : step.thread_planes)
    if (brush.show_map(plane % wall.maps))
      for (const PixelArea& area : step.thread_outputs) brush.fill(in_map(area), with_alpha(inks.block, thread_alpha));
}

}  // namespace

void draw_explained_outline(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 ink, float thickness) {
  list.AddRect(from, to, IM_COL32(0, 0, 0, 130), 0, 0, thickness + px(1.5f));
  list.AddRect(from, to, ink, 0, 0, thickness);
}

void draw_explained_areas(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  const auto& explained = stats.inspect.explained;
  if (!settings.inspect.explain || !explained || explained->pane < 0 ||
      explained->pane >= static_cast<int>(settings.group().panes.size()))
    return;
  const Area seen = pane_area(settings, layout, explained->pane);
  if (seen.width < 1 || seen.height < 1) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.PushClipRect(seen.from(), seen.to(), true);
  Brush brush(list, layout, stats, *explained);
  const PixelArea pixel{explained->output.x, explained->output.y, 1, 1};
  if (const KernelStep* const step = chosen_step(*explained))
    explained->wall ? draw_step_in_maps(brush, *step, *explained) : draw_step(brush, *step, *explained);
  if (explained->explanation.strip) brush.outline(*explained->explanation.strip, explain_inks().block, px(2));
  if ((explained->not_described.empty() || !explained->inputs.empty()) && brush.show_map(explained->output.channel)) {
    const Filter& f = explained->problem->filter;
    if (!explained->wall) brush.outline(grown(pixel, f.rx(), f.ry()), explain_inks().window, px(1.5f));
    brush.fill(pixel, explain_inks().block);
    brush.outline(pixel, pixel_outline, px(1));
    brush.ring(pixel, explain_inks().block);
    if (explained->wall && explained->wall->alone < 0)
      brush.outline({0, 0, explained->wall->map_width, explained->wall->map_height}, pixel_outline, px(1.5f));
  }
  list.PopClipRect();
}

}  // namespace convoscope::ui
