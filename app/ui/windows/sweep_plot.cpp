#include "app/ui/windows/sweep_plot.h"

#include <algorithm>
#include <cmath>

#include "app/measure/sweep_curves.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/stage/layout.h"
#include "kernels/measure/times_copy.h"

namespace convoscope {
namespace ui {
namespace {

struct Plot {
  ImVec2 from, to;
  bool large_enough() const { return to.x - from.x >= px(60) && to.y - from.y >= px(40); }
  double r0 = 1, r1 = 2, t0 = 1, t1 = 2;
  ImVec2 at(double radius, double ms) const {
    return {place(radius, r0, r1, from.x, to.x), place(ms, t0, t1, to.y, from.y)};
  }

 private:
  static float place(double value, double low, double high, float a, float b) {
    return a + static_cast<float>(std::log(value / low) / std::log(high / low)) * (b - a);
  }
};

struct Lines {
  std::vector<SweepCurve> now, saved;
  SweepCurve copy;
};

Lines lines_of(const SweepStats& sweep, PixelAddress size) {
  Lines lines{sweep_curves(sweep.rows, size), sweep_curves(sweep.loaded, size), {"copy", {}}};
  std::vector<double> copies;
  for (const SweepCurve& curve : lines.now.empty() ? lines.saved : lines.now)
    for (const SweepRow& row : curve.points) {
      if (!(row.copy_ms > 0)) continue;
      copies.push_back(row.copy_ms);
      if (std::ranges::find(lines.copy.points, row.radius, &SweepRow::radius) == lines.copy.points.end())
        lines.copy.points.push_back(row);
    }
  if (copies.empty()) return lines;
  // A copy knows no radius: every one that was timed is a sample of the same.
  const auto middle = copies.begin() + static_cast<std::ptrdiff_t>(copies.size() / 2);
  std::ranges::nth_element(copies, middle);
  for (SweepRow& row : lines.copy.points) row.median_ms = *middle;
  std::ranges::sort(lines.copy.points, {}, &SweepRow::radius);
  return lines;
}

// Names in one order for both runs, so that a strategy has one colour.
std::vector<std::string> names_of(const Lines& lines) {
  std::vector<std::string> names;
  for (const auto* curves : {&lines.now, &lines.saved})
    for (const SweepCurve& curve : *curves)
      if (std::ranges::find(names, curve.strategy) == names.end()) names.push_back(curve.strategy);
  return names;
}

// Hues a golden section apart: any number of lines, neighbours never alike. Lines are data, not controls, so they may
// have more colours than the accent.
ImU32 line_colour(std::size_t index) {
  float r = 0, g = 0, b = 0;
  const float hue = std::fmod(0.10f + 0.618034f * static_cast<float>(index), 1.0f);
  ImGui::ColorConvertHSVtoRGB(hue, theme().light ? 0.85f : 0.60f, theme().light ? 0.68f : 0.98f, r, g, b);
  return ImGui::ColorConvertFloat4ToU32({r, g, b, 1});
}

ImU32 colour_of(const std::vector<std::string>& names, const std::string& name) {
  return line_colour(static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()));
}

void fit_axes(Plot& plot, const Lines& lines) {
  double r0 = 1e9, r1 = 0, t0 = 1e9, t1 = 0;
  const auto take = [&](const SweepCurve& curve) {
    for (const SweepRow& row : curve.points) {
      r0 = std::min<double>(r0, std::max(row.radius, 1));
      r1 = std::max<double>(r1, std::max(row.radius, 1));
      t0 = std::min(t0, row.median_ms);
      t1 = std::max(t1, row.median_ms);
    }
  };
  for (const auto* curves : {&lines.now, &lines.saved})
    for (const SweepCurve& curve : *curves) take(curve);
  take(lines.copy);
  plot.r0 = r0 / 1.12, plot.r1 = r1 * 1.12;
  plot.t0 = t0 / 1.5, plot.t1 = t1 * 1.6;
}

float legend_width(ImVec2 from, ImVec2 to) { return std::min(px(170), (to.x - from.x) * 0.3f); }

// Beside the legend, below the title.
Plot plot_of(const Lines& lines, ImVec2 from, ImVec2 to) {
  Plot plot{{from.x + px(44), from.y + px(42)}, {to.x - legend_width(from, to) - px(14), to.y - px(52)}};
  fit_axes(plot, lines);
  return plot;
}

void draw_axes(ImDrawList& list, const Plot& plot, const Lines& lines) {
  const Theme& t = theme();
  list.AddRectFilled(plot.from, plot.to, with_alpha(t.text, 0.05f), px(5));
  const int decades = static_cast<int>(std::ceil(std::log10(plot.t1 / plot.t0)));
  for (double decade = std::pow(10, std::floor(std::log10(plot.t0))); decade <= plot.t1; decade *= 10)
    for (const int step : {1, 2, 5}) {
      const double ms = decade * step;
      if (ms < plot.t0 || ms > plot.t1 || (decades > 3 && step != 1)) continue;
      const float y = std::round(plot.at(plot.r0, ms).y);
      list.AddLine({plot.from.x, y}, {plot.to.x, y}, with_alpha(t.text, step == 1 ? 0.16f : 0.07f));
      const std::string text = format_number(ms);
      draw_text(list, Font::small, {plot.from.x - px(6) - text_size(Font::small, text).x, y - px(7)}, t.dim, text);
    }
  std::vector<int> radii;
  for (const auto* curves : {&lines.now, &lines.saved})
    for (const SweepCurve& curve : *curves)
      for (const SweepRow& row : curve.points)
        if (row.radius > 0) radii.push_back(row.radius);
  std::ranges::sort(radii);
  radii.erase(std::ranges::unique(radii).begin(), radii.end());
  float last = -1e9f;
  for (const int radius : radii) {
    const float x = std::round(plot.at(radius, plot.t0).x);
    list.AddLine({x, plot.from.y}, {x, plot.to.y}, with_alpha(t.text, 0.10f));
    const std::string text = std::to_string(radius);
    const float width = text_size(Font::small, text).x;
    if (x - width / 2 < last + px(4)) continue;
    draw_text(list, Font::small, {x - width / 2, plot.to.y + px(4)}, t.dim, text);
    last = x + width / 2;
  }
  draw_text(list, Font::small, {plot.from.x, plot.from.y - px(17)}, t.dim, "ms, median of one frame");
  const char* const label = "radius";
  draw_text(list, Font::small, {plot.to.x - text_size(Font::small, label).x, plot.to.y + px(18)}, t.dim, label);
}

void draw_dashed(ImDrawList& list, ImVec2 a, ImVec2 b, ImU32 ink, float thickness) {
  const float dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy), step = px(7);
  for (float done = 0; done < length; done += step) {
    const float end = std::min(done + step * 0.55f, length);
    list.AddLine({a.x + dx * done / length, a.y + dy * done / length},
                 {a.x + dx * end / length, a.y + dy * end / length}, ink, thickness);
  }
}

void draw_curve(ImDrawList& list, const Plot& plot, const SweepCurve& curve, ImU32 ink, bool saved) {
  const auto at = [&](const SweepRow& row, double ms) { return plot.at(std::max(row.radius, 1), std::max(ms, 1e-9)); };
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const SweepRow& row = curve.points[i];
    const ImVec2 centre = at(row, row.median_ms);
    if (i > 0) {
      const ImVec2 before = at(curve.points[i - 1], curve.points[i - 1].median_ms);
      saved ? draw_dashed(list, before, centre, ink, px(1.5f)) : list.AddLine(before, centre, ink, px(2));
    }
    if (saved) continue;
    if (row.p95_ms > row.p05_ms && row.p05_ms > 0)
      list.AddLine(at(row, row.p05_ms), at(row, row.p95_ms), with_alpha(ink, 0.6f), px(1));
    list.AddCircleFilled(centre, px(3.5f), ink);
  }
}

constexpr float crossing_radius = 8;

std::string crossing_text(const Crossing& crossing) {
  return crossing.before + " → " + crossing.after + " at r " + format_number(crossing.radius);
}

// Without its words where they would lie over those of another: the tooltip has them too.
void draw_crossing(ImDrawList& list, const Plot& plot, const Crossing& crossing, std::vector<Area>& taken) {
  const Theme& t = theme();
  const ImVec2 at = plot.at(crossing.radius, crossing.milliseconds);
  list.AddCircle(at, px(crossing_radius), t.text, 0, px(1.5f));
  const std::string text = crossing_text(crossing);
  const float width = text_size(Font::small, text).x;
  const float x = std::clamp(at.x - width / 2, plot.from.x + px(4), std::max(plot.to.x - width - px(4), plot.from.x));
  const float y = std::min(at.y + px(12), plot.to.y - px(16));
  const Area label{x - px(4), y - px(2), width + px(8), px(17)};
  if (std::ranges::any_of(taken, [&](const Area& other) { return overlap(label, other); })) return;
  taken.push_back(label);
  list.AddRectFilled(label.from(), label.to(), with_alpha(t.raised, 0.85f), px(4));
  draw_text(list, Font::small, {x, y}, t.text, text);
}

// Beside the plot, the slowest at the end of the lines on top, as the lines lie.
void draw_legend(ImDrawList& list, ImVec2 at, float width, float bottom, const Lines& lines,
                 const std::vector<std::string>& names, const SweepStats& sweep, const ItemRectangle& whole) {
  const Theme& t = theme();
  const auto entry = [&](const std::string& name, ImU32 ink, bool dashed, ImU32 text_ink) {
    if (at.y + px(17) > bottom) return;
    const ImVec2 a{at.x, at.y + px(8)}, b{at.x + px(20), at.y + px(8)};
    dashed ? draw_dashed(list, a, b, ink, px(1.5f)) : list.AddLine(a, b, ink, px(2.5f));
    draw_clipped(list, Font::small, {at.x + px(26), at.y}, text_ink, name, width - px(26), &whole);
    at.y += px(18);
  };
  std::vector<std::string> order = names;
  const auto last_time = [&](const std::string& name) {
    for (const auto* curves : {&lines.now, &lines.saved})
      for (const SweepCurve& curve : *curves)
        if (curve.strategy == name && !curve.points.empty()) return curve.points.back().median_ms;
    return 0.0;
  };
  std::ranges::stable_sort(order, [&](const auto& a, const auto& b) { return last_time(a) > last_time(b); });
  for (const std::string& name : order) entry(name, colour_of(names, name), false, t.text);
  if (!lines.copy.points.empty()) entry("copy of the frame", t.dim, true, t.dim);
  if (lines.saved.empty()) return;
  at.y += px(4);
  const std::size_t slash = sweep.loaded_from.find_last_of('/');
  entry(slash == std::string::npos ? sweep.loaded_from : sweep.loaded_from.substr(slash + 1), t.dim, true, t.dim);
}

std::string title_of(const SweepStats& sweep, PixelAddress size) {
  const std::vector<SweepRow>& rows = sweep.rows.empty() ? sweep.loaded : sweep.rows;
  const std::string& device = sweep.rows.empty() ? sweep.loaded_device : sweep.device;
  return rows[0].filter + ", " + std::to_string(size.x) + " × " + std::to_string(size.y) + ", " +
         to_string(rows[0].format) + (device.empty() ? "" : "   ·   " + device);
}

std::string caption_of(const SweepStats& sweep) {
  const std::string text = "Measured in its own process. Bars span p05 to p95; circles mark where the fastest changes.";
  return (sweep.beside_view ? "The live view shared the device, so the times vary more. " : "") + text;
}

}  // namespace
}  // namespace ui

PixelAddress shown_sweep_size(const SweepStats& sweep, const SweepSettings& settings) {
  const std::vector<PixelAddress> sizes = sweep_sizes(sweep.rows.empty() ? sweep.loaded : sweep.rows);
  if (sizes.empty()) return {};
  return sizes[static_cast<std::size_t>(std::clamp(settings.shown_size, 0, static_cast<int>(sizes.size()) - 1))];
}

void draw_sweep_plot(ImDrawList& list, ImVec2 from, ImVec2 to, const SweepStats& sweep, PixelAddress size) {
  using namespace ui;
  const Theme& t = theme();
  const Lines lines = lines_of(sweep, size);
  if (lines.now.empty() && lines.saved.empty()) {
    const std::string text = sweep.running ? "The first points are on their way." : "Nothing has been measured yet.";
    const ImVec2 extent = text_size(Font::body, text);
    draw_text(list, Font::body, {(from.x + to.x - extent.x) / 2, (from.y + to.y - extent.y) / 2}, t.faint, text);
    return;
  }
  const ItemRectangle whole{from, to};
  draw_clipped(list, Font::strong, from, t.text, title_of(sweep, size), to.x - from.x, &whole);
  const float legend = legend_width(from, to);
  const Plot plot = plot_of(lines, from, to);
  if (!plot.large_enough()) return;
  draw_axes(list, plot, lines);
  const std::vector<std::string> names = names_of(lines);
  list.PushClipRect(plot.from, plot.to, true);
  draw_curve(list, plot, lines.copy, t.dim, true);
  for (const SweepCurve& curve : lines.saved)
    draw_curve(list, plot, curve, with_alpha(colour_of(names, curve.strategy), 0.7f), true);
  for (const SweepCurve& curve : lines.now) draw_curve(list, plot, curve, colour_of(names, curve.strategy), false);
  std::vector<Area> labels;
  for (const Crossing& crossing : crossings(lines.now.empty() ? lines.saved : lines.now))
    draw_crossing(list, plot, crossing, labels);
  list.PopClipRect();
  draw_legend(list, {plot.to.x + px(14), plot.from.y}, legend, plot.to.y, lines, names, sweep, whole);
  draw_clipped(list, Font::small, {from.x, to.y - px(15)}, sweep.beside_view ? t.warning : t.dim, caption_of(sweep),
               to.x - from.x, &whole);
}

std::string sweep_point_near(ImVec2 place, ImVec2 from, ImVec2 to, const SweepStats& sweep, PixelAddress size) {
  using namespace ui;
  const Lines lines = lines_of(sweep, size);
  if (lines.now.empty() && lines.saved.empty()) return {};
  const Plot plot = plot_of(lines, from, to);
  if (!plot.large_enough()) return {};
  for (const Crossing& crossing : crossings(lines.now.empty() ? lines.saved : lines.now)) {
    const ImVec2 at = plot.at(crossing.radius, crossing.milliseconds);
    if (std::hypot(at.x - place.x, at.y - place.y) <= px(crossing_radius)) return crossing_text(crossing);
  }
  float least = px(28);
  std::string text;
  const auto look = [&](const SweepCurve& curve, const char* of, bool spread) {
    for (const SweepRow& row : curve.points) {
      const ImVec2 at = plot.at(std::max(row.radius, 1), std::max(row.median_ms, 1e-9));
      const float away = std::hypot(at.x - place.x, at.y - place.y);
      if (away >= least) continue;
      least = away;
      text = curve.strategy + of + ", radius " + std::to_string(row.radius) + "\nmedian " +
             format_milliseconds(row.median_ms);
      if (!spread) continue;
      text += ", p05 " + format_ms(row.p05_ms) + ", p95 " + format_ms(row.p95_ms);
      if (const auto copies = times_copy(row.median_ms, row.copy_ms)) text += "\n" + format_number(*copies) + " × copy";
    }
  };
  for (const SweepCurve& curve : lines.now) look(curve, "", true);
  for (const SweepCurve& curve : lines.saved) look(curve, " (overlaid)", true);
  look(lines.copy, " of the frame", false);
  return text;
}

void draw_sweep_picture(ImDrawList& list, ImVec2 size, const SweepStats& sweep, PixelAddress shown) {
  const float margin = ui::px(24);
  list.AddRectFilled({0, 0}, size, ui::theme().panel);
  draw_sweep_plot(list, {margin, margin}, {size.x - margin, size.y - margin}, sweep, shown);
}

}  // namespace convoscope
