#include "app/measure/sweep/sweep_curves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "kernels/contract/sweep.h"
#include "kernels/contract/theory/model.h"

namespace convoscope {
namespace {

const SweepPoint* point_at(const SweepCurve& curve, int value) {
  const auto found = std::ranges::find(curve.points, value, &SweepPoint::at);
  return found == curve.points.end() ? nullptr : &*found;
}

bool spreads_overlap(const SweepPoint& a, const SweepPoint& b) { return a.p05_ms <= b.p95_ms && b.p05_ms <= a.p95_ms; }

const SweepCurve* fastest(const std::vector<SweepCurve>& curves, int value) {
  const SweepCurve* best = nullptr;
  for (const SweepCurve& curve : curves) {
    if (curve.strategy == "auto") continue;  // it is one of the others
    const SweepPoint* const point = point_at(curve, value);
    if (point && (!best || point->median_ms < point_at(*best, value)->median_ms)) best = &curve;
  }
  return best;
}

bool is_of(const SweepRow& row, const SweepView& view) {
  if (row.problem.kind != view.kind || groups_text(row.problem) != groups_text(view.like)) return false;
  std::size_t place = 0;
  return std::ranges::all_of(view.kind->parameters, [&](const SweepParameter& parameter) {
    const int value = view.values[place++];
    if (&parameter == view.along) return true;
    // Pictures as high as each other need not be as wide.
    return parameter.value(row.problem) == value &&
           (!parameter.say || parameter.say(row.problem) == parameter.say(view.like));
  });
}

bool has_several(const std::vector<SweepRow>& rows, const Kind& kind, const SweepParameter& parameter) {
  std::set<int> values;
  for (const SweepRow& row : rows)
    if (row.problem.kind == &kind) values.insert(parameter.value(row.problem));
  return values.size() > 1;
}

}  // namespace

std::string groups_text(const Problem& problem) {
  const Layer& layer = problem.layer;
  if (layer.groups <= 1) return {};
  return layer.groups == layer.channels ? "depthwise" : std::to_string(layer.groups) + " groups";
}

const SweepParameter& shown_axis(const std::vector<SweepRow>& rows, const Kind& kind, const SweepParameter& wanted) {
  if (has_several(rows, kind, wanted)) return wanted;
  const auto other = std::ranges::find_if(kind.parameters, [&](const SweepParameter& parameter) {
    return parameter.words.empty() && has_several(rows, kind, parameter);
  });
  return other == kind.parameters.end() ? wanted : *other;
}

std::vector<SweepView> sweep_views(const std::vector<SweepRow>& rows, const Kind& kind, const SweepParameter& along) {
  std::vector<SweepView> views;
  for (const SweepRow& row : rows)
    if (row.problem.kind == &kind &&
        std::ranges::none_of(views, [&](const SweepView& view) { return is_of(row, view); }))
      views.push_back({&kind, &along, row.problem, sweep_values(row.problem)});
  return views;
}

std::vector<SweepCurve> sweep_curves(const std::vector<SweepRow>& rows, const SweepView& view) {
  std::vector<SweepCurve> curves;
  for (const SweepRow& row : rows) {
    if (!row.verified || !(row.median_ms > 0) || !is_of(row, view)) continue;
    auto curve = std::ranges::find(curves, row.strategy, &SweepCurve::strategy);
    if (curve == curves.end()) curve = curves.insert(curve, {row.strategy, {}});
    const int value = view.along->value(row.problem);
    const auto place = std::ranges::lower_bound(curve->points, value, {}, &SweepPoint::at);
    const bool is_new = place == curve->points.end() || place->at != value;
    const bool worse = !is_new && std::pair(row.doubt != Doubt::none, row.median_ms) >=
                                      std::pair(place->doubt != Doubt::none, place->median_ms);
    if (worse) continue;
    SweepPoint point{value,
                     value_text(*view.along, row.problem),
                     row.median_ms,
                     row.p05_ms,
                     row.p95_ms,
                     row.copy_ms,
                     frame_bytes(row.problem),
                     row.runs,
                     row.samples,
                     row.cpu_ms,
                     row.doubt};
    if (is_new)
      curve->points.insert(place, std::move(point));
    else
      *place = std::move(point);
  }
  return curves;
}

std::vector<Crossing> crossings(const std::vector<SweepCurve>& curves) {
  std::set<int> values;
  for (const SweepCurve& curve : curves)
    for (const SweepPoint& point : curve.points) values.insert(point.at);
  std::vector<Crossing> found;
  for (auto upper = values.begin(), lower = upper; upper != values.end(); lower = upper++) {
    if (upper == lower || *lower < 1) continue;
    const SweepCurve *const a = fastest(curves, *lower), *const b = fastest(curves, *upper);
    if (!a || !b || a == b) continue;
    const SweepPoint *const a0 = point_at(*a, *lower), *const a1 = point_at(*a, *upper);
    const SweepPoint *const b0 = point_at(*b, *lower), *const b1 = point_at(*b, *upper);
    if (!a1 || !b0) continue;  // one of them is not there on both sides
    const auto doubted = [](const SweepPoint* point) { return point->doubt != Doubt::none; };
    if (doubted(a0) || doubted(a1) || doubted(b0) || doubted(b1)) continue;
    if (spreads_overlap(*a0, *b0) || spreads_overlap(*a1, *b1)) continue;  // neither is called faster
    const double gap0 = std::log(b0->median_ms / a0->median_ms), gap1 = std::log(a1->median_ms / b1->median_ms);
    const double part = gap0 + gap1 > 0 ? gap0 / (gap0 + gap1) : 0.5;
    found.push_back({a->strategy, b->strategy,
                     std::exp(std::log(*lower) + part * std::log(static_cast<double>(*upper) / *lower)),
                     std::exp(std::log(a0->median_ms) + part * std::log(a1->median_ms / a0->median_ms))});
  }
  return found;
}

CopyTimes settled_copies(const std::vector<SweepRow>& rows) {
  std::map<double, std::vector<double>> copies;
  for (const SweepRow& row : rows)
    if (row.verified && row.copy_ms > 0) copies[frame_bytes(row.problem)].push_back(row.copy_ms);
  CopyTimes settled;
  for (auto& [bytes, samples] : copies) {
    std::ranges::sort(samples);
    settled[bytes] = samples[samples.size() / 2];
  }
  return settled;
}

void settle_copies(std::vector<SweepCurve>& curves, const CopyTimes& copies) {
  for (SweepCurve& curve : curves)
    for (SweepPoint& point : curve.points)
      if (point.copy_ms > 0) point.copy_ms = copies.at(point.copied_bytes);
}

}  // namespace convoscope
