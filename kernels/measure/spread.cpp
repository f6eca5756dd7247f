#include "kernels/measure/spread.h"

#include <algorithm>
#include <cstddef>

namespace convoscope {

double fixed_part(double milliseconds, int rows, double part_milliseconds, int part_rows) {
  if (part_rows >= rows) return 0;
  const double a_row = (milliseconds - part_milliseconds) / (rows - part_rows);
  return std::clamp(milliseconds - a_row * rows, 0.0, milliseconds);
}

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
  return out;
}

}  // namespace convoscope
