#pragma once
// Feature maps side by side as one picture: which pixel shows which place of which map.
#include "kernels/contract/data/border.h"

namespace convoscope {

// How maps lie in a picture: as many columns as rows, so that each keeps its proportions, those that are there in the
// middle; or one alone. Each map is stretched over its cell.
struct Wall {
  int maps = 1, map_width = 1, map_height = 1;
  int width = 1, height = 1;  // of the picture
  int alone = -1;             // the one map that is shown; −1: all
  bool frames = false;        // no maps, but two pictures: what goes in, and what comes out

  CONVOSCOPE_HOST_DEVICE constexpr int columns() const {
    int side = 1;
    while (alone < 0 && side * side < maps) ++side;
    return side;
  }
  CONVOSCOPE_HOST_DEVICE constexpr int rows() const {
    return alone < 0 ? (maps + columns() - 1) / columns() : 1;  // in use
  }
  CONVOSCOPE_HOST_DEVICE constexpr int cell_width() const { return width / columns() > 0 ? width / columns() : 1; }
  CONVOSCOPE_HOST_DEVICE constexpr int cell_height() const { return height / columns() > 0 ? height / columns() : 1; }
  CONVOSCOPE_HOST_DEVICE constexpr int top() const { return (columns() - rows()) * cell_height() / 2; }
  // Between neighbours, of a cell's width and height.
  CONVOSCOPE_HOST_DEVICE constexpr int gap() const { return alone < 0 && cell_width() >= 16 && cell_height() >= 16; }
};

// Where on a wall a pixel of the picture is.
struct MapPlace {
  int map = -1;          // −1: beside the maps
  int x = 0, y = 0;      // in the map
  int left = 0, up = 0;  // of its cell, in the picture
};

CONVOSCOPE_HOST_DEVICE constexpr MapPlace place_on_wall(const Wall& wall, int x, int y) {
  const int row = y - wall.top() < 0 ? -1 : (y - wall.top()) / wall.cell_height(), column = x / wall.cell_width();
  if (row < 0 || row >= wall.rows() || column >= wall.columns()) return {};
  const int map = wall.alone < 0 ? row * wall.columns() + column : wall.alone;
  const int left = column * wall.cell_width(), up = wall.top() + row * wall.cell_height();
  const int width = wall.cell_width() - wall.gap(), height = wall.cell_height() - wall.gap();
  if (map >= wall.maps || x - left >= width || y - up >= height) return {};
  return {map, (x - left) * wall.map_width / width, (y - up) * wall.map_height / height, left, up};
}

// Whether a pixel lies in a cell that no map is left for; around the cells there is none.
CONVOSCOPE_HOST_DEVICE constexpr bool is_in_empty_cell(const Wall& wall, int x, int y) {
  const int row = y - wall.top() < 0 ? -1 : (y - wall.top()) / wall.cell_height(), column = x / wall.cell_width();
  return wall.alone < 0 && row >= 0 && row < wall.rows() && column < wall.columns() &&
         row * wall.columns() + column >= wall.maps;
}

// The other way: a pixel of the picture that shows this place, of several the last one, of none the one whose place is
// the next before it.
struct WallPixel {
  int x = 0, y = 0;
};
CONVOSCOPE_HOST_DEVICE constexpr WallPixel pixel_on_wall(const Wall& wall, int map, int x, int y) {
  const int cell = wall.alone < 0 ? map : 0;
  const int width = wall.cell_width() - wall.gap(), height = wall.cell_height() - wall.gap();
  return {cell % wall.columns() * wall.cell_width() + ((x + 1) * width - 1) / wall.map_width,
          wall.top() + cell / wall.columns() * wall.cell_height() + ((y + 1) * height - 1) / wall.map_height};
}

}  // namespace convoscope
