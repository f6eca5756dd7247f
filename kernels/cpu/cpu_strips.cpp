#include "kernels/cpu/cpu_strips.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace convoscope::cpu {
namespace {

void load_pixels(const Image& in, int y, int x, int count, float* line) {
  if (in.format == PixelFormat::gray32f)
    std::memcpy(line, row_of<const float>(in, y) + x, count * sizeof(float));
  else
    rows::widen(row_of<const std::uint8_t>(in, y) + 4 * static_cast<std::ptrdiff_t>(x), line, 4 * count);
}

void load_pixels(const Image& in, int y, int x, int count, std::uint8_t* line) {
  std::memcpy(line, row_of<const std::uint8_t>(in, y) + 4 * static_cast<std::ptrdiff_t>(x), 4 * count);
}

template <class T>
void load_with_border(const Image& in, int y, int x0, int x1, Border border, int numbers, T* line) {
  const int sy = border_index(y, in.height, border);
  if (sy < 0) {
    std::fill_n(line, (x1 - x0) * numbers, T());
    return;
  }
  const auto ghost = [&](int x) {
    const int sx = border_index(x, in.width, border);
    T* pixel = line + static_cast<std::ptrdiff_t>(x - x0) * numbers;
    if (sx < 0)
      std::fill_n(pixel, numbers, T());
    else
      load_pixels(in, sy, sx, 1, pixel);
  };
  const int inside0 = std::clamp(x0, 0, in.width), inside1 = std::clamp(x1, inside0, in.width);
  for (int x = x0; x < std::min(inside0, x1); ++x) ghost(x);
  if (inside1 > inside0)
    load_pixels(in, sy, inside0, inside1 - inside0, line + static_cast<std::ptrdiff_t>(inside0 - x0) * numbers);
  for (int x = std::max(inside1, x0); x < x1; ++x) ghost(x);
}

}  // namespace

int worker_count(const Tuned& tuning) {
  const int threads = tuning["threads"];
  return threads == 0 ? core_count() : std::min(threads, core_count());
}

int strip_width_of(const Problem& problem, const Tuned& tuning) {
  return std::min(tuning["strip_width"], problem.width);
}

// A band loads 2·ry rows more than it makes, so bands are only as many as it takes to give each worker a few strips,
// and never lower than their halo.
StripGrid::StripGrid(const Problem& problem, int strip_width, int workers)
    : width_(problem.width), height_(problem.height), strip_width_(strip_width) {
  constexpr int strips_per_worker = 4;
  columns_ = (width_ + strip_width_ - 1) / strip_width_;
  const int wanted = workers == 1 ? 1 : (strips_per_worker * workers + columns_ - 1) / columns_;
  const int lowest = std::max({2 * problem.filter.ry(), rows::most_outputs, 8});
  band_height_ = std::max((height_ + wanted - 1) / wanted, lowest);
  band_height_ = (band_height_ + rows::most_outputs - 1) / rows::most_outputs * rows::most_outputs;
  bands_ = (height_ + band_height_ - 1) / band_height_;
}

Strip StripGrid::at(int index) const {
  const int x0 = index % columns_ * strip_width_, y0 = index / columns_ * band_height_;
  return {x0, std::min(x0 + strip_width_, width_), y0, std::min(y0 + band_height_, height_)};
}

Explanation explain_strip(const Problem& problem, const Tuned& tuning, int x, int y, const std::string& how) {
  const int workers = worker_count(tuning);
  const StripGrid grid(problem, strip_width_of(problem, tuning), workers);
  for (int i = 0; i < grid.count(); ++i) {
    const Strip strip = grid.at(i);
    if (x < strip.x0 || x >= strip.x1 || y < strip.y0 || y >= strip.y1) continue;
    return {.steps = {},
            .words = "Strip " + std::to_string(i + 1) + " of " + std::to_string(grid.count()) + ": columns " +
                     std::to_string(strip.x0) + " to " + std::to_string(strip.x1 - 1) + " of rows " +
                     std::to_string(strip.y0) + " to " + std::to_string(strip.y1 - 1) + ". " +
                     (workers == 1 ? std::string("One thread takes the strips one after another")
                                   : std::to_string(workers) + " threads take the strips as they become free") +
                     ", each strip from its first row down. " + how,
            .strip = PixelArea{strip.x0, strip.y0, strip.width(), strip.y1 - strip.y0}};
  }
  return {};
}

void load_line(const Image& in, int y, int x0, int x1, Border border, float* line) {
  load_with_border(in, y, x0, x1, border, floats_per_pixel(in.format), line);
}

void load_line(const Image& in, int y, int x0, int x1, Border border, std::uint8_t* line) {
  load_with_border(in, y, x0, x1, border, 4, line);
}

void store_line(const float* sums, const float* sums_y, const Filter& filter, const Image& in, const Image& out, int y,
                const Strip& strip) {
  const rows::Epilogue epilogue{filter.gain, filter.bias * white_level(out.format), filter.absolute};
  if (out.format == PixelFormat::gray32f) {
    rows::finish(sums, sums_y, epilogue, row_of<float>(out, y) + strip.x0, strip.width());
    return;
  }
  const std::ptrdiff_t first = 4 * static_cast<std::ptrdiff_t>(strip.x0);
  rows::finish(sums, sums_y, epilogue, row_of<const std::uint8_t>(in, y) + first, row_of<std::uint8_t>(out, y) + first,
               4 * strip.width());
}

}  // namespace convoscope::cpu
