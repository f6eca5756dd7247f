#pragma once
// A drawing of lines, areas, marks and words within a page. Its unit is a pixel of a page that is wide enough; where
// the page is narrower, it becomes smaller as a whole.
#include <span>
#include <string>
#include <string_view>

namespace convoscope {

struct SvgPoint {
  double x = 0, y = 0;  // from the upper left corner
};

class Svg {
 public:
  Svg(double width, double height) : width_(width), height_(height) {}

  // Colours are CSS: "#0b62c4", "var(--accent)"; "none" for an area that is not filled.
  void line(SvgPoint from, SvgPoint to, std::string_view colour, double thickness = 1);
  void path(std::span<const SvgPoint>, std::string_view colour, double thickness = 1.5);
  void rectangle(SvgPoint corner, double width, double height, std::string_view fill, std::string_view edge = "none");
  void dot(SvgPoint centre, double radius, std::string_view fill);
  enum class Anchor { start, middle, end };
  void text(SvgPoint baseline, std::string_view text, Anchor = Anchor::start, double size = 13,
            std::string_view colour = "var(--ink)");

  // `alt` is text: what it shows, for who cannot see it. Throws nothing; numbers that are not finite become 0.
  std::string html(std::string_view alt) const;

 private:
  double width_, height_;
  std::string parts_;
};

}  // namespace convoscope
