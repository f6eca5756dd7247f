#include "app/ui/stage/inspection_place.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "app/ui/cards/cards.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/theme.h"
#include "app/ui/places/on_screen.h"
#include "app/ui/places/stage_places.h"

namespace convoscope::ui {
namespace {

// Of the panes of a grid, what is seen.
std::vector<Area> pictures_in_grid(const Settings& settings, const UiLayout& layout) {
  std::vector<Area> pictures;
  const std::size_t count = std::min(settings.group().panes.size(), layout.pictures.size());
  if (shown_view(settings) != View::grid) return pictures;
  for (std::size_t i = 0; i < count; ++i) {
    const Area pane = pane_area(settings, layout, static_cast<int>(i));
    const UiLayout::Pane& picture = layout.pictures[i];
    const float x = std::max(pane.x, picture.x), y = std::max(pane.y, picture.y);
    pictures.push_back({x, y, std::min(pane.x + pane.width, picture.x + picture.width) - x,
                        std::min(pane.y + pane.height, picture.y + picture.height) - y});
  }
  return pictures;
}

// What the card keeps off.
struct Obstacles {
  std::vector<Area> always;  // the pixel, and the card that the mouse has opened, which gives way to nothing
  std::vector<Area> notices, cards, other_marks;

  // Of what gives way, `kept` first: 2 the notices and the cards, 1 the cards, 0 nothing.
  std::vector<Area> all(int kept, bool with_marks) const {
    std::vector<Area> together = always;
    const auto add = [&](bool wanted, const std::vector<Area>& some) {
      if (wanted) together.insert(together.end(), some.begin(), some.end());
    };
    add(kept > 1, notices);
    add(kept > 0, cards);
    add(with_marks, other_marks);
    return together;
  }
};

Obstacles obstacles(int looked_at, const Stats& stats, const Settings& settings, const UiLayout& layout) {
  Obstacles found;
  const float line = px(2);  // of the reticle, which is drawn on its edge
  for (int i = 0; i < static_cast<int>(layout.pictures.size()); ++i) {
    const Area mark = reticle(layout, stats, i);
    (i == looked_at ? found.always : found.other_marks)
        .push_back({mark.x - line, mark.y - line, mark.width + 2 * line, mark.height + 2 * line});
  }
  found.notices = ui_state().notice_places;
  if (!shows_cards(settings)) return found;
  const HoveredCard& hovered = ui_state().hovered_card;
  for (int i = 0; i < static_cast<int>(settings.group().panes.size()); ++i) {
    const bool opened = hovered.open && hovered.pane == settings.group().panes[static_cast<std::size_t>(i)].id;
    (opened ? found.always : found.cards).push_back(card_parts(stats, settings, layout, i).card);
  }
  return found;
}

}  // namespace

Area reticle(const UiLayout& layout, const Stats& stats, int pane) {
  const Area pixel = on_screen(layout, stats, pane, {stats.inspect.pixel->x, stats.inspect.pixel->y, 1, 1});
  const float reach = std::max(pixel.width / 2, px(5));
  return {pixel.x + pixel.width / 2 - reach, pixel.y + pixel.height / 2 - reach, 2 * reach, 2 * reach};
}

Area place_for_inspection(ImVec2 size, const Stats& stats, const Settings& settings, const UiLayout& layout) {
  const int index = std::max(stats.inspect.pane, 0);
  const PixelAddress at = *stats.inspect.pixel;
  const Area pixel = on_screen(layout, stats, index, {at.x, at.y, 1, 1}), stage = picture_area(layout);
  const Obstacles obstacle = obstacles(index, stats, settings, layout);
  const auto wish_in = [&](const Area& room) {
    const float away = px(22);
    ImVec2 wish{pixel.x + pixel.width + away, pixel.y + pixel.height + away};
    if (wish.x + size.x > room.x + room.width) wish.x = pixel.x - away - size.x;
    if (wish.y + size.y > room.y + room.height) wish.y = pixel.y - away - size.y;
    return wish;
  };
  const auto place_in = [&](const Area& room, bool with_marks) -> std::optional<Area> {
    for (const int kept : {2, 1, 0})
      if (const auto place = place_near(room, size, wish_in(room), obstacle.all(kept, with_marks))) return place;
    return {};
  };
  if (const std::optional<Area> place = place_in(pane_area(settings, layout, index), false)) return *place;
  const std::vector<Area> pictures = pictures_in_grid(settings, layout);
  for (const bool with_marks : {true, false})
    for (std::size_t next = 1; next < pictures.size(); ++next) {
      std::vector<Area> others = obstacle.all(2, with_marks);
      for (std::size_t i = 0; i < pictures.size(); ++i)
        if (i != (static_cast<std::size_t>(index) + next) % pictures.size()) others.push_back(pictures[i]);
      if (const std::optional<Area> place = place_near(stage, size, wish_in(stage), others)) return *place;
    }
  for (const bool with_marks : {true, false})
    if (const std::optional<Area> place = place_in(stage, with_marks)) return *place;
  return {};
}

}  // namespace convoscope::ui
