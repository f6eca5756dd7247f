// What the mouse does on the picture: picks panes, drags them by their cards, moves and turns the wipe.
#include "app/ui/stage/picture_mouse.h"

#include <imgui.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "app/panes/split_lines.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/theme.h"
#include "app/ui/places/wall_overlay.h"

namespace convoscope::ui {
namespace {

constexpr float reach = 8;                       // pixels at scale 1 from a line within which it is taken hold of
constexpr double end_part = 0.16;                // of the line's length at either end, where it turns
constexpr double snap_to = 45, snap_within = 3;  // degrees

double degrees_of(double x, double y) { return std::atan2(y, x) * 180 / std::numbers::pi; }

struct LineAt {
  int index = -1;
  SplitPoint from, to;  // where it meets the area's edges
};

// The ends of a line within the area.
std::optional<LineAt> line_of(const Settings& settings, const UiLayout& layout, int index) {
  const Area area = picture_area(layout);
  const SplitAxis axis = axis_of(settings, layout);
  const int count = static_cast<int>(settings.group().panes.size());
  const double low = axis.at(split_cut(settings.split, 0, count));
  const double at = axis.at(split_cut(settings.split, index + 1, count));
  const SplitPolygon before = slice_polygon(axis, low, at, area.x, area.y, area.width, area.height);
  LineAt line{index, {}, {}};
  int found = 0;
  for (std::size_t i = 0; i < before.count; ++i) {
    const SplitPoint p = before.corners[i];
    if (std::abs(axis.along(p.x, p.y) - at) > 0.01) continue;
    (found++ == 0 ? line.from : line.to) = p;
  }
  return found >= 2 ? std::optional(line) : std::nullopt;
}

std::optional<LineAt> line_near(const Settings& settings, const UiLayout& layout, ImVec2 mouse) {
  const Area area = picture_area(layout);
  const int count = static_cast<int>(settings.group().panes.size());
  if (shown_view(settings) != View::split || count < 2 || !area.contains(mouse.x, mouse.y)) return std::nullopt;
  const SplitAxis axis = axis_of(settings, layout);
  int nearest = -1;
  double least = px(reach);
  for (int i = 0; i + 1 < count; ++i) {
    const double away = std::abs(axis.along(mouse.x, mouse.y) - axis.at(split_cut(settings.split, i + 1, count)));
    if (away > least) continue;
    least = away;
    nearest = i;
  }
  return nearest < 0 ? std::nullopt : line_of(settings, layout, nearest);
}

bool turns(const LineAt& line, ImVec2 mouse) {
  if (ImGui::GetIO().KeyCtrl) return true;
  const double length = std::hypot(line.to.x - line.from.x, line.to.y - line.from.y);
  const double near_from = std::hypot(mouse.x - line.from.x, mouse.y - line.from.y);
  const double near_to = std::hypot(mouse.x - line.to.x, mouse.y - line.to.y);
  return std::min(near_from, near_to) < end_part * length;
}

PictureDrag drag_of(const Stats& stats, const Settings& settings, const UiLayout& layout, ImVec2 mouse) {
  using Kind = PictureDrag::Kind;
  if (const int i = card_at(stats, settings, layout, mouse.x, mouse.y); i >= 0) {
    const CardParts parts = card_parts(stats, settings, layout, i);
    const std::pair<const Area*, Kind> named[] = {{&parts.close, Kind::close},
                                                  {&parts.hide, Kind::hide},
                                                  {&parts.fold, Kind::fold},
                                                  {&parts.link, Kind::link},
                                                  {&parts.badge, Kind::badge}};
    for (const auto& [part, kind] : named)
      if (part->contains(mouse.x, mouse.y)) return {kind, i};
    PictureDrag drag{Kind::pane, i, mouse.x - parts.card.x, mouse.y - parts.card.y};
    drag.card = settings.group().panes[static_cast<std::size_t>(i)].card;
    return drag;
  }
  if (const std::optional<LineAt> line = line_near(settings, layout, mouse)) {
    if (!turns(*line, mouse)) return {Kind::wipe, line->index};
    const double x = (line->from.x + line->to.x) / 2, y = (line->from.y + line->to.y) / 2;
    return {Kind::wipe_turn, line->index, x, y, degrees_of(mouse.x - x, mouse.y - y), settings.split.angle};
  }
  return {Kind::picture, pane_at(settings, layout, mouse.x, mouse.y)};
}

// A line stays between its neighbours. Of those that lie on one another the one moves that can go where the mouse first
// goes: any other would seem to be stuck.
void move_line(Settings& settings, const UiLayout& layout, PictureDrag& drag, ImVec2 mouse) {
  set_split_lines_apart(settings);
  std::vector<double>& lines = settings.split.lines;
  if (drag.index < 0 || drag.index >= static_cast<int>(lines.size())) return;
  const SplitAxis axis = axis_of(settings, layout);
  const double to = axis.position(axis.along(mouse.x, mouse.y));
  auto i = static_cast<std::size_t>(drag.index);
  if (!std::exchange(drag.moves, true)) {
    while (to < lines[i] && i > 0 && lines[i - 1] == lines[i]) --i;
    while (to > lines[i] && i + 1 < lines.size() && lines[i + 1] == lines[i]) ++i;
    drag.index = static_cast<int>(i);
  }
  const double low = i > 0 ? lines[i - 1] : 0, high = i + 1 < lines.size() ? lines[i + 1] : 1;
  lines[i] = std::clamp(to, low, std::max(low, high));
}

// The line turns about its middle; the others stay parallel to it, as far away as they were.
void turn_line(Settings& settings, const UiLayout& layout, const PictureDrag& drag, ImVec2 mouse) {
  if (std::hypot(mouse.x - drag.x, mouse.y - drag.y) < px(reach)) return;
  set_split_lines_apart(settings);
  std::vector<double>& lines = settings.split.lines;
  if (drag.index < 0 || drag.index >= static_cast<int>(lines.size())) return;
  const SplitAxis before = axis_of(settings, layout);
  const double held = before.at(lines[static_cast<std::size_t>(drag.index)]);
  double angle = drag.split_angle + degrees_of(mouse.x - drag.x, mouse.y - drag.y) - drag.start_angle;
  const double snapped = std::round(angle / snap_to) * snap_to;
  if (std::abs(angle - snapped) < snap_within) angle = snapped;
  settings.split.angle = std::remainder(angle, 360.0);
  const SplitAxis after = axis_of(settings, layout);
  const double through = after.along(drag.x, drag.y);
  for (double& line : lines) line = std::clamp(after.position(through + before.at(line) - held), 0.0, 1.0);
}

CardSettings& card_of(Settings& settings, int pane) {
  return settings.group().panes[static_cast<std::size_t>(pane)].card;
}

// Within its pane the card moves; over another one it stays where it was, and the panes change places.
void move_card(const Stats& stats, Settings& settings, const UiLayout& layout, const PictureDrag& drag, ImVec2 mouse) {
  if (pane_at(settings, layout, mouse.x, mouse.y) == drag.index)
    place_card(stats, settings, layout, drag.index, mouse.x - static_cast<float>(drag.x),
               mouse.y - static_cast<float>(drag.y));
  else
    card_of(settings, drag.index) = drag.card;
}

// The first click on a card picks its pane, the next one opens or folds it.
void click_card(Settings& settings, int pane) {
  CardShape& shape = card_of(settings, pane).shape;
  if (settings.group().active_pane == pane) shape = shape == CardShape::open ? CardShape::line : CardShape::open;
  settings.group().active_pane = pane;
}

void let_go(const PictureDrag& drag, bool dragged, Settings& settings, Requests& requests, const UiLayout& layout,
            ImVec2 mouse, const Stats& stats) {
  using Kind = PictureDrag::Kind;
  const int here = pane_at(settings, layout, mouse.x, mouse.y);
  // The last move within its pane may have been seen, and the one out of it not.
  if (drag.kind == Kind::pane && dragged && here != drag.index) card_of(settings, drag.index) = drag.card;
  if (drag.kind == Kind::pane && dragged && here >= 0) move_pane(settings, drag.index, here);
  if (drag.kind == Kind::pane && !dragged) click_card(settings, drag.index);
  if (drag.kind == Kind::picture && !dragged && here >= 0 && here == drag.index && shown_view(settings) == View::grid)
    settings.group().active_pane = here;
  if (dragged || drag_of(stats, settings, layout, mouse).kind != drag.kind) return;
  if (drag.kind == Kind::picture && here == drag.index)
    if (const int map = map_at(stats, settings, layout, here, mouse.x, mouse.y); map >= 0)
      ui_state().bank_choice.map = map;
  if (drag.kind == Kind::close) close_pane(settings, drag.index);
  if (drag.kind == Kind::hide) card_of(settings, drag.index).shape = CardShape::hidden;
  if (drag.kind == Kind::fold) {
    CardShape& shape = card_of(settings, drag.index).shape;
    shape = shape == CardShape::open ? CardShape::line : CardShape::open;
    if (shape == CardShape::line) ui_state().hovered_card = {};
  }
  if (drag.kind == Kind::link) toggle_link(settings, drag.index);
  if (drag.kind == Kind::badge) requests.show_wrong_pixel = drag.index;
}

// A single click picks the pane or pins the pixel.
void double_click(const Stats& stats, Settings& settings, const UiLayout& layout, int pane) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int map = map_at(stats, settings, layout, pane, mouse.x, mouse.y);
  if (map >= 0)
    show_map(settings, map);
  else
    settings.fullscreen = !settings.fullscreen;
}

void show_cursor(const Settings& settings, const PictureDrag& drag) {
  using Kind = PictureDrag::Kind;
  if (drag.kind == Kind::wipe_turn || drag.kind == Kind::pane) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (drag.kind != Kind::wipe) return;
  constexpr ImGuiMouseCursor cursors[] = {ImGuiMouseCursor_ResizeEW, ImGuiMouseCursor_ResizeNWSE,
                                          ImGuiMouseCursor_ResizeNS, ImGuiMouseCursor_ResizeNESW};
  const int eighth = static_cast<int>(std::lround(settings.split.angle / 45)) & 3;
  ImGui::SetMouseCursor(cursors[eighth]);
}

}  // namespace

void use_picture(const Stats& stats, Settings& settings, Requests& requests, const UiLayout& layout) {
  using Kind = PictureDrag::Kind;
  const ImGuiIO& io = ImGui::GetIO();
  PictureDrag& drag = ui_state().drag;
  const ImVec2 mouse = io.MousePos;
  follow_card_hover(stats, settings, layout, !io.WantCaptureMouse && picture_area(layout).contains(mouse.x, mouse.y));
  if (drag.kind == Kind::none) {
    if (io.WantCaptureMouse || !picture_area(layout).contains(mouse.x, mouse.y)) return;
    const PictureDrag under = drag_of(stats, settings, layout, mouse);
    show_cursor(settings, under);
    if (under.kind == Kind::picture && under.index >= 0 && ImGui::IsMouseDoubleClicked(0))
      double_click(stats, settings, layout, under.index);
    if (!ImGui::IsMouseClicked(0)) return;
    drag = under;
  }
  const float slack = px(4);
  const bool dragged = io.MouseDragMaxDistanceSqr[0] > slack * slack;
  if (ImGui::IsMouseDown(0)) {
    show_cursor(settings, drag);
    if (drag.index >= static_cast<int>(settings.group().panes.size())) return;  // a key has closed it meanwhile
    if (dragged && drag.kind == Kind::pane) move_card(stats, settings, layout, drag, mouse);
    if (dragged && drag.kind == Kind::wipe) move_line(settings, layout, drag, mouse);
    if (dragged && drag.kind == Kind::wipe_turn) turn_line(settings, layout, drag, mouse);
    return;
  }
  const PictureDrag held = drag;
  drag = {};
  if (held.index >= static_cast<int>(settings.group().panes.size())) return;
  let_go(held, dragged, settings, requests, layout, mouse, stats);
}

}  // namespace convoscope::ui
