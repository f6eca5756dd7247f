#include "app/page/svg.h"

#include <cmath>

#include "app/page/html.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

std::string svg_number(double value) { return rounded_text(std::isfinite(value) ? value : 0, 6); }
std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + html_text(value) + "\"";
}
std::string attribute(std::string_view name, double value) { return attribute(name, svg_number(value)); }

}  // namespace

void Svg::line(SvgPoint from, SvgPoint to, std::string_view colour, double thickness) {
  parts_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
            attribute("y2", to.y) + attribute("stroke", colour) + attribute("stroke-width", thickness) + "/>\n";
}

void Svg::path(std::span<const SvgPoint> points, std::string_view colour, double thickness) {
  std::string list;
  for (const SvgPoint& point : points)
    list += (list.empty() ? "" : " ") + svg_number(point.x) + "," + svg_number(point.y);
  parts_ += "<polyline" + attribute("points", list) + attribute("fill", "none") + attribute("stroke", colour) +
            attribute("stroke-width", thickness) + "/>\n";
}

void Svg::rectangle(SvgPoint corner, double width, double height, std::string_view fill, std::string_view edge) {
  parts_ += "<rect" + attribute("x", corner.x) + attribute("y", corner.y) + attribute("width", width) +
            attribute("height", height) + attribute("fill", fill) + attribute("stroke", edge) + "/>\n";
}

void Svg::dot(SvgPoint centre, double radius, std::string_view fill) {
  parts_ += "<circle" + attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius) +
            attribute("fill", fill) + "/>\n";
}

void Svg::text(SvgPoint baseline, std::string_view text, Anchor anchor, double size, std::string_view colour) {
  const char* const name = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
  parts_ += "<text" + attribute("x", baseline.x) + attribute("y", baseline.y) + attribute("text-anchor", name) +
            attribute("font-size", size) + attribute("fill", colour) + ">" + html_text(text) + "</text>\n";
}

std::string Svg::html(std::string_view alt) const {
  return "<svg" + attribute("width", width_) + attribute("height", height_) +
         attribute("viewBox", "0 0 " + svg_number(width_) + " " + svg_number(height_)) + attribute("role", "img") +
         attribute("aria-label", alt) + attribute("font-family", "inherit") + ">\n" + parts_ + "</svg>\n";
}

}  // namespace convoscope
