#include "kernels/jit/row_sums.h"

#include <algorithm>
#include <cmath>

namespace convoscope {
namespace {

std::vector<RowTerm> terms_of(const float* row, int width) {
  std::vector<RowTerm> terms;
  const auto single = [&](int i) {
    if (row[i] != 0) terms.push_back({RowTerm::Kind::pixel, i, i, row[i]});
  };
  const int centre = width / 2;
  single(centre);
  for (int near = centre - 1, far = centre + 1; near >= 0; --near, ++far) {
    if (row[near] == row[far] && row[far] != 0) {
      terms.push_back({RowTerm::Kind::sum, near, far, row[far]});
    } else if (row[near] == -row[far] && row[far] != 0) {
      terms.push_back({RowTerm::Kind::difference, near, far, row[far]});
    } else {
      single(near);
      single(far);
    }
  }
  return terms;
}

float largest(const float* row, int width) {
  float most = 0;
  for (int i = 0; i < width; ++i) most = std::max(most, std::abs(row[i]));
  return most;
}

// What `base` must be multiplied with to give `row`; 0 when nothing does.
float multiple_of(const float* base, const float* row, int width) {
  const int i = static_cast<int>(
      std::max_element(base, base + width, [](float a, float b) { return std::abs(a) < std::abs(b); }) - base);
  const float scale = row[i] / base[i];
  if (!std::isfinite(scale) || scale == 0) return 0;
  const float slack = 0x1p-22f * largest(row, width);
  for (int k = 0; k < width; ++k)
    if (std::abs(row[k] - scale * base[k]) > slack) return 0;
  return scale;
}

int terms_cost(const std::vector<RowTerm>& terms) {
  int cost = 0;
  for (const RowTerm& term : terms) cost += term.kind == RowTerm::Kind::pixel ? 1 : 2;
  return cost;
}

}  // namespace

std::vector<RowGroup> row_groups(const std::vector<float>& weights, int width, int height) {
  struct Found {
    const float* base;
    RowGroup group;
  };
  std::vector<Found> found;
  for (int y = 0; y < height; ++y) {
    const float* row = weights.data() + static_cast<std::size_t>(y) * width;
    if (largest(row, width) == 0) continue;
    float scale = 0;
    for (Found& candidate : found) {
      if ((scale = multiple_of(candidate.base, row, width)) == 0) continue;
      candidate.group.members.push_back({y, scale});
      break;
    }
    if (scale == 0) found.push_back({row, {terms_of(row, width), {{y, 1}}}});
  }
  std::vector<RowGroup> groups;
  for (Found& candidate : found) {
    const int terms = terms_cost(candidate.group.terms), members = static_cast<int>(candidate.group.members.size());
    if (terms * members > terms + members || members == 1) {
      groups.push_back(std::move(candidate.group));
      continue;
    }
    for (const RowGroup::Member& member : candidate.group.members)  // cheaper each for itself
      groups.push_back(
          {terms_of(weights.data() + static_cast<std::size_t>(member.row) * width, width), {{member.row, 1}}});
  }
  return groups;
}

int operations(const std::vector<RowGroup>& groups) {
  int count = 0;
  for (const RowGroup& group : groups)
    count += terms_cost(group.terms) + (group.members.size() > 1 ? static_cast<int>(group.members.size()) : 0);
  return count;
}

}  // namespace convoscope
