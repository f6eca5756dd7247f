#include "app/measure/sweep_curves.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace convoscope {
namespace {

const SweepRow* at_radius(const SweepCurve& curve, int radius) {
  const auto found = std::ranges::find(curve.points, radius, &SweepRow::radius);
  return found == curve.points.end() ? nullptr : &*found;
}

bool spreads_overlap(const SweepRow& a, const SweepRow& b) { return a.p05_ms <= b.p95_ms && b.p05_ms <= a.p95_ms; }

const SweepCurve* fastest(const std::vector<SweepCurve>& curves, int radius) {
  const SweepCurve* best = nullptr;
  for (const SweepCurve& curve : curves) {
    if (curve.strategy == "auto") continue;  // it is one of the others
    const SweepRow* const row = at_radius(curve, radius);
    if (row && (!best || row->median_ms < at_radius(*best, radius)->median_ms)) best = &curve;
  }
  return best;
}

}  // namespace

std::vector<SweepCurve> sweep_curves(const std::vector<SweepRow>& rows, PixelAddress size) {
  std::vector<SweepCurve> curves;
  for (const SweepRow& row : rows) {
    if (row.width != size.x || row.height != size.y || !row.verified || !(row.median_ms > 0)) continue;
    auto curve = std::ranges::find(curves, row.strategy, &SweepCurve::strategy);
    if (curve == curves.end()) curve = curves.insert(curve, {row.strategy, {}});
    const auto place = std::ranges::lower_bound(curve->points, row.radius, {}, &SweepRow::radius);
    if (place == curve->points.end() || place->radius != row.radius)
      curve->points.insert(place, row);
    else if (row.median_ms < place->median_ms)
      *place = row;
  }
  return curves;
}

std::vector<PixelAddress> sweep_sizes(const std::vector<SweepRow>& rows) {
  std::vector<PixelAddress> sizes;
  for (const SweepRow& row : rows) {
    const PixelAddress size{row.width, row.height};
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  }
  return sizes;
}

std::vector<Crossing> crossings(const std::vector<SweepCurve>& curves) {
  std::set<int> radii;
  for (const SweepCurve& curve : curves)
    for (const SweepRow& row : curve.points) radii.insert(row.radius);
  std::vector<Crossing> found;
  for (auto upper = radii.begin(), lower = upper; upper != radii.end(); lower = upper++) {
    if (upper == lower || *lower < 1) continue;
    const SweepCurve *const a = fastest(curves, *lower), *const b = fastest(curves, *upper);
    if (!a || !b || a == b) continue;
    const SweepRow *const a0 = at_radius(*a, *lower), *const a1 = at_radius(*a, *upper);
    const SweepRow *const b0 = at_radius(*b, *lower), *const b1 = at_radius(*b, *upper);
    if (!a1 || !b0) continue;                                              // one of them is not there on both sides
    if (spreads_overlap(*a0, *b0) || spreads_overlap(*a1, *b1)) continue;  // neither is called faster
    const double gap0 = std::log(b0->median_ms / a0->median_ms), gap1 = std::log(a1->median_ms / b1->median_ms);
    const double part = gap0 + gap1 > 0 ? gap0 / (gap0 + gap1) : 0.5;
    found.push_back({a->strategy, b->strategy,
                     std::exp(std::log(*lower) + part * std::log(static_cast<double>(*upper) / *lower)),
                     std::exp(std::log(a0->median_ms) + part * std::log(a1->median_ms / a0->median_ms))});
  }
  return found;
}

}  // namespace convoscope
