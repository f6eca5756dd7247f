#pragma once
// The taps of a separable filter in the order in which kernels read them.
#include "kernels/filter/separability.h"

namespace convoscope {

// Two weight sets of a row and a column each; a side has at most max_filter_taps_1d taps.
inline constexpr int max_separable_taps = 4 * max_filter_taps_1d;

// Row taps, column taps[, row taps and column taps of weights_y]: width + height values for each weight set. Only for
// filters for which separable_reason() is empty.
inline std::vector<float> separable_taps(const Filter& filter) {
  std::vector<float> taps;
  for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y}) {
    if (weights->empty()) continue;
    const auto factors = factor_rank_one(weights->data(), filter.width, filter.height, rank_one_tolerance);
    taps.insert(taps.end(), factors->row.begin(), factors->row.end());
    taps.insert(taps.end(), factors->column.begin(), factors->column.end());
  }
  return taps;
}

// How such a filter's weights and its taps belong together, for who asks for an explanation.
inline constexpr const char* factors_words = "The weights are a column times a row: their product is what is shown.";

}  // namespace convoscope
