#include "app/measure/bootstrap.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace convoscope {
namespace {

constexpr unsigned seed = 20;
constexpr double clock_resolution_ms = 0.0005;
constexpr double least_difference = 0.005;

}  // namespace

void MedianBootstrap::start(const RollingTimes& times) {
  const int count = std::min(times.count(), bootstrap_most), first = times.count() - count;
  times_.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) times_[static_cast<std::size_t>(i)] = times.at(first + i);
  medians_.clear();
  medians_.reserve(bootstrap_resamples);
  random_.seed(seed);
  median_ = 0;
  ranked_ = false;
}

void MedianBootstrap::rank_times() {
  const std::size_t size = times_.size();
  for (auto* scratch : {&order_, &rank_, &drawn_}) scratch->resize(size);
  sorted_.resize(size);
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return times_[a] < times_[b]; });
  for (std::size_t r = 0; r < size; ++r) {
    rank_[order_[r]] = static_cast<std::uint32_t>(r);
    sorted_[r] = times_[order_[r]];
  }
  median_ = 0.5 * (static_cast<double>(sorted_[(size - 1) / 2]) + sorted_[size / 2]);
  ranked_ = true;
}

bool MedianBootstrap::step(int most_times) {
  if (!has_enough()) return true;
  if (!ranked_) {
    rank_times();
    return false;
  }
  for (int drawn = 0; !done() && (drawn == 0 || drawn < most_times); drawn += static_cast<int>(times_.size()))
    medians_.push_back(resampled_median());
  return done();
}

// By counting ranks instead of sorting: the median is found where half of the draws are passed.
double MedianBootstrap::resampled_median() {
  const std::size_t size = rank_.size();
  std::fill(drawn_.begin(), drawn_.end(), 0u);
  for (std::size_t taken = 0; taken < size;) {
    std::size_t at = static_cast<std::size_t>((std::uint64_t{random_()} * size) >> 32);
    const std::size_t end = std::min(taken + bootstrap_block, size);
    for (; taken < end; ++taken) {
      ++drawn_[rank_[at]];
      if (++at == size) at = 0;
    }
  }
  const std::size_t lower = (size - 1) / 2, upper = size / 2;  // the middle draw, or the two
  double low = 0;
  bool found_low = false;
  for (std::size_t r = 0, passed = 0;; ++r) {
    passed += drawn_[r];
    if (!found_low && passed > lower) low = sorted_[r], found_low = true;
    if (passed > upper) return 0.5 * (low + sorted_[r]);
  }
}

std::optional<Interval> MedianBootstrap::interval() const {
  if (!has_enough() || !done()) return std::nullopt;
  std::vector<double> sorted(medians_.begin(), medians_.end());
  return widened(middle_95(sorted), median_);
}

// The window is a sample of blocks, and few blocks vary less among themselves than blocks do: Student's t for the
// normal distribution's 1.96, and the unbiased variance.
Interval MedianBootstrap::widened(const Interval& middle, double centre) const {
  const double blocks = static_cast<double>(times_.size()) / bootstrap_block;
  const double t = boost::math::quantile(boost::math::students_t(blocks - 1), 0.975);
  const double normal = boost::math::quantile(boost::math::normal(), 0.975);
  const double factor = t / normal * std::sqrt(blocks / (blocks - 1));
  return {centre - (centre - middle.low) * factor, centre + (middle.high - centre) * factor};
}

Interval middle_95(std::span<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::size_t>(std::lround(0.025 * static_cast<double>(values.size())));
  return {values[std::min(cut, values.size() - 1)], values[values.size() - 1 - std::min(cut, values.size() - 1)]};
}

bool tell_apart(const Interval& a, const Interval& b) {
  const auto below = [](const Interval& x, const Interval& y) {
    return x.high * (1 + least_difference) + clock_resolution_ms < y.low;
  };
  return below(a, b) || below(b, a);
}

}  // namespace convoscope
