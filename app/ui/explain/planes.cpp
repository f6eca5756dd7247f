// What is read of each frame or channel for an explained output, as small grids side by side.
#include <algorithm>
#include <cmath>

#include "app/ui/explain/parts.h"
#include "app/ui/explain/window.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr std::size_t most_planes = 12;
constexpr float longest_side = 84, shortest_side = 24;

// The step that reads the inputs: the one that is looked at or, where that reads what another has left, the first.
const KernelStep* reading_step(const PixelExplanation& explained) {
  const KernelStep* const chosen = chosen_step(explained);
  if (!chosen || chosen->of_input) return chosen;
  const auto found = std::ranges::find(explained.explanation.steps, true, &KernelStep::of_input);
  return found == explained.explanation.steps.end() ? nullptr : &*found;
}

PixelArea around(const std::vector<PixelArea>& areas) {
  PixelArea all = areas.front();
  for (const PixelArea& area : areas) {
    const int right = std::max(all.x + all.width, area.x + area.width);
    const int bottom = std::max(all.y + all.height, area.y + area.height);
    all.x = std::min(all.x, area.x);
    all.y = std::min(all.y, area.y);
    all.width = right - all.x;
    all.height = bottom - all.y;
  }
  return all;
}

// A plane's elements on screen; those of a long run are no squares.
class Grid {
 public:
  explicit Grid(const PixelArea& shown) : shown_(shown) {
    const auto width = static_cast<float>(shown.width), height = static_cast<float>(shown.height);
    const float side = px(longest_side) / std::max(width, height), least = px(shortest_side);
    size = {std::max(width * side, least), std::max(height * side, least)};
  }
  void fill(ImDrawList& list, const PixelArea& area, ImU32 ink) const {
    if (area.empty()) return;
    const ImVec2 from = corner(area.x, area.y), to = corner(area.x + area.width, area.y + area.height);
    list.AddRectFilled(from, {std::max(to.x, from.x + 2), std::max(to.y, from.y + 2)}, ink);  // is seen
  }
  void draw_lines(ImDrawList& list, ImU32 ink) const {
    if (std::min(size.x / static_cast<float>(shown_.width), size.y / static_cast<float>(shown_.height)) < px(5)) return;
    for (int i = 1; i < shown_.width; ++i)
      list.AddLine(corner(shown_.x + i, shown_.y), corner(shown_.x + i, shown_.y + shown_.height), ink);
    for (int j = 1; j < shown_.height; ++j)
      list.AddLine(corner(shown_.x, shown_.y + j), corner(shown_.x + shown_.width, shown_.y + j), ink);
  }

  ImVec2 at, size;

 private:
  ImVec2 corner(int x, int y) const {
    return {std::round(at.x + size.x * static_cast<float>(x - shown_.x) / static_cast<float>(shown_.width)),
            std::round(at.y + size.y * static_cast<float>(y - shown_.y) / static_cast<float>(shown_.height))};
  }
  PixelArea shown_;
};

void draw_plane(const PixelExplanation& explained, const ExplainedSum& sum, const std::vector<PixelArea>& read,
                int plane, const Grid& grid) {
  const Theme& t = theme();
  const ExplainInks inks = explain_inks();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 to{grid.at.x + grid.size.x, grid.at.y + grid.size.y};
  list.AddRectFilled(grid.at, to, t.field);
  for (const PixelArea& area : read) {
    const PixelArea inside = clipped(area, explained.problem->width, explained.problem->height);
    grid.fill(list, area, mix(t.field, inks.ghost, 0.45f));
    grid.fill(list, inside, mix(t.field, inks.halo, 0.40f));
  }
  for (const ExplainedTerm& term : sum.terms)
    if (term.plane == plane) grid.fill(list, {term.x, term.y, 1, 1}, term.outside ? inks.ghost : inks.block);
  grid.draw_lines(list, with_alpha(t.panel, 0.8f));
  list.AddRect(grid.at, to, t.line);
}

}  // namespace

void draw_explained_planes(const PixelExplanation& explained, const ExplainedSum& sum) {
  const std::vector<int> planes = planes_of(explained);
  std::vector<PixelArea> read, shown;
  if (const KernelStep* const step = reading_step(explained))
    for (const auto* areas : {&step->tile, &step->direct}) read.insert(read.end(), areas->begin(), areas->end());
  shown = read;
  for (const ExplainedTerm& term : sum.terms) shown.push_back({term.x, term.y, 1, 1});
  if (shown.empty()) return;
  heading(explained.problem->filter.is_bank() ? "READ OF EACH CHANNEL" : "READ OF EACH FRAME");
  Grid grid(around(shown));
  const float room = ImGui::GetContentRegionAvail().x, gap = px(10), line = px(15);
  const float column = std::max(grid.size.x, px(112)) + gap;
  const auto columns = static_cast<std::size_t>(std::max(1.0f, std::floor((room + gap) / column)));
  const std::size_t count = std::min(planes.size(), most_planes);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  for (std::size_t i = 0; i < count; ++i) {
    grid.at = {from.x + column * static_cast<float>(i % columns),
               from.y + (grid.size.y + line + gap) * static_cast<float>(i / columns)};
    draw_plane(explained, sum, read, planes[i], grid);
    draw_clipped(*ImGui::GetWindowDrawList(), Font::small, {grid.at.x, grid.at.y + grid.size.y + px(2)}, theme().dim,
                 plane_name(explained, planes[i]), column - gap);
    mark_area("story-plane/" + std::to_string(i), grid.at, {grid.at.x + grid.size.x, grid.at.y + grid.size.y});
  }
  const ImVec2 size{std::min(column * static_cast<float>(std::min(columns, count)), room),
                    (grid.size.y + line + gap) * static_cast<float>((count + columns - 1) / columns)};
  mark_area("story-planes", from, {from.x + size.x, from.y + size.y});
  ImGui::Dummy(size);
  std::string words = read.empty() ? "Lit: what goes into this output."
                                   : "Lit: what goes into this output. Shaded: all that its block reads.";
  if (planes.size() > count) words += " Of " + std::to_string(planes.size() - count) + " more, the same is read.";
  text_dim(words);
}

}  // namespace convoscope::ui
