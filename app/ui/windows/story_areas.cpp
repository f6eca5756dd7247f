// How the pinned pixel was made, drawn over the picture: block, tile, halo, ghost cells, the thread's outputs, the
// filter's window.
#include <algorithm>
#include <cmath>

#include "app/ui/keys/workbench_actions.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/stage/inspect.h"
#include "app/ui/windows/story_window.h"

namespace convoscope::ui {
namespace {

class Brush {
 public:
  Brush(ImDrawList& list, const UiLayout& layout, const Stats& stats, int pane)
      : list_(list), layout_(layout), stats_(stats), pane_(pane) {}
  void fill(const PixelArea& area, ImU32 ink) const {
    if (area.empty()) return;
    const Area at = on_screen(layout_, stats_, pane_, area);
    list_.AddRectFilled(rounded(at.from()), rounded(at.to()), ink);
  }
  void outline(const PixelArea& area, ImU32 ink, float thickness) const {
    if (area.empty()) return;
    const Area at = on_screen(layout_, stats_, pane_, area);
    const ImVec2 from = rounded(at.from()), to = rounded(at.to());
    list_.AddRect(from, to, IM_COL32(0, 0, 0, 130), 0, 0, thickness + px(1.5f));
    list_.AddRect(from, to, ink, 0, 0, thickness);
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
  static ImVec2 rounded(ImVec2 at) { return {std::round(at.x), std::round(at.y)}; }
  ImDrawList& list_;
  const UiLayout& layout_;
  const Stats& stats_;
  int pane_;
};

// The outputs with the pixel, outlined last: their neighbours' edges must not cover it.
const PixelArea& holding(const std::vector<PixelArea>& areas, const PixelAddress& at) {
  const auto found = std::ranges::find_if(areas, [&](const PixelArea& a) { return a.contains(at.x, at.y); });
  return found == areas.end() ? areas.front() : *found;
}

void draw_step(const Brush& brush, const KernelStep& step, const PixelStory& story) {
  const StoryInks inks = story_inks();
  const PixelArea image{0, 0, story.problem.width, story.problem.height};
  const std::vector<PixelArea>& loaded = step.tile.empty() ? step.direct : step.tile;
  if (step.outputs.size() == 1) {
    for (const auto* areas : {&step.direct, &step.tile}) {
      if (areas->empty() || (areas == &step.direct && !step.tile.empty() && step.tile[0] == step.direct[0])) continue;
      brush.fill_round(areas->front(), step.outputs[0], with_alpha(inks.halo, 0.30f));
    }
  } else {
    for (const PixelArea& area : loaded) brush.fill(area, with_alpha(inks.halo, 0.18f));
  }
  for (const auto* areas : {&step.tile, &step.direct})
    for (const PixelArea& area : *areas) {
      brush.fill_round(area, image, with_alpha(inks.ghost, 0.45f));
      brush.outline(area, inks.halo, px(1.5f));
    }
  for (const PixelArea& area : step.outputs) brush.outline(area, inks.block, px(2));
  for (const PixelArea& area : step.thread_outputs)
    brush.fill(clipped(area, image.width, image.height), with_alpha(inks.block, 0.45f));
  if (step.outputs.size() > 1) brush.outline(holding(step.outputs, story.pixel), inks.block, px(2));
}

}  // namespace

void draw_story_areas(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  const auto& story = stats.inspect.story;
  if (!shows_explanation(settings) || !story || story->pane < 0 ||
      story->pane >= static_cast<int>(settings.panes.size()))
    return;
  const Area seen = pane_area(settings, layout, story->pane);
  if (seen.width < 1 || seen.height < 1) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.PushClipRect(seen.from(), seen.to(), true);
  const Brush brush(list, layout, stats, story->pane);
  if (const KernelStep* const step = chosen_step(*story)) draw_step(brush, *step, *story);
  if (story->not_described.empty() || !story->inputs.empty()) {
    const PixelArea pixel{story->pixel.x, story->pixel.y, 1, 1};
    const Filter& f = story->problem.filter;
    brush.outline(grown(pixel, f.rx(), f.ry()), story_inks().window, px(1.5f));
    brush.fill(pixel, story_inks().block);
    brush.outline(pixel, IM_COL32(255, 255, 255, 255), px(1));
  }
  list.PopClipRect();
}

}  // namespace convoscope::ui
