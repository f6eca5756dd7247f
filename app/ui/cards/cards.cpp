// Where the cards lie, and which of them is open.
#include "app/ui/cards/cards.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/cards/check_badge.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/theme.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/stage_places.h"

namespace convoscope::ui {
namespace {

constexpr double seconds_to_open = 0.35;
constexpr float open_width = 318, open_height = 178, open_source_height = 88, part_side = 22;
constexpr float line_height = 24;  // of a card that is one line
constexpr int most_parts = 5;

constexpr float widest_margin = 12, least_margin = 4;
float margin_beside(const Area& room) { return px(room.width >= px(300) ? widest_margin : least_margin); }
// The cards of a split's panes lie in one row, however narrow some are.
float margin_above(const Area& room) {
  const bool roomy = room.width >= px(300) || room.height >= px(200);
  return std::clamp((room.height - px(line_height)) / 2, 0.0f, px(roomy ? widest_margin : least_margin));
}

// As wide as the title and the parts beside it want, up to what the pane has room for.
ImVec2 open_size(const Stats& stats, const PaneSettings& pane, const Area& whole, float room) {
  const bool measured = pane.strategy != "source" && stats_of(stats, pane);
  const float title = text_size(Font::title, "9  " + pane.strategy).x;
  const float wanted = title + px(most_parts * part_side + 2 * 13 + 4), least = px(open_width);
  return {std::min(std::clamp(wanted, least, std::max(room, least)), whole.width - px(8)),
          px(measured ? open_height : open_source_height)};
}

struct Place {
  Area room;  // within its margins
  float pane_pixels = 0;
};

// In a slanted slice an open card lies in another row than one line does, where one is high enough for it.
Place place_of(const Stats& stats, const Settings& settings, const UiLayout& layout, int index, bool open) {
  const auto room_for = [&](ImVec2 card) {
    const Area area = room_for_card(settings, layout, index, card);
    const float margin = margin_beside(area), above = margin_above(area);
    return Area{area.x + margin, area.y + above, area.width - 2 * margin, area.height - 2 * above};
  };
  Place place{room_for({px(244), px(40)}), pane_pixels(settings, layout, index)};
  if (!open) return place;
  const PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(index)];
  const ImVec2 least = open_size(stats, pane, picture_area(layout), 0);
  const float margins = 2 * px(widest_margin);
  const Area room = room_for({std::ceil(least.x) + margins, std::ceil(least.y) + margins});
  if (least.x <= room.width && least.y <= room.height) place.room = room;
  return place;
}

Place place_of(const Stats& stats, const Settings& settings, const UiLayout& layout, int index) {
  const bool open = settings.group().panes[static_cast<std::size_t>(index)].card.shape == CardShape::open;
  return place_of(stats, settings, layout, index, open);
}

Area placed(const CardSettings& card, const Area& room, ImVec2 size) {
  return {std::round(room.x + static_cast<float>(card.x) * std::max(room.width - size.x, 0.0f)),
          std::round(room.y + static_cast<float>(card.y) * std::max(room.height - size.y, 0.0f)), size.x, size.y};
}

// Where it covers nothing that had its place before; empty when there is no such place.
Area placed_free(const CardSettings& card, const Area& room, ImVec2 size) {
  const Area wish = placed(card, room, size);
  const std::vector<Area>& others = ui_state().before_cards;
  if (std::ranges::none_of(others, [&](const Area& other) { return overlap(other, wish); })) return wish;
  return place_beside(others, room, size, wish.from()).value_or(Area());
}

// Of a card that is kept open; empty where there is no room.
Area placed_open(const Stats& stats, const PaneSettings& pane, const Area& room, const Area& whole) {
  const ImVec2 size = open_size(stats, pane, whole, room.width);
  return size.x <= room.width && size.y <= room.height ? placed_free(pane.card, room, size) : Area();
}

// Of a card that is one line and lies where it began: wholly beside the picture or wholly on it, not across its edge.
Area off_the_edge(const CardSettings& kept, Area card, const Area& room, const UiLayout& layout, int index) {
  if (static_cast<std::size_t>(index) >= layout.pictures.size() || card.width <= 0) return card;
  const UiLayout::Pane& picture = layout.pictures[static_cast<std::size_t>(index)];
  const Area before = card;
  const float gap = px(4);
  if (kept.y == 0 && card.y < picture.y && card.y + card.height > picture.y) {
    const float above = picture.y - gap - card.height;
    card.y = std::round(above >= room.y - px(widest_margin - least_margin) ? above : picture.y + gap);
  }
  if (kept.x == 0 && card.x < picture.x && card.x + card.width > picture.x) card.x = std::round(picture.x + gap);
  const bool inside = card.x + card.width <= room.x + room.width && card.y + card.height <= room.y + room.height;
  const std::vector<Area>& others = ui_state().before_cards;
  const bool free = std::ranges::none_of(others, [&](const Area& other) { return overlap(other, card); });
  return inside && free ? card : before;
}

// A card that opens on hover may be larger than its pane.
void push_into(Area& card, const Area& whole) {
  card.x = std::max(std::min(card.x, whole.x + whole.width - card.width), whole.x);
  card.y = std::max(std::min(card.y, whole.y + whole.height - card.height), whole.y);
}

// What is being read keeps its place where the card has room above it and stays under the mouse.
void rise_above_messages(Area& card, const Area& whole) {
  const UiState& state = ui_state();
  const auto rise_above = [&](const Area& message) {
    const float y = std::floor(message.y - px(8) - card.height);
    if (overlap(message, card) && y >= whole.y && y + card.height > state.hovered_card.y) card.y = y;
  };
  for (const auto& [name, box] : state.kept_boxes) rise_above(box.area);
  for (const auto& [name, area] : state.told_places) rise_above(area);
}

void place_parts(CardParts& parts, const Settings& settings, const PaneSettings& pane, bool badge) {
  const float side = px(part_side);
  float x = parts.card.x + parts.card.width - px(7);
  const auto take = [&](Area& part, bool there) {
    if (there && x - side > parts.card.x + px(60)) part = {x -= side, parts.card.y + px(7), side, side};
  };
  const bool several = settings.group().panes.size() > 1;
  take(parts.close, several);
  take(parts.hide, true);
  take(parts.fold, true);
  take(parts.link, several && has_filter(settings) && pane.strategy != "source");
  take(parts.badge, badge);
}

}  // namespace

bool shows_cards(const Settings& settings) {
  const bool difference = shown_view(settings) == View::difference && settings.group().panes.size() > 1;
  return settings.show_overlay && !difference && flick_pane(settings) != flick_source;
}

CardParts card_parts(const Stats& stats, const Settings& settings, const UiLayout& layout, int index) {
  CardParts parts;
  const PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(index)];
  const Place place = place_of(stats, settings, layout, index);
  if (pane.card.shape == CardShape::hidden || place.room.width < 1 || place.room.height < 1) return parts;
  const Area whole = picture_area(layout);
  const ImVec2 size = open_size(stats, pane, whole, place.room.width);
  if (ui_state().hovered_card.open && ui_state().hovered_card.pane == pane.id) {
    parts.open = true;
    parts.card = placed(pane.card, place.room, size);
    push_into(parts.card, whole);
    rise_above_messages(parts.card, whole);
    const Area row = row_of_pane(settings, layout, index, parts.card.y, size.y);
    if (row.width >= size.x) {  // its slice has room for it, and the mouse stays on it
      parts.card.x = std::clamp(parts.card.x, row.x, row.x + row.width - size.x);
      const float mouse = ui_state().hovered_card.x;
      parts.card.x = std::clamp(parts.card.x, mouse - size.x + 1, mouse);
    }
  } else if (pane.card.shape == CardShape::open) {
    parts.card = placed_open(stats, pane, place.room, whole);
    parts.open = parts.card.width > 0;
  }
  if (!parts.open) {
    const CardLine& line = parts.line = card_line(stats, settings, index, place.room, place.pane_pixels);
    if (line.width > 0)
      parts.card = off_the_edge(pane.card, placed_free(pane.card, place.room, {line.width, line.height}), place.room,
                                layout, index);
    if (line.badge && parts.card.width > 0)
      parts.badge = {parts.card.x + line.width - line.height, parts.card.y, line.height, line.height};
    return parts;
  }
  place_parts(parts, settings, pane, check_badge(stats_of(stats, pane)) != CheckBadge::none);
  return parts;
}

int card_at(const Stats& stats, const Settings& settings, const UiLayout& layout, float x, float y) {
  if (!shows_cards(settings)) return -1;
  int found = -1;
  for (int i = 0; i < static_cast<int>(settings.group().panes.size()); ++i) {
    if (!card_parts(stats, settings, layout, i).card.contains(x, y)) continue;
    found = i;
    // It lies over the others.
    if (settings.group().panes[static_cast<std::size_t>(i)].id == ui_state().hovered_card.pane) return i;
  }
  return found;
}

void follow_card_hover(const Stats& stats, const Settings& settings, const UiLayout& layout, bool over_picture) {
  HoveredCard& hovered = ui_state().hovered_card;
  if (ui_state().drag.kind == PictureDrag::Kind::pane) return;  // it is being dragged
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int at = over_picture ? card_at(stats, settings, layout, mouse.x, mouse.y) : -1;
  if (at < 0) {
    hovered = {};
    return;
  }
  const int pane = settings.group().panes[static_cast<std::size_t>(at)].id;
  if (hovered.pane != pane) hovered = {pane, ImGui::GetTime(), false, mouse.x, mouse.y};
  if (!hovered.open) hovered.x = mouse.x, hovered.y = mouse.y;
  if (!ImGui::IsMouseDown(0) && ImGui::GetTime() - hovered.since >= seconds_to_open) hovered.open = true;
  if (!hovered.open) draw_again_in(hovered.since + seconds_to_open - ImGui::GetTime());
}

void place_card(const Stats& stats, Settings& settings, const UiLayout& layout, int index, float x, float y) {
  const Area card = card_parts(stats, settings, layout, index).card,
             room = place_of(stats, settings, layout, index).room;
  const auto share = [](float at, float free) {
    return free > 0 ? std::clamp(static_cast<double>(at / free), 0.0, 1.0) : 0.0;
  };
  CardSettings& kept = settings.group().panes[static_cast<std::size_t>(index)].card;
  kept.x = share(x - room.x, room.width - card.width);
  kept.y = share(y - room.y, room.height - card.height);
}

void shift_card(PaneSettings& pane, double x, double y) {
  pane.card.x = std::clamp(pane.card.x + x, 0.0, 1.0);
  pane.card.y = std::clamp(pane.card.y + y, 0.0, 1.0);
}

bool has_room_to_open(const Stats& stats, const Settings& settings, const UiLayout& layout, int index) {
  const Area room = place_of(stats, settings, layout, index, true).room;
  return placed_open(stats, settings.group().panes[static_cast<std::size_t>(index)], room, picture_area(layout)).width >
         0;
}

void next_card_shape(PaneSettings& pane) {
  constexpr int shapes = static_cast<int>(std::size(card_shapes));
  CardShape& shape = pane.card.shape;
  const auto step = [&] { shape = static_cast<CardShape>((static_cast<int>(shape) + 1) % shapes); };
  step();
  if (shape == CardShape::open && stays_one_line(pane)) step();
}

bool stays_one_line(const PaneSettings& pane) { return ui_state().cards_without_room.contains(pane.id); }

}  // namespace convoscope::ui
