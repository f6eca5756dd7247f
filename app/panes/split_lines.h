#pragma once
// View::split as geometry: where the parallel lines lie, that part the picture as it fits into an area; what is beside
// it belongs to the first slice and the last. Arithmetic only, for whoever draws or drags them. y runs down.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/state/settings.h"

namespace convoscope {

// The lines' unit normal, and the range of normal · point over the fitted picture's corners.
struct SplitAxis {
  double x = 1, y = 0, low = 0, high = 0;
  double along(double px, double py) const { return x * px + y * py; }
  double at(double position) const { return low + position * (high - low); }  // 0…1 to normal · point
  double position(double distance) const { return high > low ? (distance - low) / (high - low) : 0; }
};

inline SplitAxis split_axis(double angle, double left, double top, double width, double height) {
  const double radians = angle * std::numbers::pi / 180;
  SplitAxis axis{std::cos(radians), std::sin(radians), 0, 0};
  // Exactly upright or level where that is meant, so that lines fall between pixels.
  if (std::abs(axis.x) < 1e-9) axis.x = 0;
  if (std::abs(axis.y) < 1e-9) axis.y = 0;
  const double corner = axis.along(left, top);
  axis.low = corner + std::min(axis.x * width, 0.0) + std::min(axis.y * height, 0.0);
  axis.high = corner + std::max(axis.x * width, 0.0) + std::max(axis.y * height, 0.0);
  return axis;
}

// The k-th of the cuts that part `panes` slices, 0…1; far beyond before the first pane and after the last.
inline double split_cut(const SplitSettings& split, int k, int panes) {
  constexpr double beyond = 1e4;
  if (k <= 0) return -beyond;
  if (k >= panes) return beyond;
  if (static_cast<int>(split.lines.size()) != panes - 1) return static_cast<double>(k) / panes;
  double at = 0;  // also of lines that are out of order
  for (int i = 0; i < k; ++i) at = std::max(at, std::clamp(split.lines[static_cast<std::size_t>(i)], 0.0, 1.0));
  return at;
}

struct SplitPoint {
  double x = 0, y = 0;
};

// A convex polygon; a rectangle cut twice has six corners at most.
struct SplitPolygon {
  std::array<SplitPoint, 8> corners;
  std::size_t count = 0;
  void add(SplitPoint p) {
    if (count < corners.size()) corners[count++] = p;
  }
};

// The part of the area with low ≤ normal · point ≤ high; without corners when nothing is left.
inline SplitPolygon slice_polygon(const SplitAxis& axis, double low, double high, double left, double top, double width,
                                  double height) {
  SplitPolygon polygon{{{{left, top}, {left + width, top}, {left + width, top + height}, {left, top + height}}}, 4};
  const auto clip = [&](double sign, double limit) {
    SplitPolygon kept;
    for (std::size_t i = 0; i < polygon.count; ++i) {
      const SplitPoint a = polygon.corners[i], b = polygon.corners[(i + 1) % polygon.count];
      const double inside_a = limit - sign * axis.along(a.x, a.y), inside_b = limit - sign * axis.along(b.x, b.y);
      if (inside_a >= 0) kept.add(a);
      if ((inside_a > 0 && inside_b < 0) || (inside_a < 0 && inside_b > 0)) {
        const double t = inside_a / (inside_a - inside_b);
        kept.add({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
      }
    }
    polygon = kept;
  };
  clip(1, high);
  clip(-1, -low);
  return polygon;
}

}  // namespace convoscope
