#pragma once
// Drawings of times for a page: bars with intervals, and lines over a number, on logarithmic axes. Narrow enough to be
// read on a telephone as they are.
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

struct PlotBar {
  std::string label, value;          // what stands above it and at its end
  double at = 0, low = 0, high = 0;  // high 0: no interval
  int colour = 0;                    // which of plot_colours
  bool doubtful = false;             // drawn hollow
};
// Bars begin at the axis' least power of ten, so that their ends are to be compared and not their lengths; `axis` says
// so with the unit. Values that are not above 0 are left out. `alt`: for who cannot see it.
std::string bar_plot(const std::vector<PlotBar>&, const std::string& axis, const std::string& alt);

struct PlotLine {
  std::string label;
  struct Point {
    double x = 0, y = 0, low = 0, high = 0;
  };
  std::vector<Point> points;  // by ascending x
};
// Both axes logarithmic, x in powers of two. The lines' names stand below, in their colours and marks.
std::string line_plot(const std::vector<PlotLine>&, const std::string& x, const std::string& y, const std::string& alt);

// Dark enough on white, light enough on black; told apart by who sees few colours.
const std::vector<std::string>& plot_colours();

// CSS of a page with such drawings, side by side where there is room.
std::string_view plots_style();

}  // namespace convoscope
