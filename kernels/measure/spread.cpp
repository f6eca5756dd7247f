#include "kernels/measure/spread.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace convoscope {

double fixed_part(double milliseconds, int rows, double part_milliseconds, int part_rows) {
  if (part_rows >= rows) return 0;
  const double a_row = (milliseconds - part_milliseconds) / (rows - part_rows);
  return std::clamp(milliseconds - a_row * rows, 0.0, milliseconds);
}

namespace {

constexpr std::size_t fewest_for_interval = 6;

// How many of n samples may be left out at either end, so that the median is still between the others: a fair coin
// falls on one side so few times of n in one case of 40 at most.
std::size_t left_out(std::size_t n) {
  constexpr double either_end = 0.025, its_quantile = 1.96;
  constexpr std::size_t many = 200;  // the coin's law is the normal one
  if (n > many) return static_cast<std::size_t>((static_cast<double>(n) - its_quantile * std::sqrt(n)) / 2) - 1;
  double chance = std::pow(0.5, static_cast<double>(n)), sum = chance;
  std::size_t out = 0;
  while (sum <= either_end && 2 * (out + 1) < n) {
    ++out;
    chance *= static_cast<double>(n - out + 1) / static_cast<double>(out);
    sum += chance;
  }
  return out > 0 ? out - 1 : 0;
}

// Student's t for an interval of 95 %, by the series of Cornish and Fisher: within 0.2 % from five degrees of freedom
// on.
double t_for_95(double freedom) {
  constexpr double z = 1.959964, z2 = z * z;
  constexpr double first = z * (z2 + 1) / 4, second = z * ((5 * z2 + 16) * z2 + 3) / 96,
                   third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return z + first / freedom + second / (freedom * freedom) + third / (freedom * freedom * freedom);
}

void add_mean(const std::vector<double>& samples, Spread& out) {
  const auto n = static_cast<double>(samples.size());
  double sum = 0, squares = 0;
  for (const double each : samples) sum += each;
  out.mean = sum / n;
  if (samples.size() < fewest_for_interval) return;
  for (const double each : samples) squares += (each - out.mean) * (each - out.mean);
  const double either_side = t_for_95(n - 1) * std::sqrt(squares / (n - 1) / n);
  out.mean_low = out.mean - either_side;
  out.mean_high = out.mean + either_side;
}

}  // namespace

Spread spread(std::vector<double> samples) {
  Spread out;
  out.samples = static_cast<int>(samples.size());
  if (samples.empty()) return out;
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double part) {
    const double position = part * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (position - static_cast<double>(below)) * (samples[above] - samples[below]);
  };
  out.min = samples.front();
  out.p05 = at(0.05);
  out.median = at(0.5);
  out.p95 = at(0.95);
  add_mean(samples, out);
  if (samples.size() < fewest_for_interval) return out;
  const std::size_t out_of_it = left_out(samples.size());
  out.low = samples[out_of_it];
  out.high = samples[samples.size() - 1 - out_of_it];
  return out;
}

}  // namespace convoscope
