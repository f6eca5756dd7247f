// The magnifier and the values of all panes, in a card that follows the cursor or stands by the pinned pixel.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "app/ui/cards/cards.h"
#include "app/ui/cards/filtering_mark.h"
#include "app/ui/explain/explanation.h"
#include "app/ui/memory/inspect_state.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/on_screen.h"
#include "app/ui/places/stage_places.h"
#include "app/ui/stage/inspect.h"
#include "app/ui/stage/inspection_place.h"
#include "app/ui/stage/magnifier.h"

namespace convoscope::ui {
namespace {

std::string hex(const PixelValue& value) {
  char text[16];
  if (value.channels == 1)
    std::snprintf(text, sizeof text, "0x%08x", std::bit_cast<std::uint32_t>(value.values[0]));
  else
    std::snprintf(text, sizeof text, "#%02x%02x%02x", static_cast<unsigned>(value.values[0]),
                  static_cast<unsigned>(value.values[1]), static_cast<unsigned>(value.values[2]));
  return text;
}

std::string decimal(const PixelValue& value, int channel) {
  if (value.channels == 1) return with_minus(format_number(static_cast<double>(value.values[0]) * 255, 4));
  return std::to_string(static_cast<int>(value.values[channel]));
}

std::string floating(const PixelValue& value, int channel) {
  char text[32];
  if (value.channels == 1)
    std::snprintf(text, sizeof text, "%.7g", static_cast<double>(value.values[0]));
  else
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(value.values[channel]) / 255);
  return with_minus(text);
}

// So many of all panes, in their order, the one that is looked at among them: from this one on.
std::size_t first_shown(const InspectStats& inspect, std::size_t count, std::size_t all) {
  return std::min(static_cast<std::size_t>(std::max(inspect.pane, 0)), all - std::min(count, all));
}

struct Column {
  const char* title;
  float width;
};

// Of the feature map under the cursor, in the pane of that position.
const InspectStats::MapValue* map_value_of(const InspectStats& inspect, std::size_t pane) {
  if (pane >= inspect.map_values.size() || inspect.map_values[pane].place.map < 0) return nullptr;
  return &inspect.map_values[pane];
}

bool shows_maps(const InspectStats& inspect) {
  return std::ranges::any_of(inspect.map_values, [](const auto& each) { return each.place.map >= 0; });
}

// A map has the number of the filter that made it.
std::string map_text(const InspectStats::MapValue* value, std::size_t column) {
  if (!value) return "–";
  if (column == 0) return std::to_string(value->place.map + 1);
  if (column == 1) return std::to_string(value->place.x) + ", " + std::to_string(value->place.y);
  return with_minus(format_number(value->value, 6));
}

// The map and the place in it that all panes with maps show there; null where they differ, or there is none.
const InspectStats::MapValue* common_map(const InspectStats& inspect) {
  const InspectStats::MapValue* common = nullptr;
  for (const InspectStats::MapValue& each : inspect.map_values) {
    if (each.place.map < 0) continue;
    if (!common) common = &each;
    const MapPlace &a = common->place, &b = each.place;
    if (a.map != b.map || a.x != b.x || a.y != b.y) return nullptr;
  }
  return common;
}

std::vector<Column> columns_of(const InspectStats& inspect, bool gray) {
  if (common_map(inspect)) return {{"value", 92}};  // the title says the rest
  if (shows_maps(inspect)) return {{"filter", 46}, {"x, y", 84}, {"value", 92}};
  if (gray) return {{"of 255", 78}, {"hex", 90}, {"float", 116}};  // "−1.919042e−08"
  return {{"R", 32}, {"G", 32}, {"B", 32}, {"A", 32}, {"hex", 66}, {"float", 128}};
}

std::string cell_text(const PixelValue& value, bool gray, std::size_t column) {
  if (value.channels == 0) return "–";
  if (gray) return column == 0 ? decimal(value, 0) : column == 1 ? hex(value) : floating(value, 0);
  if (column < 4) return decimal(value, static_cast<int>(column));
  if (column == 4) return hex(value);
  return floating(value, 0) + " " + floating(value, 1) + " " + floating(value, 2);
}

constexpr float name_width = 150, least_name_width = 72, row_height = 19;
constexpr float between = 9;  // magnifiers
constexpr float inspection_padding = 11;

// What of the values is shown where there is no room for all: fewer lines, and fewer columns.
struct Share {
  std::size_t rows = 0;
  bool narrow = false;
};

std::vector<Share> shares_of(std::size_t rows) {
  std::vector<Share> shares;
  for (const std::size_t some : {rows, (rows + 1) / 2, std::min<std::size_t>(rows, 1)})
    for (const bool narrow : {false, true})
      if (some > 0 && (shares.empty() || narrow || shares.back().rows != some)) shares.push_back({some, narrow});
  shares.push_back({});
  return shares;
}

// What of the values has room: the names give way, then the last columns.
struct ValuesTable {
  std::vector<Column> columns;
  std::size_t rows = 0;
  float name_width = 0;
  ImVec2 size;
};

ValuesTable values_table(const InspectStats& inspect, bool gray, float room, Share share) {
  ValuesTable table{columns_of(inspect, gray), share.rows, 0, {}};
  if (share.narrow && !shows_maps(inspect)) table.columns.resize(gray ? 1 : 3);
  const auto numbers = [&] {
    float width = 0;
    for (const Column& column : table.columns) width += px(column.width);
    return width;
  };
  while (table.columns.size() > 1 && numbers() + px(least_name_width) > room) table.columns.pop_back();
  table.name_width =
      std::clamp(room - numbers(), px(least_name_width), px(share.narrow ? least_name_width : name_width));
  table.size = {table.name_width + numbers(), px(row_height) * static_cast<float>(table.rows + 1)};
  return table;
}

// With the number that its card has.
std::string numbered_title(const Stats& stats, const Settings& settings, std::size_t pane) {
  const std::string title = pane_title(stats, settings, static_cast<int>(pane));
  return settings.group().panes.size() > 1 && pane < settings.group().panes.size()
             ? std::to_string(pane + 1) + "  " + title
             : title;
}

void draw_values(ImDrawList& list, ImVec2 at, const Stats& stats, const Settings& settings, bool gray,
                 const ValuesTable& table) {
  const Theme& t = theme();
  const InspectStats& inspect = stats.inspect;
  const std::vector<Column>& columns = table.columns;
  const bool maps = shows_maps(inspect);
  const std::size_t first_map_column = common_map(inspect) ? 2 : 0;  // its number and the place are in the title
  const auto right_aligned = [&](Font face, float right, float y, ImU32 ink, const std::string& text) {
    draw_text(list, face, {std::round(right - text_size(face, text).x), y}, ink, text);
  };
  float x = at.x + table.name_width;
  for (const Column& column : columns) right_aligned(Font::small, x += px(column.width), at.y, t.faint, column.title);
  const std::size_t first = first_shown(inspect, table.rows, inspect.values.size());
  std::string legend;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const std::size_t i = first + row;
    const PixelValue& value = inspect.values[i];
    const float y = at.y + px(row_height) * static_cast<float>(row + 1);
    const std::string old = what_is_old(stats, settings, i);
    if (!old.empty()) legend = legend.empty() || legend == old ? old : "not new yet";
    if (value.channels > 0) {
      list.AddRectFilled({at.x, y + px(3)}, {at.x + px(11), y + px(14)}, shown_colour(value), px(2));
      list.AddRect({at.x, y + px(3)}, {at.x + px(11), y + px(14)}, with_alpha(t.text, 0.35f), px(2));
    }
    const bool here = static_cast<int>(i) == inspect.pane && inspect.values.size() > 1;
    draw_clipped(list, here ? Font::strong : Font::body, {at.x + px(18), y},
                 !old.empty() ? t.faint
                 : here       ? t.text
                              : t.dim,
                 (old.empty() ? "" : "… ") + numbered_title(stats, settings, i), table.name_width - px(24));
    x = at.x + table.name_width;
    for (std::size_t c = 0; c < columns.size(); ++c)
      right_aligned(Font::body, x += px(columns[c].width), y, old.empty() ? t.text : t.faint,
                    maps ? map_text(map_value_of(inspect, i), c + first_map_column) : cell_text(value, gray, c));
  }
  if (!legend.empty()) draw_clipped(list, Font::small, at, t.dim, "… " + legend, table.name_width - px(6));
}

// The pane under the cursor, and others to compare it with where all have room: more than two share that of two.
struct Magnifiers {
  std::size_t count = 0;
  float side = 0;
};

Magnifiers magnifiers_in(ImVec2 room, std::size_t panes) {
  constexpr std::size_t most = 4;
  const float wanted = px(inspect_state().magnifier_cells > 7 ? 210 : 308), least = px(96);
  const float across = std::min(room.x, 2 * wanted + px(between));
  for (std::size_t count = std::min(panes, most); count > 0; --count) {
    const auto n = static_cast<float>(count);
    const float side = std::floor(std::min({wanted, (across - px(between) * (n - 1)) / n, room.y}));
    if (side >= least || (count == 1 && side >= px(40))) return {count, side};
  }
  return {};
}

struct InspectionCard {
  ValuesTable table;
  Magnifiers magnifiers;
  float gap = 0;
  Area place;  // empty where none is free
  bool is_cut = false;
};

InspectionCard lay_out(Share share, const Stats& stats, const Settings& settings, const UiLayout& layout, bool gray) {
  const InspectSettings& chosen = settings.inspect;
  const Area stage = picture_area(layout);
  const float padding = px(inspection_padding), inside = stage.width - 2 * padding;
  InspectionCard card;
  if (chosen.values && share.rows > 0) card.table = values_table(stats.inspect, gray, inside, share);
  const float table = card.table.size.y;
  const bool whole = share.rows == stats.inspect.values.size() && !share.narrow;
  for (const float magnified : {1.0f, 0.7f, 0.5f, 0.0f}) {
    if (magnified > 0 && !(whole && chosen.magnifier)) continue;
    card.gap = chosen.magnifier && card.table.rows > 0 ? px(9) : 0;
    card.magnifiers = {};
    if (magnified > 0)
      card.magnifiers =
          magnifiers_in({inside, stage.height - px(44) - card.gap - table - 2 * padding}, stats.inspect.patches.size());
    card.magnifiers.side = std::floor(card.magnifiers.side * magnified);
    const auto [count, side] = card.magnifiers;
    const float across = static_cast<float>(count) * (side + px(between)) - px(between);
    const float width = std::max({across, card.table.size.x, px(120)}) + 2 * padding;
    const float height = px(44) + side + card.gap + table + 2 * padding - (count ? 0 : px(22));
    card.place = place_for_inspection({std::ceil(width), std::ceil(height)}, stats, settings, layout);
    if (card.place.width > 0) break;
  }
  card.is_cut = !whole;
  return card;
}

// The magnifiers shrink and leave, and then the values do, before the card covers the pixel; it may find no place.
InspectionCard lay_out(const Stats& stats, const Settings& settings, const UiLayout& layout, bool gray) {
  InspectionCard card;
  for (const Share share : shares_of(stats.inspect.values.size()))
    if (card = lay_out(share, stats, settings, layout, gray); card.place.width > 0) break;
  return card;
}

InspectState::Unplaced here(const Settings& settings, const UiLayout& layout) {
  return {settings.inspect.pinned, layout.picture_width, layout.picture_height};
}

// In every pane the pixel itself, when it is large enough to be seen as one, else a reticle round it.
void draw_reticles(ImDrawList& list, const Stats& stats, const Settings& settings, const UiLayout& layout) {
  for (int i = 0; i < static_cast<int>(layout.pictures.size()); ++i) {
    const Area seen = pane_area(settings, layout, i);
    if (seen.width < 1 || seen.height < 1) continue;
    const Area mark = reticle(layout, stats, i);
    list.PushClipRect(seen.from(), seen.to(), true);
    for (const auto& [ink, thickness] : {std::pair{IM_COL32(0, 0, 0, 170), px(3)}, std::pair{theme().accent, px(1.5f)}})
      list.AddRect(mark.from(), mark.to(), ink, 0, 0, thickness);
    list.PopClipRect();
  }
}

}  // namespace

// Above, below and between the last maps of a wall, where a pixel is nobody's.
bool is_beside_maps(const Stats& stats) {
  const auto pane = static_cast<std::size_t>(std::max(stats.inspect.pane, 0));
  if (pane >= stats.panes.size() || !stats.panes[pane].wall || stats.panes[pane].stands_in) return false;
  const Wall& wall = *stats.panes[pane].wall;
  const PixelAddress& at = *stats.inspect.pixel;
  const int down = at.y - wall.top();
  const bool in_cells =
      down >= 0 && down < wall.rows() * wall.cell_height() && at.x < wall.columns() * wall.cell_width();
  return !wall.frames && (!in_cells || is_in_empty_cell(wall, at.x, at.y));
}

bool inspection_comes_first(const Settings& settings, const UiLayout& layout) {
  return settings.inspect.pinned && inspect_state().unplaced == here(settings, layout);
}

void draw_inspection(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  const InspectSettings& chosen = settings.inspect;
  const InspectStats& inspect = stats.inspect;
  ui_state().values_place = {};
  if (!inspect.pixel || (!chosen.magnifier && !chosen.values) || inspect.patches.empty()) return;
  if (is_beside_maps(stats)) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  draw_reticles(list, stats, settings, layout);

  const bool gray = inspect.patches[0].format == PixelFormat::gray32f;
  const InspectionCard card = lay_out(stats, settings, layout, gray);
  if (card.is_cut || card.place.width <= 0) inspect_state().unplaced = here(settings, layout);
  if (card.place.width <= 0) return;
  const ImVec2 at = card.place.from(), to = card.place.to();
  const float side = card.magnifiers.side;
  const auto looked_at = static_cast<std::size_t>(std::max(inspect.pane, 0));
  const std::size_t first = first_shown(inspect, card.magnifiers.count, inspect.patches.size());
  const Theme& t = theme();
  list.AddRectFilled(at, to, t.card, px(9));
  take_place("inspection", card.place);
  ui_state().values_place = card.place;
  list.PushClipRect(at, to, true);
  const InspectStats::MapValue* const common = common_map(inspect);
  const InspectStats::MapValue* const map = common ? common : map_value_of(inspect, looked_at);
  const std::string place =
      map ? "Map " + std::to_string(map->place.map + 1) + "  (" + map_text(map, 1) + ")"
          : "(" + std::to_string(inspect.pixel->x) + ", " + std::to_string(inspect.pixel->y) + ")";
  const float padding = px(inspection_padding);
  const float end = draw_text(list, Font::strong, {at.x + padding, at.y + padding}, t.text, place);
  if (chosen.pinned)
    draw_text(list, Font::small, {at.x + padding + end + px(8), at.y + padding + px(2)}, t.faint, "pinned");
  float y = at.y + padding + px(22);
  for (std::size_t i = 0; i < card.magnifiers.count; ++i) {
    const std::size_t pane = first + i;
    const ImVec2 corner{at.x + padding + static_cast<float>(i) * (side + px(between)), y};
    const std::string old = what_is_old(stats, settings, pane);
    draw_clipped(list, Font::small, corner, pane == looked_at ? t.dim : t.faint,
                 (old.empty() ? "" : "… " + old + ": ") + numbered_title(stats, settings, pane), side);
    draw_magnifier(list, {corner.x, y + px(22)}, side, inspect, pane, !old.empty());
  }
  if (card.magnifiers.count > 0) y += px(22);
  y += side + card.gap;
  if (card.table.rows > 0) draw_values(list, {at.x + padding, y}, stats, settings, gray, card.table);
  list.PopClipRect();
}

void toggle_pin(const Stats& stats, Settings& settings) {
  InspectSettings& inspect = settings.inspect;
  const std::optional<PixelAddress>& under = stats.inspect.under_cursor;
  // Over another pixel, that one is meant.
  if (inspect.pinned && (!under || under == inspect.pinned)) return inspect.pinned.reset();
  if (under)
    pin_under_cursor(stats, settings);
  else if (stats.source.width > 0)  // by the panel's button: the middle of what is seen
    inspect.pinned = PixelAddress{
        std::clamp(static_cast<int>(settings.zoom.centre_x * stats.source.width), 0, stats.source.width - 1),
        std::clamp(static_cast<int>(settings.zoom.centre_y * stats.source.height), 0, stats.source.height - 1)};
}

void pin_under_cursor(const Stats& stats, Settings& settings) {
  settings.inspect.pinned = stats.inspect.under_cursor;
  const int pane = stats.inspect.pane;
  if (pane >= 0 && pane < static_cast<int>(settings.group().panes.size()))
    settings.group().active_pane = pane;  // whose strategy it is
}

bool keeps_explained_pin(const Stats& stats, const Settings& settings) {
  const std::optional<PixelAddress>& under = stats.inspect.under_cursor;
  const int pane = stats.inspect.pane;
  if (!settings.inspect.pinned || !under || pane < 0 || pane >= static_cast<int>(stats.panes.size())) return false;
  const std::optional<Wall>& wall = stats.panes[static_cast<std::size_t>(pane)].wall;
  return wall && !wall->frames && place_on_wall(*wall, under->x, under->y).map < 0;
}

void pin_by_click(const Stats& stats, Settings& settings, const UiLayout& layout) {
  InspectSettings& inspect = settings.inspect;
  if (!inspect.magnifier && !inspect.values && !inspect.explain) return;
  const ImGuiIO& io = ImGui::GetIO();
  bool& pressed = inspect_state().pressed;
  if (ImGui::IsMouseClicked(0))
    pressed = !io.WantCaptureMouse && stats.inspect.under_cursor.has_value() &&
              card_at(stats, settings, layout, io.MousePos.x, io.MousePos.y) < 0;
  if (!ImGui::IsMouseReleased(0) || !std::exchange(pressed, false)) return;
  const float slack = px(4);
  if (io.WantCaptureMouse || io.MouseDragMaxDistanceSqr[0] > slack * slack || !stats.inspect.under_cursor) return;
  if (inspect.explain && keeps_explained_pin(stats, settings)) return;
  if (inspect.pinned == stats.inspect.under_cursor) {
    if (!inspect.explain) inspect.pinned.reset();  // without a pixel the sheet would have nothing to say
    return;
  }
  if (!inspect.magnifier && !inspect.values) explain_pixel(stats.inspect.under_cursor, settings);
  pin_under_cursor(stats, settings);
}

}  // namespace convoscope::ui
