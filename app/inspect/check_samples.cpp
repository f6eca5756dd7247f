#include "app/inspect/check_samples.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/contract/theory/model.h"

namespace convoscope {
namespace {

constexpr std::size_t most_planes = 16;  // at a time

// Copied for each output of a plane, when all of that plane is.
double elements_of(const Problem& p, const PlaneArea& plane, const std::vector<PlaneArea>& sources) {
  const std::vector<Shape> inputs = p.kind->inputs(p);
  double elements = 0;
  for (const PlaneArea& source : sources) {
    const Shape& shape = inputs[static_cast<std::size_t>(source.tensor)];
    const PixelArea within = clipped(source.area, shape.width(), shape.height());
    elements += static_cast<double>(within.width) * within.height;
  }
  return 1 + elements / (static_cast<double>(plane.area.width) * plane.area.height);
}

}  // namespace

std::vector<PlaneArea> check_samples(const Problem& p, unsigned seed, double products) {
  const Shape out = p.kind->outputs(p)[0];
  const auto planes = static_cast<std::size_t>(out.planes());
  const PlaneArea plane{0, 0, {0, 0, out.width(), out.height()}};
  const std::vector<PlaneArea> sources = p.kind->sources(p, plane);
  if (sources.empty()) return {};
  const double work = filter_flop(p) / 2 / outputs(p);  // of an output
  const double pixels =
      std::min(std::max(products / work, 64.0), most_checked_elements / elements_of(p, plane, sources));
  const double of_plane = static_cast<double>(out.width()) * out.height();
  std::vector<PlaneArea> parts;
  if (of_plane <= pixels) {
    const std::size_t count = std::min({planes, static_cast<std::size_t>(pixels / of_plane), most_planes});
    for (std::size_t i = 0; i < count; ++i) {
      parts.push_back(plane);
      parts.back().plane = static_cast<int>((seed * count + i) % planes);
    }
    return parts;
  }

  constexpr int places = 12, widest = 48;
  const int side = std::clamp(static_cast<int>(std::sqrt(pixels / 2 / places)), 2, widest);
  const int width = std::min(side, out.width()), height = std::min(side, out.height());
  const int right = out.width() - width, bottom = out.height() - height;
  std::minstd_rand random(seed * 2654435761u + 1u);
  const auto within = [&](int last) { return static_cast<int>((random() >> 3) % static_cast<unsigned>(last + 1)); };
  std::vector<PixelArea> areas;
  for (const int x : {0, right})
    for (const int y : {0, bottom}) areas.push_back({x, y, width, height});
  for (const int y : {0, bottom}) areas.push_back({within(right), y, width, height});
  for (const int x : {0, right}) areas.push_back({x, within(bottom), width, height});
  while (areas.size() < places) areas.push_back({within(right), within(bottom), width, height});

  double left = pixels - static_cast<double>(areas.size()) * width * height;
  while (left >= out.width() + out.height()) {
    areas.push_back({0, within(out.height() - 1), out.width(), 1});
    areas.push_back({within(out.width() - 1), 0, 1, out.height()});
    left -= out.width() + out.height();
    if (areas.size() >= places + 4) break;
  }
  for (std::size_t i = 0; i < areas.size(); ++i) parts.push_back({0, static_cast<int>((seed + i) % planes), areas[i]});
  return parts;
}

}  // namespace convoscope
