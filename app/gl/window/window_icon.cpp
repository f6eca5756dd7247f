#include "app/gl/window/window_icon.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace convoscope {
namespace {

using IconColour = std::array<double, 3>;
constexpr IconColour screen{0.07, 0.09, 0.12}, graticule{0.20, 0.25, 0.31}, trace{1.0, 0.69, 0.18};
constexpr double corner = 0.2, bell_height = 0.6, bell_foot = 0.8, bell_sigma = 0.16, trace_width = 0.07;

double bell(double x) {
  return bell_foot - bell_height * std::exp(-(x - 0.5) * (x - 0.5) / (2 * bell_sigma * bell_sigma));
}

// Distance from the rounded square that fills 0…1; negative inside.
double outside_square(double x, double y) {
  const double dx = std::max(std::abs(x - 0.5) - 0.5 + corner, 0.0),
               dy = std::max(std::abs(y - 0.5) - 0.5 + corner, 0.0);
  return std::hypot(dx, dy) - corner;
}

double distance_from_bell(double x, double y) {
  double nearest = 1;
  for (double t = 0.08; t <= 0.92; t += 0.01) nearest = std::min(nearest, std::hypot(x - t, y - bell(t)));
  return nearest;
}

double coverage(double distance, double pixel) { return std::clamp(0.5 - distance / pixel, 0.0, 1.0); }

}  // namespace

std::vector<unsigned char> draw_window_icon(int size) {
  std::vector<unsigned char> pixels;
  pixels.reserve(static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * 4);
  const double pixel = 1.0 / size;
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const double x = (column + 0.5) * pixel, y = (row + 0.5) * pixel;
      const double from_line =
          std::min(std::abs(std::remainder(x - 0.5, 0.25)), std::abs(std::remainder(y - 0.5, 0.25)));
      const double line = coverage(from_line - 0.006, pixel) * 0.8,
                   curve = coverage(distance_from_bell(x, y) - trace_width / 2, pixel);
      for (std::size_t i = 0; i < 3; ++i) {
        const double ground = screen[i] + (graticule[i] - screen[i]) * line;
        pixels.push_back(static_cast<unsigned char>(std::lround(255 * (ground + (trace[i] - ground) * curve))));
      }
      pixels.push_back(static_cast<unsigned char>(std::lround(255 * coverage(outside_square(x, y), pixel))));
    }
  }
  return pixels;
}

}  // namespace convoscope
