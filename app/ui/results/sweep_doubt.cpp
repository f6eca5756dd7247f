#include "app/ui/results/sweep_doubt.h"

#include <algorithm>
#include <cmath>

#include "app/ui/actions/command_table.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "kernels/text/number_text.h"

namespace convoscope::ui {
namespace {

// Of the time by the clock that each core computed on average, in per cent.
double busy(const SweepPoint& point) { return 100 * point.cpu_ms / point.median_ms; }

template <class Act>
void for_points(const std::vector<SweepCurve>& curves, Act act) {
  for (const SweepCurve& curve : curves)
    for (const SweepPoint& point : curve.points) act(point);
}

std::string range_text(double low, double high) {
  const std::string first = std::to_string(std::lround(low)), last = std::to_string(std::lround(high));
  return first == last ? first : first + " to " + last;
}

}  // namespace

bool has_doubted(const std::vector<SweepCurve>& curves) { return !doubt_caption(curves).empty(); }

std::string doubt_caption(const std::vector<SweepCurve>& curves) {
  Doubt worst = Doubt::none;
  for_points(curves, [&](const SweepPoint& point) {
    if (point.doubt != Doubt::none && worst != Doubt::processor) worst = point.doubt;
  });
  return worst == Doubt::none ? "" : std::string("Points with ?: ") + why_doubtful(worst) + " ";
}

std::string samples_caption(const std::vector<SweepCurve>& curves) {
  int fewest = 0, most = 0;
  double idle = 0, busiest = 0;
  bool computed = false;
  for_points(curves, [&](const SweepPoint& point) {
    if (point.samples <= 0) return;
    fewest = fewest > 0 ? std::min(fewest, point.samples) : point.samples;
    most = std::max(most, point.samples);
    if (point.cpu_ms <= 0) return;
    idle = computed ? std::min(idle, busy(point)) : busy(point);
    busiest = std::max(busiest, busy(point));
    computed = true;
  });
  if (most == 0) return "";
  std::string text = range_text(fewest, most) + (most == 1 ? " sample" : " samples") + " a point";
  if (computed) text += "; each core computed for " + range_text(idle, busiest) + " % of the time";
  return text + ". ";
}

std::string samples_text(const SweepPoint& point) {
  std::string text;
  if (point.samples > 0) text += "\n" + counted(point.samples, "sample");
  if (point.samples > 0 && point.cpu_ms > 0)
    text += ", processor time " + format_milliseconds(point.cpu_ms) + " on each core";
  if (point.doubt != Doubt::none) text += std::string("\n") + why_doubtful(point.doubt);
  return text;
}

bool draw_doubted(ImDrawList& list, const SweepPoint& point, ImVec2 centre, ImU32 ink) {
  if (point.doubt == Doubt::none) return false;
  const float radius = px(7);
  list.AddCircleFilled(centre, radius, theme().panel);
  list.AddCircle(centre, radius, with_alpha(ink, 0.7f), 0, px(1.5f));
  const ImVec2 size = text_size(Font::small, "?");
  draw_text(list, Font::small, {std::round(centre.x - size.x / 2), std::round(centre.y - size.y / 2)}, ink, "?");
  return true;
}

}  // namespace convoscope::ui
