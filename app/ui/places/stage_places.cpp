#include "app/ui/places/stage_places.h"

#include <algorithm>
#include <cmath>

#include "app/ui/parts/marks.h"
#include "app/ui/parts/theme.h"

namespace convoscope::ui {
namespace {

std::vector<Area>& taken() {
  static std::vector<Area> areas;
  return areas;
}

const Area* in_the_way(const Area& wish) {
  for (const Area& area : taken())
    if (overlap(area, wish)) return &area;
  return nullptr;
}

// Of something high, such as a histogram: what would lie in the middle of the pictures above it finds room beside it.
std::optional<Area> place_beside_high(const Area& room, const Area& wish) {
  const float high = px(110), gap = px(8);
  const Area* const other = in_the_way(wish);
  if (!other || other->height < high) return {};
  for (const float x : {std::ceil(other->x + other->width + gap), std::floor(other->x - gap - wish.width)}) {
    const Area beside{x, wish.y, wish.width, wish.height};
    if (x >= room.x && x + wish.width <= room.x + room.width && !in_the_way(beside)) return beside;
  }
  return {};
}

}  // namespace

void clear_places() { taken().clear(); }

void take_place(std::string_view id, const Area& area, bool over_others) {
  if (area.width <= 0 || area.height <= 0) return;
  taken().push_back(area);
  if (over_others)
    mark_area(id, area.from(), area.to());
  else
    mark_on_stage(id, area.from(), area.to());
}

void keep_free(const Area& area) {
  if (area.width > 0 && area.height > 0) taken().push_back(area);
}

void give_back(const Area& area) {
  const auto same = [&](const Area& o) {
    return o.x == area.x && o.y == area.y && o.width == area.width && o.height == area.height;
  };
  if (const auto found = std::ranges::find_if(taken(), same); found != taken().end()) taken().erase(found);
}

bool is_free(const Area& area) { return !in_the_way(area); }

std::optional<Area> place_at_foot(const Area& room, ImVec2 size) {
  const float gap = px(8);
  Area wish{std::round(room.x + (room.width - size.x) / 2), std::floor(room.y + room.height - size.y), size.x, size.y};
  while (const Area* const other = in_the_way(wish)) {
    if (wish.y < room.y) return {};
    if (const std::optional<Area> beside = place_beside_high(room, wish)) return beside;
    wish.y = std::floor(other->y - gap - size.y);
  }
  return wish.y < room.y ? std::nullopt : std::optional(wish);
}

std::optional<Area> place_at_top(const Area& room, ImVec2 size) {
  const float gap = px(8);
  Area wish{std::floor(room.x + room.width - size.x), std::ceil(room.y), size.x, size.y};
  while (const Area* const other = in_the_way(wish)) {
    wish.y = std::ceil(other->y + other->height + gap);
    if (wish.y + size.y > room.y + room.height) return {};
  }
  return wish.y + size.y > room.y + room.height ? std::nullopt : std::optional(wish);
}

std::optional<Area> place_near(const Area& room, ImVec2 size, ImVec2 wish, const std::vector<Area>& besides) {
  std::vector<Area> others = taken();
  others.insert(others.end(), besides.begin(), besides.end());
  return place_beside(others, room, size, wish);
}

const std::vector<Area>& places_taken() { return taken(); }

std::optional<Area> place_beside(const std::vector<Area>& others, const Area& room, ImVec2 size, ImVec2 wish) {
  const float gap = px(8), right = room.x + room.width - size.x, foot = room.y + room.height - size.y;
  if (right < room.x || foot < room.y) return {};
  // The nearest free place has each of its edges at the wish, at the room's edge or beside something.
  std::vector<float> across{std::round(std::clamp(wish.x, room.x, right)), room.x, right};
  std::vector<float> down{std::round(std::clamp(wish.y, room.y, foot)), room.y, foot};
  for (const Area& other : others) {
    across.push_back(std::floor(other.x - gap - size.x));
    across.push_back(std::ceil(other.x + other.width + gap));
    down.push_back(std::floor(other.y - gap - size.y));
    down.push_back(std::ceil(other.y + other.height + gap));
  }
  std::optional<Area> nearest;
  float least = 0;
  for (const float x : across)
    for (const float y : down) {
      if (x < room.x || y < room.y || x > right || y > foot) continue;
      const float away = std::hypot(x - wish.x, y - wish.y);
      const Area at{x, y, size.x, size.y};
      if ((nearest && away >= least) || std::ranges::any_of(others, [&](const Area& o) { return overlap(o, at); }))
        continue;
      nearest = at;
      least = away;
    }
  return nearest;
}

}  // namespace convoscope::ui
