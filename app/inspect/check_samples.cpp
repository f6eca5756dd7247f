#include "app/inspect/check_samples.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/check/reference_part.h"

namespace convoscope {

namespace {

// Output and input of the whole image together fit PaneChecker's copies.
constexpr double most_checked_pixels = 1e6;

}  // namespace

std::vector<PixelArea> check_samples(const Problem& p, unsigned seed, double products) {
  const double sets = p.filter.is_magnitude() ? 2 : 1;
  const double work = static_cast<double>(p.filter.weights.size()) * channels(p.format) * sets;  // of a pixel
  const double pixels = std::clamp(products / work, 64.0, most_checked_pixels);
  if (static_cast<double>(p.width) * p.height <= pixels) return {{0, 0, p.width, p.height}};

  constexpr int places = 12, widest = 48;
  const int side = std::clamp(static_cast<int>(std::sqrt(pixels / 2 / places)), 2, widest);
  const int width = std::min(side, p.width), height = std::min(side, p.height);
  const int right = p.width - width, bottom = p.height - height;
  std::minstd_rand random(seed * 2654435761u + 1u);
  const auto within = [&](int last) { return static_cast<int>((random() >> 3) % static_cast<unsigned>(last + 1)); };
  std::vector<PixelArea> areas;
  for (const int x : {0, right})
    for (const int y : {0, bottom}) areas.push_back({x, y, width, height});
  for (const int y : {0, bottom}) areas.push_back({within(right), y, width, height});
  for (const int x : {0, right}) areas.push_back({x, within(bottom), width, height});
  while (areas.size() < places) areas.push_back({within(right), within(bottom), width, height});

  double left = pixels - static_cast<double>(areas.size()) * width * height;
  while (left >= p.width + p.height) {
    areas.push_back({0, within(p.height - 1), p.width, 1});
    areas.push_back({within(p.width - 1), 0, 1, p.height});
    left -= p.width + p.height;
    if (areas.size() >= places + 4) break;
  }
  return areas;
}

Difference compare_part(const Problem& problem, const Image& in, const Image& out) {
  const int rx = problem.filter.rx(), ry = problem.filter.ry();
  Image centre = in;  // carries the alphas
  centre.data = static_cast<std::byte*>(in.data) + static_cast<std::size_t>(ry) * in.pitch +
                static_cast<std::size_t>(rx) * bytes_per_pixel(in.format);
  centre.width = out.width;
  centre.height = out.height;
  return compare(problem, reference(problem, in, {rx, ry, out.width, out.height}), centre, out);
}

}  // namespace convoscope
