#pragma once
// The colours that View::difference shows sizes by; the legend is drawn from the same numbers.
#include <array>

#include "app/state/settings.h"

namespace convoscope {

using FalseColour = std::array<std::array<float, 3>, 5>;  // evenly spaced stops, red green blue

// From no difference to the largest; lightness rises evenly, so that it also reads in grey.
inline constexpr FalseColour unsigned_colours{
    {{0.02f, 0.02f, 0.05f}, {0.29f, 0.07f, 0.45f}, {0.74f, 0.20f, 0.40f}, {0.98f, 0.56f, 0.21f}, {1.0f, 0.97f, 0.70f}}};
// From the first pane darker, through none, to the first pane brighter.
inline constexpr FalseColour signed_colours{
    {{0.55f, 0.86f, 1.0f}, {0.13f, 0.42f, 0.78f}, {0.05f, 0.05f, 0.06f}, {0.78f, 0.33f, 0.06f}, {1.0f, 0.86f, 0.50f}}};

constexpr const FalseColour& false_colours(DifferenceMode mode) {
  return mode == DifferenceMode::signed_values ? signed_colours : unsigned_colours;
}

// The two panes that View::difference compares: those chosen, or near ones where they are not there. Equal only when
// there is just one pane.
struct ComparedPanes {
  int first = 0, second = 0;
};
constexpr ComparedPanes compared_panes(const DifferenceSettings& difference, int panes) {
  if (panes < 2) return {};
  const auto inside = [panes](int i) { return i < 0 ? 0 : i >= panes ? panes - 1 : i; };
  const int first = inside(difference.first), second = inside(difference.second);
  return {first, first != second ? second : first > 0 ? 0 : 1};
}

}  // namespace convoscope
