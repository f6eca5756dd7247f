// The device's measured roof, and under it each pane: what the model says it computes and moves, in the time it took.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/layout.h"
#include "app/ui/results/timing_results.h"

namespace convoscope::ui {
namespace {

struct LogAxes {
  ImVec2 from, to;        // on screen
  double x0, x1, y0, y1;  // FLOP per byte, FLOP per second
  float x(double value) const { return place(value, x0, x1, from.x, to.x); }
  float y(double value) const { return place(value, y0, y1, to.y, from.y); }
  double value_at(float place_x) const { return x0 * std::pow(x1 / x0, (place_x - from.x) / (to.x - from.x)); }

 private:
  static float place(double value, double low, double high, float a, float b) {
    const double part = std::log(std::max(value, 1e-30) / low) / std::log(high / low);
    return a + static_cast<float>(std::clamp(part, -0.2, 1.2)) * (b - a);
  }
};

struct Point {
  int number;
  double intensity, rate;
  ImVec2 dot = {};  // its centre on screen
};

std::vector<Point> points_of(const Stats& stats) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < stats.panes.size(); ++i) {
    const PaneStats& pane = stats.panes[i];
    const double intensity = pane.cost.intensity(), rate = pane.cost.flop / (pane.kernel.median() * 1e-3);
    if (intensity > 0 && std::isfinite(intensity) && rate > 0 && std::isfinite(rate))
      points.push_back({static_cast<int>(i) + 1, intensity, rate});
  }
  return points;
}

constexpr float dot_radius = 7;

ImVec2 true_place(const Point& p, const LogAxes& axes) { return {axes.x(p.intensity), axes.y(p.rate)}; }

// Of panes that lie on one another, those with the higher numbers beside the first.
void place_dots(std::vector<Point>& points, const LogAxes& axes) {
  const float apart = px(2 * dot_radius);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ImVec2 place = points[i].dot = true_place(points[i], axes);
    const auto covers = [&](const Point& other) {
      return std::hypot(other.dot.x - points[i].dot.x, other.dot.y - place.y) < apart - 1;
    };
    for (int n = 1; n <= 2 * static_cast<int>(max_panes); ++n) {
      if (std::none_of(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i), covers)) break;
      const float beside = place.x + (n % 2 == 0 ? 1 : -1) * static_cast<float>((n + 1) / 2) * apart;
      if (beside > axes.from.x && beside < axes.to.x) points[i].dot.x = beside;
    }
  }
}

// Where the two parts of the roof meet: FLOP per byte.
double ridge_of(const DeviceLimits& limits) { return limits.flop_per_second / limits.copy_bytes_per_second; }

ImVec2 corner_of(const LogAxes& axes, const DeviceLimits& limits) {
  return {axes.x(ridge_of(limits)), axes.y(limits.flop_per_second)};
}

// Whole decades around everything that is shown.
LogAxes axes_around(const DeviceLimits& limits, const std::vector<Point>& points, ImVec2 from, ImVec2 to) {
  const double ridge = ridge_of(limits);
  double x0 = ridge / 10, x1 = ridge * 10, y0 = limits.flop_per_second / 100;
  for (const Point& p : points) {
    x0 = std::min(x0, p.intensity / 2);
    x1 = std::max(x1, p.intensity * 2);
    y0 = std::min(y0, p.rate / 3);
  }
  const auto decade = [](double value, double (*to_whole)(double)) {
    return std::pow(10, to_whole(std::log10(value)));
  };
  return {from,
          to,
          decade(x0, std::floor),
          decade(x1, std::ceil),
          decade(y0, std::floor),
          decade(limits.flop_per_second * 1.2, std::ceil)};
}

// "100 M", "1 G": a power of ten has no use for decimals.
std::string format_decade(double value) {
  std::string text = format_si(value, "");
  const std::size_t point = text.find('.');
  if (point != std::string::npos) text.erase(point, text.find(' ') - point);
  return text;
}

void draw_grid(const LogAxes& axes, ImDrawList& list) {
  const Theme& t = theme();
  list.AddRectFilled(axes.from, axes.to, with_alpha(t.text, 0.05f), px(4));
  float free_above = axes.to.y;  // nothing is written higher than this
  for (double v = axes.y0; v <= axes.y1 * 1.01; v *= 10) {
    const float y = std::round(axes.y(v));
    list.AddLine({axes.from.x, y}, {axes.to.x, y}, with_alpha(t.text, 0.10f));
    const std::string text = format_decade(v);
    const ImVec2 size = text_size(Font::small, text);
    // Beside its line, and clear of what is written over and under the axis.
    const float top = std::clamp(y - size.y / 2, axes.from.y - px(3), axes.to.y - size.y);
    if (top + size.y > free_above) continue;
    draw_text(list, Font::small, {axes.from.x - px(4) - size.x, top}, t.faint, text);
    free_above = top - size.y / 2;
  }
  draw_text(list, Font::small, {axes.from.x - px(38), axes.from.y - px(17)}, t.dim, "FLOP per second");
  const std::string label = "FLOP per byte";
  draw_text(list, Font::small, {axes.to.x - text_size(Font::small, label).x, axes.to.y + px(16)}, t.dim, label);
  float free_from = axes.from.x - px(38);
  for (double v = axes.x0; v <= axes.x1 * 1.01; v *= 10) {
    const float x = std::round(axes.x(v));
    list.AddLine({x, axes.from.y}, {x, axes.to.y}, with_alpha(t.text, 0.10f));
    const std::string text = format_number(v);
    const float width = text_size(Font::small, text).x, left = std::min(x - width / 2, axes.to.x + px(4) - width);
    if (left < free_from) continue;
    draw_text(list, Font::small, {left, axes.to.y + px(2)}, t.faint, text);
    free_from = left + width + px(4);
  }
}

void draw_roof(const LogAxes& axes, const DeviceLimits& limits, ImDrawList& list) {
  const Theme& t = theme();
  const ImVec2 corner = corner_of(axes, limits);
  list.AddLine({axes.x(axes.x0), axes.y(limits.copy_bytes_per_second * axes.x0)}, corner, t.text, px(2));
  list.AddLine(corner, {axes.to.x, corner.y}, t.text, px(2));
}

// From the wish downwards, where it covers no dot and not the other label; at the wish where that is nowhere.
ImVec2 place_of_rate(ImVec2 wish, ImVec2 size, const LogAxes& axes, const std::vector<Point>& points,
                     const Area& other) {
  const float reach = px(dot_radius + 1);
  for (ImVec2 at = wish; at.y + size.y <= axes.to.y; at.y += px(3)) {
    const auto is_on = [&](const Point& p) {
      return p.dot.x > at.x - reach && p.dot.x < at.x + size.x + reach && p.dot.y > at.y - reach &&
             p.dot.y < at.y + size.y + reach;
    };
    if (std::ranges::none_of(points, is_on) && !overlap({at.x - px(3), at.y, size.x + px(6), size.y}, other)) return at;
  }
  return wish;
}

// After the dots and the roof, on a ground of their own, so that neither runs through the words.
void draw_rates(const LogAxes& axes, const DeviceLimits& limits, const std::vector<Point>& points, ImDrawList& list) {
  const Theme& t = theme();
  const ImVec2 corner = corner_of(axes, limits);
  const bool is_high = corner.y - px(15) < axes.from.y;
  const std::string flop = format_si(limits.flop_per_second, "FLOP/s"),
                    bytes = format_si(limits.copy_bytes_per_second, "B/s") + " copied";
  const ImVec2 of_flop = text_size(Font::small, flop), of_bytes = text_size(Font::small, bytes);
  const ImVec2 right = place_of_rate({axes.to.x - of_flop.x - px(3), is_high ? corner.y + px(3) : corner.y - px(15)},
                                     of_flop, axes, points, {});
  const ImVec2 left = place_of_rate({axes.from.x + px(4), axes.from.y + px(2)}, of_bytes, axes, points,
                                    {right.x, right.y, of_flop.x, of_flop.y});
  for (const auto& [at, text] : {std::pair(right, &flop), std::pair(left, &bytes)}) {
    const ImVec2 size = text_size(Font::small, *text);
    list.AddRectFilled({at.x - px(2), at.y}, {at.x + size.x + px(2), at.y + size.y}, with_alpha(t.panel, 0.8f), px(2));
    draw_text(list, Font::small, at, t.dim, *text);
  }
}

// Of the dot under the cursor, else of the roof above it.
std::string text_under(ImVec2 mouse, const LogAxes& axes, const DeviceLimits& limits, const std::vector<Point>& points,
                       const Stats& stats) {
  const auto roof_at = [&](double intensity) {
    return std::min(limits.flop_per_second, intensity * limits.copy_bytes_per_second);
  };
  for (const Point& p : points) {
    if (std::hypot(p.dot.x - mouse.x, p.dot.y - mouse.y) > px(dot_radius)) continue;
    return std::to_string(p.number) + "  " + stats.panes[static_cast<std::size_t>(p.number - 1)].title + "\n" +
           format_number(p.intensity) + " FLOP per byte, " + format_si(p.rate, "FLOP/s") + "\n" +
           format_number(100 * p.rate / roof_at(p.intensity)) + " % of the roof";
  }
  if (mouse.x < axes.from.x || mouse.x > axes.to.x || mouse.y < axes.from.y || mouse.y > axes.to.y) return {};
  const double intensity = axes.value_at(mouse.x);
  return "At " + format_number(intensity) + " FLOP per byte the roof is " + format_si(roof_at(intensity), "FLOP/s") +
         ".";
}

}  // namespace

void draw_roofline(const Stats& stats, const Settings& settings, Requests& requests) {
  const Theme& t = theme();
  const DeviceLimits& limits = stats.limits;
  if (!(limits.copy_bytes_per_second > 0) || !(limits.flop_per_second > 0) || !std::isfinite(ridge_of(limits))) return;
  heading("ROOFLINE: MODELLED FLOP AND BYTES, MEASURED TIME");
  tooltip(
      "FLOP per second, plotted over FLOP per byte. The roof is how fast this device copies, and how fast it "
      "multiplies and adds, as measured" +
      std::string(limits.from_cache ? " in an earlier run." : ".") +
      " Each dot is a pane: the cost of a frame according to the model, in the median time of its kernels. A dot lies "
      "above the roof if the strategy multiplies on tensor cores, whose rate is not measured, if it does less than the "
      "model counts, or if the data stays in a cache. Dots of panes at the same place are drawn side by side.");
  const float width = std::max(ImGui::GetContentRegionAvail().x, px(120)), height = px(180);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##roofline", {width, height});
  mark_item("roofline");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::vector<Point> points = points_of(stats);
  const LogAxes axes =
      axes_around(limits, points, {at.x + px(38), at.y + px(18)}, {at.x + width - px(4), at.y + height - px(32)});
  place_dots(points, axes);
  draw_grid(axes, list);
  list.PushClipRect(axes.from, axes.to, true);
  draw_roof(axes, limits, list);
  for (const Point& p : points) list.AddLine(true_place(p, axes), p.dot, t.shade[2], px(2));
  for (const Point& p : points) {
    const ImVec2 centre = p.dot;
    const bool active = p.number == settings.group().active_pane + 1;
    list.AddCircleFilled(centre, px(dot_radius), active ? t.accent : t.shade[2]);
    const std::string number = std::to_string(p.number);
    const ImVec2 size = text_size(Font::small, number);
    draw_text(list, Font::small, {centre.x - size.x / 2, centre.y - size.y / 2}, active ? t.on_accent : t.panel,
              number);
  }
  draw_rates(axes, limits, points, list);
  list.PopClipRect();
  if (ImGui::IsItemHovered()) tooltip(text_under(ImGui::GetIO().MousePos, axes, limits, points, stats));
  ImGui::BeginDisabled(stats.measuring_limits);
  if (text_button("measure-roof", stats.measuring_limits ? "Measuring the roof …" : "Measure the roof again",
                  "Measures for a second. Other work on this machine can only make the rates look lower, so the higher "
                  "of the old and the new rates are kept."))
    requests.measure_limits = true;
  ImGui::EndDisabled();
}

}  // namespace convoscope::ui
