#include "app/ui/results/sweep_plot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/measure/sweep/sweep_plan.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/places/layout.h"
#include "app/ui/results/sweep_doubt.h"
#include "kernels/contract/sweep.h"
#include "kernels/measure/times_copy.h"

namespace convoscope {
namespace ui {
namespace {

struct Plot {
  ImVec2 from, to;
  bool large_enough() const { return to.x - from.x >= px(60) && to.y - from.y >= px(40); }
  double v0 = 1, v1 = 2, t0 = 1, t1 = 2;
  int shift = 0;  // of values among which is 0, which no logarithmic axis has
  ImVec2 at(double value, double ms) const {
    return {place(value + shift, v0, v1, from.x, to.x), place(std::max(ms, 1e-9), t0, t1, to.y, from.y)};
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
const std::vector<SweepCurve>& shown_curves(const Lines& lines) { return lines.now.empty() ? lines.saved : lines.now; }

Lines lines_of(const SweepStats& sweep, const SweepView& view) {
  if (!view.kind) return {};
  Lines lines{sweep_curves(sweep.rows, view), sweep_curves(sweep.loaded, view), {"copy", {}}};
  settle_copies(lines.now, settled_copies(sweep.rows));
  settle_copies(lines.saved, settled_copies(sweep.loaded));
  for (const SweepCurve& curve : shown_curves(lines))
    for (const SweepPoint& point : curve.points)
      if (point.copy_ms > 0 &&
          std::ranges::find(lines.copy.points, point.at, &SweepPoint::at) == lines.copy.points.end())
        lines.copy.points.push_back(point);
  for (SweepPoint& point : lines.copy.points) point.median_ms = point.copy_ms;
  std::ranges::sort(lines.copy.points, {}, &SweepPoint::at);
  return lines;
}

std::vector<Crossing> rings_of(const Lines& lines) { return crossings(shown_curves(lines)); }

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

bool has_bar(const SweepPoint& point) { return point.p95_ms > point.p05_ms && point.p05_ms > 0; }

constexpr double longest_bar = 10;  // beyond the medians, as a factor: one that is longer ends in an arrow

void fit_axes(Plot& plot, const Lines& lines) {
  double v0 = 1e9, v1 = 0, t0 = 1e9, t1 = 0;
  const auto take = [&](const SweepCurve& curve) {
    for (const SweepPoint& point : curve.points) {
      v0 = std::min<double>(v0, point.at);
      v1 = std::max<double>(v1, point.at);
      t0 = std::min(t0, point.median_ms);
      t1 = std::max(t1, point.median_ms);
    }
  };
  for (const auto* curves : {&lines.now, &lines.saved})
    for (const SweepCurve& curve : *curves) take(curve);
  take(lines.copy);
  const double least = t0 / longest_bar, most = t1 * longest_bar;
  for (const SweepCurve& curve : lines.now)
    for (const SweepPoint& point : curve.points) {
      if (!has_bar(point)) continue;
      t0 = std::min(t0, std::max(point.p05_ms, least));
      t1 = std::max(t1, std::min(point.p95_ms, most));
    }
  plot.shift = v0 < 1 ? 1 : 0;
  plot.v0 = (v0 + plot.shift) / 1.12, plot.v1 = (v1 + plot.shift) * 1.12;
  plot.t0 = t0 / 1.5, plot.t1 = t1 * 1.6;
}

float legend_width(ImVec2 from, ImVec2 to) { return std::min(px(170), (to.x - from.x) * 0.3f); }

constexpr float caption_line = 15;  // its height

constexpr float title_line = 18;
constexpr int most_title_lines = 3, most_caption_lines = 4;

// What is written above and below it, in lines.
struct PlotTexts {
  std::string title, caption;
};

// Beside the legend, below the title, above the caption.
Plot plot_of(const Lines& lines, ImVec2 from, ImVec2 to, const PlotTexts& texts) {
  const float head = px(24 + title_line * static_cast<float>(count_lines(texts.title)));
  const float foot = px(37 + caption_line * static_cast<float>(count_lines(texts.caption)));
  Plot plot{{from.x + px(44), from.y + head}, {to.x - legend_width(from, to) - px(14), to.y - foot}};
  fit_axes(plot, lines);
  return plot;
}

// "radius, pixels"; "maps" says what it counts.
std::string axis_text(const SweepParameter& parameter) {
  const std::string title(parameter.title);
  return parameter.unit == parameter.title ? title : title + ", " + std::string(parameter.unit);
}

void draw_axes(ImDrawList& list, const Plot& plot, const Lines& lines, const SweepParameter& along) {
  const Theme& t = theme();
  list.AddRectFilled(plot.from, plot.to, with_alpha(t.text, 0.05f), px(5));
  const int decades = static_cast<int>(std::ceil(std::log10(plot.t1 / plot.t0)));
  for (double decade = std::pow(10, std::floor(std::log10(plot.t0))); decade <= plot.t1; decade *= 10)
    for (const int step : {1, 2, 5}) {
      const double ms = decade * step;
      if (ms < plot.t0 || ms > plot.t1 || (decades > 3 && step != 1)) continue;
      const float y = std::round(plot.at(1, ms).y);
      list.AddLine({plot.from.x, y}, {plot.to.x, y}, with_alpha(t.text, step == 1 ? 0.16f : 0.07f));
      const std::string text = format_number(ms);
      draw_text(list, Font::small, {plot.from.x - px(6) - text_size(Font::small, text).x, y - px(7)}, t.dim, text);
    }
  std::map<int, std::string> values;
  for (const auto* curves : {&lines.now, &lines.saved})
    for (const SweepCurve& curve : *curves)
      for (const SweepPoint& point : curve.points) values.emplace(point.at, point.text);
  float last = -1e9f;
  for (const auto& [value, text] : values) {
    const float x = std::round(plot.at(value, plot.t0).x);
    list.AddLine({x, plot.from.y}, {x, plot.to.y}, with_alpha(t.text, 0.10f));
    const float width = text_size(Font::small, text).x;
    if (x - width / 2 < last + px(4)) continue;
    draw_text(list, Font::small, {x - width / 2, plot.to.y + px(4)}, t.dim, text);
    last = x + width / 2;
  }
  draw_text(list, Font::small, {plot.from.x, plot.from.y - px(17)}, t.dim, "median of the runs, ms");
  const std::string label = axis_text(along);
  draw_text(list, Font::small, {plot.to.x - text_size(Font::small, label).x, plot.to.y + px(18)}, t.dim, label);
}

enum class Stroke { line, dashes, dots };  // measured now, overlaid, copied

void draw_stroke(ImDrawList& list, ImVec2 a, ImVec2 b, ImU32 ink, Stroke stroke) {
  if (stroke == Stroke::line) return list.AddLine(a, b, ink, px(2));
  const float dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy), step = px(stroke == Stroke::dots ? 4 : 8);
  for (float done = 0; done < length; done += step) {
    const float end = std::min(done + step * 0.55f, length);
    list.AddLine({a.x + dx * done / length, a.y + dy * done / length},
                 {a.x + dx * end / length, a.y + dy * end / length}, ink, px(1.5f));
  }
}

// From p05 to p95 at `x`; an end that the axis has no room for is an arrow.
void draw_bar(ImDrawList& list, const Plot& plot, const SweepPoint& point, float x, ImU32 ink) {
  const auto end = [&](double ms, float inwards) {
    if (ms >= plot.t0 && ms <= plot.t1) return plot.at(point.at, ms).y;
    const float y = inwards > 0 ? plot.from.y : plot.to.y, foot = y + inwards * px(7);
    list.AddTriangleFilled({x, y}, {x - px(3), foot}, {x + px(3), foot}, ink);
    return foot;
  };
  const float low = end(point.p05_ms, -1), high = end(point.p95_ms, 1);
  list.AddLine({x, low}, {x, high}, ink, px(1));
}

// Bars of several lines at one value stand `beside` each other.
void draw_curve(ImDrawList& list, const Plot& plot, const SweepCurve& curve, ImU32 ink, Stroke stroke, float beside) {
  const bool alone = curve.points.size() == 1;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const SweepPoint& point = curve.points[i];
    const ImVec2 centre = plot.at(point.at, point.median_ms);
    if (i > 0) draw_stroke(list, plot.at(curve.points[i - 1].at, curve.points[i - 1].median_ms), centre, ink, stroke);
    if (stroke == Stroke::dots && alone)
      draw_stroke(list, {centre.x - px(12), centre.y}, {centre.x + px(12), centre.y}, ink, stroke);
    if (stroke != Stroke::dots && draw_doubted(list, point, centre, ink)) continue;
    if (stroke == Stroke::dashes) list.AddCircle(centre, px(4), ink, 0, px(1.5f));
    if (stroke != Stroke::line) continue;
    if (has_bar(point)) draw_bar(list, plot, point, centre.x + beside, with_alpha(ink, 0.6f));
    list.AddCircleFilled(centre, px(3.5f), ink);
  }
}

void draw_curves(ImDrawList& list, const Plot& plot, const Lines& lines, const std::vector<std::string>& names) {
  draw_curve(list, plot, lines.copy, theme().dim, Stroke::dots, 0);
  for (const SweepCurve& curve : lines.saved)
    draw_curve(list, plot, curve, with_alpha(colour_of(names, curve.strategy), 0.7f), Stroke::dashes, 0);
  const auto count = static_cast<float>(lines.now.size());
  float place = -(count - 1) / 2;
  for (const SweepCurve& curve : lines.now)
    draw_curve(list, plot, curve, colour_of(names, curve.strategy), Stroke::line,
               place++ * std::min(px(4), px(24) / count));
}

constexpr float crossing_radius = 8;

std::string crossing_text(const Crossing& crossing, const SweepParameter& along) {
  return crossing.before + " → " + crossing.after + " at " + std::string(along.title) + " " +
         format_number(crossing.at);
}

// Without its words where they would lie over those of another: the tooltip has them too.
void draw_crossing(ImDrawList& list, const Plot& plot, const Crossing& crossing, const SweepParameter& along,
                   std::vector<Area>& taken) {
  const Theme& t = theme();
  const ImVec2 at = plot.at(crossing.at, crossing.milliseconds);
  list.AddCircle(at, px(crossing_radius), t.text, 0, px(1.5f));
  const std::string text = crossing_text(crossing, along);
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
  const auto entry = [&](const std::string& name, ImU32 ink, Stroke stroke, ImU32 text_ink) {
    if (at.y + px(17) > bottom) return;
    const ImVec2 a{at.x, at.y + px(8)}, b{at.x + px(20), at.y + px(8)};
    draw_stroke(list, a, b, ink, stroke);
    if (stroke == Stroke::dashes) list.AddCircle({at.x + px(10), at.y + px(8)}, px(4), ink, 0, px(1.5f));
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
  for (const std::string& name : order) entry(name, colour_of(names, name), Stroke::line, t.text);
  if (!lines.copy.points.empty()) entry("copy of the output", t.dim, Stroke::dots, t.dim);
  if (lines.saved.empty()) return;
  at.y += px(4);
  const std::size_t slash = sweep.loaded_from.find_last_of('/');
  entry(slash == std::string::npos ? sweep.loaded_from : sweep.loaded_from.substr(slash + 1), t.dim, Stroke::dashes,
        t.dim);
}

// "gaussian, 640×360, rgba8   ·   a device".
std::string title_of(const SweepStats& sweep, const SweepView& view, bool is_loaded) {
  const std::vector<SweepRow>& rows = is_loaded ? sweep.loaded : sweep.rows;
  const auto first = std::ranges::find(rows, view.kind, [](const SweepRow& row) { return row.problem.kind; });
  std::string text = view.kind->shape || first == rows.end() ? std::string(view.kind->title) : first->filter;
  if (const std::string groups = groups_text(view.like); !groups.empty()) text += ", " + groups;
  for (const SweepParameter& parameter : view.kind->parameters)
    if (&parameter != view.along) text += ", " + value_phrase(parameter, view.like);
  const std::string& device = is_loaded ? sweep.loaded_device : sweep.device;
  text += ", ";
  text += view.kind->shape ? to_string(view.like.layer.layout) : to_string(view.like.format);
  return text + (device.empty() ? "" : "   ·   " + device);
}

std::string caption_of(const SweepStats& sweep, const Lines& lines, const std::vector<std::string>& names,
                       bool has_rings, float width) {
  std::string text = doubt_caption(shown_curves(lines));
  text += sweep.beside_view ? "The live view shared the device, so the times vary more. " : "";
  text += "Measured in its own process. " + samples_caption(shown_curves(lines)) + "Bars span p05 to p95";
  text += has_rings ? "; rings mark where the fastest changes by more than that." : ".";
  if (names.size() > 1 && std::ranges::find(names, "auto") != names.end())
    text += " Crossings with auto are not marked: it runs one of the others.";
  return first_lines(Font::small, wrapped(Font::small, text, width), most_caption_lines, width);
}

PlotTexts texts_of(const SweepStats& sweep, const SweepView& view, const Lines& lines,
                   const std::vector<std::string>& names, bool has_rings, float width) {
  const std::string title = wrapped(Font::strong, title_of(sweep, view, lines.now.empty()), width);
  return {first_lines(Font::strong, title, most_title_lines, width), caption_of(sweep, lines, names, has_rings, width)};
}

}  // namespace
}  // namespace ui

std::vector<SweepView> shown_sweeps(const SweepStats& sweep, const Settings& settings, const Kind& kind) {
  const auto chosen = settings.sweep.of.find(std::string(kind.id));
  const SweepParameter& wanted = sweep_axis(kind, chosen == settings.sweep.of.end() ? SweepChoices() : chosen->second);
  for (const auto* rows : {&sweep.rows, &sweep.loaded})
    if (std::vector<SweepView> views = sweep_views(*rows, kind, shown_axis(*rows, kind, wanted)); !views.empty())
      return views;
  return {};
}

SweepView shown_sweep(const std::vector<SweepView>& views) {
  const auto at = static_cast<std::size_t>(std::max(ui::momentary().sweep_shown, 0));
  return views.empty() ? SweepView() : views[std::min(at, views.size() - 1)];
}

void draw_sweep_plot(ImDrawList& list, ImVec2 from, ImVec2 to, const SweepStats& sweep, const SweepView& view) {
  using namespace ui;
  const Theme& t = theme();
  const Lines lines = lines_of(sweep, view);
  if (lines.now.empty() && lines.saved.empty()) {
    const std::string text = sweep.running ? "The first points are being measured." : "Nothing has been measured yet.";
    const ImVec2 extent = text_size(Font::body, text);
    draw_text(list, Font::body, {(from.x + to.x - extent.x) / 2, (from.y + to.y - extent.y) / 2}, t.faint, text);
    return;
  }
  const ItemRectangle whole{from, to};
  const float legend = legend_width(from, to);
  const std::vector<std::string> names = names_of(lines);
  const std::vector<Crossing> rings = rings_of(lines);
  const PlotTexts texts = texts_of(sweep, view, lines, names, !rings.empty(), to.x - from.x);
  const Plot plot = plot_of(lines, from, to, texts);
  draw_text(list, Font::strong, from, t.text, texts.title);
  if (texts.title.ends_with("…"))
    tooltip_of_cut(list, texts.title, title_of(sweep, view, lines.now.empty()), from, {to.x, plot.from.y}, &whole);
  if (!plot.large_enough()) return;
  draw_axes(list, plot, lines, *view.along);
  list.PushClipRect(plot.from, plot.to, true);
  draw_curves(list, plot, lines, names);
  std::vector<Area> labels;
  for (const Crossing& crossing : rings) draw_crossing(list, plot, crossing, *view.along, labels);
  list.PopClipRect();
  draw_legend(list, {plot.to.x + px(14), plot.from.y}, legend, plot.to.y, lines, names, sweep, whole);
  const float height = px(caption_line) * static_cast<float>(count_lines(texts.caption));
  draw_text(list, Font::small, {from.x, to.y - height},
            sweep.beside_view || has_doubted(shown_curves(lines)) ? t.warning : t.dim, texts.caption);
}

SweepPointSeen sweep_point_near(ImVec2 place, ImVec2 from, ImVec2 to, const SweepStats& sweep, const SweepView& view) {
  using namespace ui;
  const Lines lines = lines_of(sweep, view);
  if (lines.now.empty() && lines.saved.empty()) return {};
  const std::vector<Crossing> rings = rings_of(lines);
  const Plot plot =
      plot_of(lines, from, to, texts_of(sweep, view, lines, names_of(lines), !rings.empty(), to.x - from.x));
  if (!plot.large_enough()) return {};
  for (const Crossing& crossing : rings) {
    const ImVec2 at = plot.at(crossing.at, crossing.milliseconds);
    if (std::hypot(at.x - place.x, at.y - place.y) <= px(crossing_radius))
      return {crossing_text(crossing, *view.along), at};
  }
  float least = px(28);
  SweepPointSeen seen;
  const auto look = [&](const SweepCurve& curve, const char* of, bool spread) {
    for (const SweepPoint& point : curve.points) {
      const ImVec2 at = plot.at(point.at, point.median_ms);
      const float away = std::hypot(at.x - place.x, at.y - place.y);
      if (away >= least) continue;
      least = away;
      seen.at = at;
      seen.text = strategy_name(curve.strategy, point.runs) + of + ", " + std::string(view.along->title) + " " +
                  point.text + "\nmedian " + format_milliseconds(point.median_ms);
      if (!spread) continue;
      seen.text += ", p05 " + format_ms(point.p05_ms) + ", p95 " + format_ms(point.p95_ms);
      if (const auto copies = times_copy(point.median_ms, point.copy_ms))
        seen.text += "\n" + format_number(*copies) + " × copy";
      seen.text += samples_text(point);
    }
  };
  for (const SweepCurve& curve : lines.now) look(curve, "", true);
  for (const SweepCurve& curve : lines.saved) look(curve, " (overlaid)", true);
  look(lines.copy, " of the output", false);
  return seen;
}

void draw_sweep_picture(ImDrawList& list, ImVec2 size, const SweepStats& sweep, const SweepView& view) {
  const float margin = ui::px(24);
  list.AddRectFilled({0, 0}, size, ui::theme().panel);
  draw_sweep_plot(list, {margin, margin}, {size.x - margin, size.y - margin}, sweep, view);
}

}  // namespace convoscope
