#include "app/ui/stage/stage_places.h"

#include <cmath>
#include <vector>

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

}  // namespace

void clear_places() { taken().clear(); }

void take_place(const Area& area) {
  if (area.width > 0 && area.height > 0) taken().push_back(area);
}

bool is_free(const Area& area) { return !in_the_way(area); }

std::optional<Area> place_at_foot(const Area& room, ImVec2 size) {
  const float gap = px(8);
  Area wish{std::round(room.x + (room.width - size.x) / 2), std::floor(room.y + room.height - size.y), size.x, size.y};
  while (const Area* const other = in_the_way(wish)) {
    wish.y = std::floor(other->y - gap - size.y);
    if (wish.y < room.y) return {};
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

}  // namespace convoscope::ui
