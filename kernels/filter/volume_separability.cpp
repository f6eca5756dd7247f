#include "kernels/filter/volume_separability.h"

#include <cmath>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/filter/separability.h"

namespace convoscope {
namespace {

// Frames as the rows of a matrix: each a multiple of one picture when its rank is 1.
std::optional<SeparableFactors> time_and_picture(const Filter& filter) {
  return factor_rank_one(filter.weights.data(), filter.width * filter.height, filter.depth, rank_one_tolerance);
}

std::optional<SeparableFactors> column_and_row(const Filter& filter, const std::vector<float>& picture) {
  return factor_rank_one(picture.data(), filter.width, filter.height, rank_one_tolerance);
}

double error_of(const Filter& filter, const VolumeFactors& factors) {
  double error = 0;
  const float* weight = filter.weights.data();
  for (const double t : factors.frames)
    for (const double y : factors.column)
      for (const double x : factors.row) error += std::abs(*weight++ - t * y * x);
  return error;
}

}  // namespace

std::optional<VolumeFactors> factor_volume(const Filter& filter) {
  std::optional<SeparableFactors> outer = time_and_picture(filter);
  if (!outer) return std::nullopt;
  std::optional<SeparableFactors> inner = column_and_row(filter, outer->row);
  if (!inner) return std::nullopt;
  VolumeFactors factors{std::move(outer->column), std::move(inner->column), std::move(inner->row)};
  factors.error = error_of(filter, factors);
  return factors;
}

std::string separable_volume_reason(const Filter& filter) {
  const std::string needed =
      ": only a filter that is the product of one over time, a column and a row can be done in "
      "three passes";
  const std::optional<SeparableFactors> outer = time_and_picture(filter);
  if (!outer)
    return "The filter's " + std::to_string(filter.depth) + " frames have rank " +
           std::to_string(filter_rank(filter.weights.data(), filter.width * filter.height, filter.depth)) + needed;
  if (!column_and_row(filter, outer->row))
    return "Each frame of the filter has rank " +
           std::to_string(filter_rank(outer->row.data(), filter.width, filter.height)) + needed;
  return {};
}

double separable_volume_sum_bound(const Problem& problem) {
  const Filter& filter = problem.filter;
  return float32_sum_bound(problem, filter.depth + filter.height + filter.width) +
         1.001 * factor_volume(filter)->error * std::abs(static_cast<double>(filter.gain)) *
             white_level(problem.format);
}

}  // namespace convoscope
