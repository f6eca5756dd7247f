// How the pinned pixel was made, drawn over the picture: block, tile, halo, ghost cells, the thread's outputs, the
// filter's window.
#include <algorithm>

#include "app/ui/explain/brush.h"
#include "app/ui/explain/explanation.h"
#include "app/ui/explain/overview.h"
#include "app/ui/explain/window.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/on_screen.h"

namespace convoscope::ui {
namespace {

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
  if (settings.inspect.uses) draw_input_uses(list, brush, *explained);
  if (settings.inspect.tiles) draw_all_tiles(list, brush, *explained, seen);
  const PixelArea pixel{explained->output.x, explained->output.y, 1, 1};
  if (const KernelStep* const step = chosen_step(*explained))
    explained->wall ? draw_step_in_maps(brush, *step, *explained) : draw_step(brush, *step, *explained);
  if (explained->explanation.strip) brush.outline(*explained->explanation.strip, explain_inks().block, px(2));
  if ((explained->not_described.empty() || !explained->inputs.empty()) && brush.show_map(explained->output.channel)) {
    const Filter& f = explained->problem->filter;
    if (!explained->wall) brush.outline(grown(pixel, f.rx(), f.ry()), explain_inks().window, px(1.5f));
    // A number in its cell stays readable.
    brush.fill(pixel, with_alpha(explain_inks().block, stats.source.numbers ? thread_alpha : 1));
    brush.outline(pixel, pixel_outline, px(1));
    brush.ring(pixel, explain_inks().block);
    if (explained->wall && explained->wall->alone < 0)
      brush.outline({0, 0, explained->wall->map_width, explained->wall->map_height}, pixel_outline, px(1.5f));
  }
  list.PopClipRect();
}

}  // namespace convoscope::ui
