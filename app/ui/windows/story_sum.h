#pragma once
// A pinned pixel's value, term by term: the weights times the inputs under them, as the definition adds them.
#include <vector>

#include "app/state/stats.h"

namespace convoscope::ui {

struct StoryTerm {
  int dx = 0, dy = 0;  // from the pixel
  double weight = 0, input = 0;
  bool outside = false;  // a ghost cell: the border decides the input
  double product() const { return weight * input; }
};

struct StorySum {
  std::vector<StoryTerm> terms, terms_y;  // row by row; terms_y: of an edge magnitude's second set
  double sum = 0, sum_y = 0;
  double magnitude = 0;  // of both; `sum` when there is one
  double scaled = 0;     // gain · magnitude + bias · white
  double value = 0;      // |scaled| where that is asked for
  double stored = 0;     // rounded and clamped for rgba8
  bool complete = true;  // all inputs are at hand
};

StorySum add_up(const PixelStory&, int channel);

}  // namespace convoscope::ui
