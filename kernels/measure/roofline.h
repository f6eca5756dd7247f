#pragma once
#include <algorithm>
#include <optional>

#include "kernels/contract/strategy.h"
#include "kernels/measure/device_limits.h"

namespace convoscope {

// The least time that the rates of the device allow for what the model counts, over the time that was taken: FP32
// multiply-adds and copies; on matrix units copies alone, since their rate is not measured. The roof of copies is the
// faster of the device's rate, which is that of its memory, and of a copy of this very size, which a cache may keep.
// None where a rate is missing, or where more than the roof comes out: the model counts traffic that did not happen.
inline std::optional<double> fraction_of_roofline(const Cost& cost, double milliseconds, const DeviceLimits& limits,
                                                  double own_copy_bytes_per_second) {
  constexpr double rounded_to_whole = 1.005;
  if (limits.copy_bytes_per_second <= 0 || limits.flop_per_second <= 0 || !(milliseconds > 0)) return std::nullopt;
  const double arithmetic = cost.on_matrix_units ? 0 : cost.flop / limits.flop_per_second;
  const double copying = cost.dram_bytes / std::max(limits.copy_bytes_per_second, own_copy_bytes_per_second);
  const double fraction = std::max(copying, arithmetic) * 1e3 / milliseconds;
  return fraction < rounded_to_whole ? std::optional(std::min(fraction, 1.0)) : std::nullopt;
}

}  // namespace convoscope
