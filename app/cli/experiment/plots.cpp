#include "app/cli/experiment/plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "app/page/svg.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr double plot_width = 440, small_text = 12;
constexpr const char *faint_colour = "var(--faint)", *grid_colour = "var(--line)";

// A logarithmic axis between whole powers of its base.
struct LogAxis {
  double base = 10, least = 1, most = 10, from = 0, to = 1;  // values, and where they lie
  double at(double value) const { return from + (to - from) * std::log(value / least) / std::log(most / least); }
  std::vector<double> ticks() const {
    std::vector<double> all;
    for (double tick = least; tick < most * 1.001; tick *= base) all.push_back(tick);
    return all;
  }
};

LogAxis log_axis(double base, double least, double most, double from, double to) {
  const auto power = [&](double value, auto round) { return std::pow(base, round(std::log(value) / std::log(base))); };
  LogAxis axis{.base = base,
               .least = power(least * 1.0001, [](double x) { return std::floor(x); }),
               .most = power(most * 0.9999, [](double x) { return std::ceil(x); }),
               .from = from,
               .to = to};
  if (axis.most <= axis.least) axis.most = axis.least * base;
  return axis;
}

std::string tick_text(double value) {
  return value >= 1000 ? format_count(std::lround(value)) : rounded_text(value, 3);
}

std::string colour_of(int number) {
  const std::vector<std::string>& all = plot_colours();
  return all[static_cast<std::size_t>(number) % all.size()];
}

}  // namespace

// Okabe and Ito's, without the yellow that white swallows.
const std::vector<std::string>& plot_colours() {
  static const std::vector<std::string> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#8a6d00", "#56b4e9", "#7f7f7f"};
  return colours;
}

std::string_view plots_style() {
  return R"css(
.plots { display: flex; flex-wrap: wrap; gap: 0 24px; }
.plots figure { flex: 0 1 440px; min-width: 0; }
table { font-size: 0.92rem; }
)css";
}

std::string bar_plot(const std::vector<PlotBar>& bars, const std::string& axis, const std::string& alt) {
  constexpr double row = 36, bar = 12, top = 8, bottom = 44, side = 8;
  double least = 0, most = 0;
  for (const PlotBar& each : bars) {
    if (!(each.at > 0)) continue;
    least = least > 0 ? std::min(least, each.at) : each.at;
    most = std::max({most, each.at, each.high});
  }
  if (!(least > 0)) return "";
  const auto drawn = static_cast<double>(std::ranges::count_if(bars, [](const PlotBar& each) { return each.at > 0; }));
  const double height = top + row * drawn + bottom, ground = height - bottom;
  const LogAxis x = log_axis(10, least / 1.5, most, side, plot_width - side);
  Svg svg(plot_width, height);
  for (const double tick : x.ticks()) {
    svg.line({x.at(tick), top}, {x.at(tick), ground}, grid_colour);
    const bool first = tick == x.least, last = tick >= x.most * 0.999;
    svg.text({x.at(tick), ground + 14}, tick_text(tick),
             first  ? Svg::Anchor::start
             : last ? Svg::Anchor::end
                    : Svg::Anchor::middle,
             small_text, faint_colour);
  }
  svg.text({plot_width / 2, height - 8}, axis, Svg::Anchor::middle, small_text, faint_colour);
  double y = top;
  for (const PlotBar& each : bars) {
    if (!(each.at > 0)) continue;
    svg.text({side, y + 14}, each.label, Svg::Anchor::start, 13);
    svg.text({plot_width - side, y + 14}, each.value, Svg::Anchor::end, 13);
    const double end = x.at(each.at), middle = y + 19 + bar / 2;
    svg.rectangle({side, y + 19}, std::max(end - side, 1.0), bar, each.doubtful ? "none" : colour_of(each.colour),
                  colour_of(each.colour));
    if (each.high > 0) {
      const double low = x.at(std::max(each.low, x.least)), high = x.at(each.high);
      svg.line({low, middle}, {high, middle}, "var(--ink)", 1.5);
      for (const double at : {low, high}) svg.line({at, middle - 4}, {at, middle + 4}, "var(--ink)", 1.5);
    }
    y += row;
  }
  return svg.html(alt);
}

std::string line_plot(const std::vector<PlotLine>& lines, const std::string& x_title, const std::string& y_title,
                      const std::string& alt) {
  constexpr double left = 46, right = 12, top = 24, bottom = 44, drawing = 300, row = 18;
  double least = 0, most = 0;
  std::set<double> all_x;
  for (const PlotLine& line : lines)
    for (const PlotLine::Point& point : line.points) {
      if (!(point.y > 0) || !(point.x > 0)) continue;
      least = least > 0 ? std::min(least, point.y) : point.y;
      most = std::max(most, point.y);
      all_x.insert(point.x);
    }
  if (all_x.empty()) return "";
  const double ground = top + drawing, rows = std::ceil(static_cast<double>(lines.size()) / 2);
  const LogAxis y = log_axis(10, least, most, ground, top);
  const LogAxis x = log_axis(2, *all_x.begin(), *all_x.rbegin(), left, plot_width - right);
  Svg svg(plot_width, ground + bottom + row * rows + 6);
  for (const double tick : y.ticks()) {
    svg.line({left, y.at(tick)}, {plot_width - right, y.at(tick)}, grid_colour);
    svg.text({left - 6, y.at(tick) + 4}, tick_text(tick), Svg::Anchor::end, small_text, faint_colour);
  }
  for (const double value : all_x) {
    svg.line({x.at(value), top}, {x.at(value), ground}, grid_colour);
    svg.text({x.at(value), ground + 15}, tick_text(value), Svg::Anchor::middle, small_text, faint_colour);
  }
  svg.text({0, 13}, y_title, Svg::Anchor::start, small_text, faint_colour);
  svg.text({(left + plot_width - right) / 2, ground + 32}, x_title, Svg::Anchor::middle, small_text, faint_colour);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string colour = colour_of(static_cast<int>(i));
    std::vector<SvgPoint> points;
    for (const PlotLine::Point& point : lines[i].points) {
      if (!(point.y > 0) || !(point.x > 0)) continue;
      points.push_back({x.at(point.x), y.at(point.y)});
      if (point.high > 0 && point.low > 0)
        svg.line({points.back().x, y.at(std::max(point.low, y.least))},
                 {points.back().x, y.at(std::min(point.high, y.most))}, colour, 1);
    }
    svg.path(points, colour, 2);
    const bool square = (i / plot_colours().size()) % 2 == 1;  // the colours begin again
    const auto mark = [&](const SvgPoint& at) {
      square ? svg.rectangle({at.x - 3.5, at.y - 3.5}, 7, 7, colour) : svg.dot(at, 3.5, colour);
    };
    for (const SvgPoint& point : points) mark(point);
    const double key_x = i % 2 == 0 ? 8 : plot_width / 2, key_y = ground + bottom + row * static_cast<double>(i / 2);
    mark({key_x + 4, key_y});
    svg.text({key_x + 14, key_y + 4}, lines[i].label, Svg::Anchor::start, small_text);
  }
  return svg.html(alt);
}

}  // namespace convoscope
