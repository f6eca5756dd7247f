#include "app/ui/places/wall_overlay.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/state/network_settings.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr float least_numbered = 48;  // pixels of the screen, a cell's side

// Of a pane that shows maps: its wall, and how it lies on screen.
struct WallOnScreen {
  const Wall* wall = nullptr;
  Area picture;
};

WallOnScreen wall_on_screen(const Stats& stats, const Settings& settings, const UiLayout& layout, int pane) {
  const auto index = static_cast<std::size_t>(pane);
  if (pane < 0 || index >= settings.group().panes.size() || index >= layout.pictures.size()) return {};
  if (settings.group().panes[index].strategy == "source" || flick_pane(settings) == flick_source) return {};
  const PaneStats* const measured = stats_of(stats, settings.group().panes[index]);
  if (!measured || !measured->wall || measured->stands_in) return {};
  const UiLayout::Pane& picture = layout.pictures[index];
  return {&*measured->wall, {picture.x, picture.y, picture.width, picture.height}};
}

// Of the n-th of those that are shown.
Area cell_on_screen(const Wall& wall, const Area& picture, int n) {
  const float across = picture.width / static_cast<float>(wall.width);
  const float down = picture.height / static_cast<float>(wall.height);
  return {picture.x + across * static_cast<float>(n % wall.columns() * wall.cell_width()),
          picture.y + down * static_cast<float>(wall.top() + n / wall.columns() * wall.cell_height()),
          across * static_cast<float>(wall.cell_width() - wall.gap()),
          down * static_cast<float>(wall.cell_height() - wall.gap())};
}

int shown_cells(const Wall& wall) { return wall.alone < 0 ? wall.maps : 1; }

// In the lower left corner of what is seen of the cell, and with some of it on all sides.
void draw_number(ImDrawList& list, const Area& cell, const Area& seen, const std::string& text) {
  const ImVec2 size = text_size(Font::small, text);
  const float padding = px(4), height = size.y + px(2), margin = px(4);
  const float foot = std::min(cell.y + cell.height, seen.y + seen.height);
  const ImVec2 from{std::round(std::max(cell.x, seen.x) + margin), std::round(foot - height - margin)};
  const float right = std::min(cell.x + cell.width, seen.x + seen.width);
  if (from.y < std::max(cell.y, seen.y) || from.x + size.x + 2 * padding > right) return;
  list.AddRectFilled(from, {from.x + size.x + 2 * padding, from.y + height}, theme().card);
  draw_text(list, Font::small, {from.x + padding, from.y + px(1)}, theme().text, text);
}

// Which of how many maps, and what made them.
std::string name_of_map(const LayerSettings& layer, const Wall& wall, int map) {
  std::string text = "Map " + std::to_string(map + 1) + " of " + std::to_string(wall.maps);
  if (!layer.further.empty())
    text += "  ·  layer " + std::to_string(seen_layer(layer) + 1) + " of " + std::to_string(layer.further.size() + 1);
  else if (const BankKind* const kind = shown_kind(layer))
    text += "  ·  " + std::string(kind->title);
  return text;
}

}  // namespace

std::vector<Area> maps_on_screen(const Stats& stats, const Settings& settings, const UiLayout& layout, int pane) {
  std::vector<Area> cells;
  if (!has_bank(settings)) return cells;
  const auto [wall, picture] = wall_on_screen(stats, settings, layout, pane);
  for (int i = 0; wall && i < shown_cells(*wall); ++i) cells.push_back(cell_on_screen(*wall, picture, i));
  return cells;
}

void draw_map_numbers(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  if (!has_bank(settings) || !settings.show_overlay) return;
  if (shown_view(settings) == View::difference && !stats.difference.shown) return;  // there are no maps to number
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int at_mouse = ImGui::GetIO().WantCaptureMouse ? -1 : pane_at(settings, layout, mouse.x, mouse.y);
  std::vector<ImVec2> numbered;  // where pictures lie; those of a difference lie over one another
  for (int pane = 0; pane < static_cast<int>(settings.group().panes.size()); ++pane) {
    const Area seen = pane_area(settings, layout, pane);
    const auto [wall, picture] = wall_on_screen(stats, settings, layout, pane);
    if (!wall || seen.width < 1 || seen.height < 1) continue;
    const Area first = cell_on_screen(*wall, picture, 0);
    if (std::min(first.width, first.height) < least_numbered) continue;
    const ImVec2 place = seen.from();
    if (std::ranges::any_of(numbered, [&](ImVec2 at) { return at.x == place.x && at.y == place.y; })) continue;
    numbered.push_back(place);
    list.PushClipRect(seen.from(), seen.to(), true);
    const ImVec2 at_hand = pane_area(settings, layout, at_mouse).from();
    const bool under_mouse = at_mouse >= 0 && at_hand.x == place.x && at_hand.y == place.y;
    const int hovered = under_mouse ? map_at(stats, settings, layout, pane, mouse.x, mouse.y) : -1;
    for (int i = 0; i < shown_cells(*wall); ++i) {
      const Area cell = cell_on_screen(*wall, picture, i);
      if (!overlap(cell, seen)) continue;
      const int map = wall->alone < 0 ? i : wall->alone;
      const std::string colour = colour_made(settings, map);
      if (map == hovered)
        if (const std::string name = name_of_map(settings.layer, *wall, map);
            text_size(Font::small, name).x + px(16) < cell.width) {
          draw_number(list, cell, seen, name);
          continue;
        }
      draw_number(list, cell, seen,
                  wall->frames
                      ? i == 0 ? "What goes in" : "What comes out"
                      : std::to_string(map + 1) + (wall->alone < 0 ? "" : " of " + std::to_string(wall->maps)) +
                            (colour.empty() ? "" : " " + colour));
    }
    list.PopClipRect();
  }
}

int map_at(const Stats& stats, const Settings& settings, const UiLayout& layout, int pane, float x, float y) {
  const auto [wall, picture] = wall_on_screen(stats, settings, layout, pane);
  if (!has_bank(settings) || !wall || wall->frames || !picture.contains(x, y)) return -1;
  const auto pixel = [](float at, float from, float extent, int pixels) {
    return static_cast<int>((at - from) / extent * static_cast<float>(pixels));
  };
  return place_on_wall(*wall, pixel(x, picture.x, picture.width, wall->width),
                       pixel(y, picture.y, picture.height, wall->height))
      .map;
}

void show_map(Settings& settings, int map) {
  WallSettings& wall = settings.wall;
  if (wall.map >= 0) {
    wall.map = -1;
  } else if (map >= 0) {
    wall.map = ui_state().bank_choice.map = map;
  }
}

}  // namespace convoscope::ui
