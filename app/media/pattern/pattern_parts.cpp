#include "app/media/pattern/pattern_parts.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <string>

#include "app/media/pattern/bitmap_font.h"

namespace convoscope {
namespace {

constexpr double turn = 2 * std::numbers::pi;
constexpr Pixel ink = rgb(24, 28, 38), paper = rgb(244, 239, 228), coral = rgb(240, 107, 84), teal = rgb(38, 176, 178),
                amber = rgb(248, 190, 74);

// One ring of the zone plate: from dark to light through teal and back through orange, so that the sign of a filter's
// response is seen as well as its size. The light end is tinted from corner to corner, which colours the mean that a
// strong blur leaves.
constexpr int ring_bits = 10, tints = 64;
using Ring = std::array<Pixel, 1 << ring_bits>;

std::array<Ring, tints> make_rings() {
  std::array<Ring, tints> rings;
  for (int tint = 0; tint < tints; ++tint) {
    const float u = 2 * (static_cast<float>(tint) + 0.5f) / tints;
    const Pixel middle = rgb(255, 246, 226);
    const Pixel bright = u < 1 ? mix(rgb(96, 226, 232), middle, u) : mix(middle, rgb(255, 158, 118), u - 1);
    for (std::size_t i = 0; i < Ring{}.size(); ++i) {
      const double t = turn * static_cast<double>(i) / static_cast<double>(Ring{}.size());
      const double light = 0.5 + 0.5 * std::cos(t), side = std::sin(t);
      const auto channel = [&](double dark, int shift, double swing) {
        const double value = dark + ((bright >> shift & 255) - dark) * light + swing * side;
        return std::clamp(static_cast<int>(std::lround(value)), 0, 255);
      };
      rings[static_cast<std::size_t>(tint)][i] = rgb(channel(12, 0, -78), channel(16, 8, 26), channel(36, 16, 60));
    }
  }
  return rings;
}

// Coverage of a pixel by a shape whose edge is `distance` pixels away (negative: inside).
float coverage(double distance) { return static_cast<float>(std::clamp(0.5 - distance, 0.0, 1.0)); }

// Paints a shape given by its signed distance in pixels from the point (x, y), within `reach` of (cx, cy).
template <class Distance>
void paint(const Canvas& canvas, double cx, double cy, double reach, Pixel colour, Distance distance) {
  const int left = std::max(0, static_cast<int>(cx - reach) - 1), top = std::max(0, static_cast<int>(cy - reach) - 1);
  const int right = std::min(canvas.width, static_cast<int>(cx + reach) + 2);
  const int bottom = std::min(canvas.height, static_cast<int>(cy + reach) + 2);
  for (int y = top; y < bottom; ++y)
    for (int x = left; x < right; ++x) {
      const float cover = coverage(distance(x + 0.5 - cx, y + 0.5 - cy));
      if (cover >= 1)
        canvas.row(y)[x] = colour;
      else if (cover > 0)
        canvas.row(y)[x] = mix(canvas.row(y)[x], colour, cover);
    }
}

void paint_disc(const Canvas& canvas, double cx, double cy, double radius, Pixel colour) {
  paint(canvas, cx, cy, radius + 1, colour, [=](double x, double y) { return std::hypot(x, y) - radius; });
}

// A square of half side `half`, turned by `angle` radians.
void paint_square(const Canvas& canvas, double cx, double cy, double half, double angle, Pixel colour) {
  const double c = std::cos(angle), s = std::sin(angle);
  paint(canvas, cx, cy, half * 1.5 + 1, colour,
        [=](double x, double y) { return std::max(std::abs(c * x + s * y), std::abs(c * y - s * x)) - half; });
}

// An equilateral triangle with inradius `r`.
void paint_triangle(const Canvas& canvas, double cx, double cy, double r, double angle, Pixel colour) {
  std::array<double, 3> nx, ny;
  for (std::size_t i = 0; i < 3; ++i) {
    nx[i] = std::cos(angle + turn * static_cast<double>(i) / 3);
    ny[i] = std::sin(angle + turn * static_cast<double>(i) / 3);
  }
  paint(canvas, cx, cy, 2 * r + 1, colour, [=](double x, double y) {
    return std::max({nx[0] * x + ny[0] * y, nx[1] * x + ny[1] * y, nx[2] * x + ny[2] * y}) - r;
  });
}

Pixel hue(double t) {  // 0…1 around the colour circle
  const auto channel = [&](double offset) {
    return static_cast<int>(std::lround(255 * std::clamp(std::abs(std::fmod(t + offset, 1.0) * 6 - 3) - 1, 0.0, 1.0)));
  };
  return rgb(channel(0), channel(2.0 / 3), channel(1.0 / 3));
}

}  // namespace

void draw_zone_plate(const Canvas& canvas, double phase) {
  static const std::array<Ring, tints> rings = make_rings();
  // Cycles at distance r are r²/(4R); in 48-bit fixed point, on a grid of half pixels so that the centre of an even
  // size is exact. Along a row the second difference is constant: two additions and a look-up make a pixel.
  const double radius = std::max(1.0, std::max(canvas.width, canvas.height) / 2.0);
  const auto k = static_cast<std::uint64_t>(std::ldexp(1.0, 48) / (16 * radius));
  const auto shift = static_cast<std::uint64_t>(std::llround(std::ldexp(phase - std::floor(phase), 48)));
  const auto square = [](std::int64_t v) { return static_cast<std::uint64_t>(v * v); };
  for (int y = 0; y < canvas.height; ++y) {
    const std::int64_t x2 = 1 - canvas.width, y2 = 2 * y + 1 - canvas.height;
    std::uint64_t value = k * (square(x2) + square(y2)) - shift;
    std::uint64_t step = k * static_cast<std::uint64_t>(4 * x2 + 4);
    Pixel* out = canvas.row(y);
    for (int x = 0; x < canvas.width;) {
      const int tint = static_cast<int>(
          (static_cast<std::int64_t>(x) * tints / canvas.width + static_cast<std::int64_t>(y) * tints / canvas.height) /
          2);
      const Ring& ring = rings[static_cast<std::size_t>(tint)];
      for (const int end = std::min(canvas.width, x + std::max(4, canvas.width / tints)); x < end; ++x) {
        out[x] = ring[value >> (48 - ring_bits) & (ring.size() - 1)];
        value += step;
        step += 8 * k;
      }
    }
  }
}

void draw_siemens_star(const Canvas& canvas) {
  constexpr int spokes = 36;
  const double cx = canvas.width / 2.0, cy = canvas.height / 2.0, radius = 0.46 * std::min(canvas.width, canvas.height);
  canvas.fill(paper);
  paint(canvas, cx, cy, radius + 1, ink, [=](double x, double y) {
    const double r = std::hypot(x, y), angle = std::atan2(y, x) * spokes / turn;
    const double from_centre = std::abs(angle - std::floor(angle) - 0.5);  // of the spoke, 0…0.5
    return std::max((from_centre - 0.25) * turn / spokes * r, r - radius);
  });
  paint_disc(canvas, cx, cy, radius * 0.05, coral);
}

void draw_slanted_edges(const Canvas& canvas) {
  constexpr double tilt = 5 * turn / 360;
  const int half = canvas.width / 2;
  const double size = 0.29 * std::min(half, canvas.height), cy = canvas.height / 2.0;
  canvas.part(0, 0, half, canvas.height).fill(grey(226));
  canvas.part(half, 0, canvas.width - half, canvas.height).fill(grey(34));
  paint_square(canvas, half / 2.0, cy, size, tilt, grey(34));
  paint_square(canvas, half / 2.0, cy, size * 0.45, -tilt, coral);
  paint_square(canvas, half + (canvas.width - half) / 2.0, cy, size, -tilt, grey(226));
  paint_square(canvas, half + (canvas.width - half) / 2.0, cy, size * 0.45, tilt, teal);
}

void draw_gradients(const Canvas& canvas) {
  constexpr int bars = 6;
  canvas.fill(ink);
  for (int bar = 0; bar < bars; ++bar) {
    const int top = canvas.height * bar / bars, bottom = canvas.height * (bar + 1) / bars;
    const Canvas strip = canvas.part(0, top, canvas.width, bottom - top);
    for (int x = 0; x < strip.width; ++x) {
      const double t = strip.width > 1 ? static_cast<double>(x) / (strip.width - 1) : 0;
      const int level = static_cast<int>(std::lround(255 * t));
      const int stepped = std::min(10, static_cast<int>(t * 11)) * 255 / 10;
      const Pixel colours[bars] = {grey(level),
                                   grey(stepped),
                                   hue(t),
                                   mix(ink, coral, static_cast<float>(t)),
                                   mix(amber, teal, static_cast<float>(t)),
                                   grey(112 + static_cast<int>(std::lround(32 * t)))};
      for (int y = 0; y < strip.height; ++y) strip.row(y)[x] = colours[bar];
    }
  }
}

void draw_text(const Canvas& canvas) {
  static constexpr std::string_view lines[] = {
      "The quick brown fox jumps over the lazy dog.", "Sphinx of black quartz, judge my vow: 0123456789",
      "CONVOLUTION = shift, multiply, add (again!)", "y(i) = f(-r)*x(i-r) + ... + f(r)*x(i+r)"};
  canvas.fill(paper);
  const int unit = std::max(1, canvas.width / 264), margin = 8 * unit;
  const int counter_top = canvas.height - (line_advance * 2 + 4) * unit;
  int y = margin;
  for (int line = 0; y < counter_top; ++line) {
    const int scale = unit * (line % 6 < 4 ? 1 : line % 6 == 4 ? 2 : 3);
    if (y + 8 * scale > counter_top) break;
    const std::string_view text = line % 6 == 4 ? "Convoscope 2x" : line % 6 == 5 ? "Big 3x" : lines[line % 6 % 4];
    const Pixel colour = line % 6 == 5 ? coral : ink;
    const Canvas column = canvas.part(0, 0, canvas.width - margin, canvas.height);
    for (int x = margin; x < column.width; x += static_cast<int>(text.size() + 3) * glyph_advance * scale)
      draw_text_line(column, x, y, scale, colour, text);
    y += line_advance * scale + unit;
  }
}

void draw_counter(const Canvas& canvas, std::int64_t number, double seconds) {
  const int unit = std::max(1, canvas.width / 264), height = (line_advance * 2 + 4) * unit;
  const Canvas strip = canvas.part(0, std::max(0, canvas.height - height), canvas.width, height);
  strip.fill(ink);
  char text[64];
  std::snprintf(text, sizeof text, "#%06lld", static_cast<long long>(number) + 1);  // people count from 1
  const int large = (static_cast<int>(std::strlen(text)) * glyph_advance * 2 + 10) * unit;
  const int scale = strip.width >= large ? 2 * unit : unit;
  draw_text_line(strip, 4 * scale, 5 * unit, scale, amber, text);
  if (strip.width < 19 * glyph_advance * 2 * unit) return;
  std::snprintf(text, sizeof text, "%06.3f s", seconds);
  draw_text_line(strip, strip.width - (8 * glyph_advance * 2 + 6) * unit, 5 * unit, 2 * unit, paper, text);
}

void draw_noise(const Canvas& canvas, std::int64_t number) {
  // A hash of (frame, row, column) rather than a running generator: any row of any frame can be drawn alone. 32-bit
  // steps, so that the compiler vectorises the row.
  const auto frame = static_cast<std::uint32_t>(number) * 0x9e3779b9u;
  for (int y = 0; y < canvas.height; ++y) {
    const std::uint32_t seed = (frame ^ static_cast<std::uint32_t>(y) * 0x85ebca6bu) + 0x27d4eb2fu;
    Pixel* out = canvas.row(y);
    for (int x = 0; x < canvas.width; ++x) {
      std::uint32_t h = seed ^ static_cast<std::uint32_t>(x) * 0xc2b2ae35u;
      h ^= h >> 15;
      h *= 0x2c1b3c6du;
      h ^= h >> 12;
      h *= 0x297a2d39u;
      h ^= h >> 15;
      // Left half grey, right half in colour: three bytes of the hash, or one of them three times.
      out[x] = (2 * x < canvas.width ? (h & 255) * 0x010101u : h) | 0xff000000u;
    }
  }
}

void draw_motion_ground(const Canvas& canvas) {
  canvas.fill(rgb(30, 36, 58));
  const int grid = std::max(4, std::min(canvas.width, canvas.height) / 8);
  for (int y = grid / 2; y < canvas.height; y += grid)
    canvas.part(0, y, canvas.width, std::max(1, grid / 32)).fill(rgb(52, 60, 90));
  for (int x = grid / 2; x < canvas.width; x += grid)
    canvas.part(x, 0, std::max(1, grid / 32), canvas.height).fill(rgb(52, 60, 90));
}

void draw_motion(const Canvas& canvas, double phase) {
  const double w = canvas.width, h = canvas.height, unit = std::min(w, h);
  const auto wave = [phase](int cycles, double offset) { return std::sin(turn * (cycles * phase + offset)); };
  paint_disc(canvas, w * (0.5 + 0.30 * wave(3, 0.1)), h * (0.5 + 0.30 * wave(4, 0.3)), unit * 0.17, coral);
  paint_square(canvas, w * (0.5 + 0.32 * wave(2, 0.6)), h * (0.5 + 0.30 * wave(5, 0.0)), unit * 0.11, turn * 5 * phase,
               paper);
  paint_triangle(canvas, w * (0.5 + 0.30 * wave(5, 0.45)), h * (0.5 + 0.32 * wave(3, 0.7)), unit * 0.08,
                 -turn * 4 * phase, teal);
  paint_disc(canvas, w * (0.5 + 0.42 * wave(11, 0.25)), h * (0.5 + 0.42 * wave(13, 0.0)), unit * 0.035, amber);
}

}  // namespace convoscope
