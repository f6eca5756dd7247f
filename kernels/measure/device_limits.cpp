#include "kernels/measure/device_limits.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/measure/cache_file.h"
#include "kernels/measure/fma_rate.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

constexpr const char* limits_cache_name = "limits.json";
constexpr int runs = 5;
constexpr std::size_t most_copied = std::size_t{256} << 20;

// What one image of the copy takes: far more than any cache holds, and little of the device's memory.
std::size_t copied_bytes(const Device& device) {
  const std::size_t fit = device.memory_bytes ? device.memory_bytes / 16 : most_copied;
  const std::size_t wanted = device.backend == Backend::cpu ? most_copied / 2 : most_copied;
  return std::max<std::size_t>(std::min(wanted, fit), 1 << 20);
}

// One copy of `from`, read and written, in bytes per second.
double copy_rate(Compute& compute, const Image& from, const Image& to, IntervalTimer& timer) {
  const double bytes = 2.0 * from.width * from.height * static_cast<double>(bytes_per_pixel(from.format));
  timer.start(compute.stream());
  compute.copy_with_all(from, to);
  timer.stop(compute.stream());
  compute.synchronize();
  const std::optional<double> milliseconds = timer.poll_ms();
  return milliseconds && *milliseconds > 0 ? bytes / *milliseconds * 1e3 : 0;
}

double best_copy_rate(Compute& compute) {
  constexpr int width = 8192;  // rows of 32 KB; without padding on any device
  const int height = static_cast<int>(copied_bytes(compute.device()) / (4 * width));
  const DeviceImage from = compute.allocate(width, std::max(height, 1), PixelFormat::rgba8);
  const DeviceImage to = compute.allocate(width, std::max(height, 1), PixelFormat::rgba8);
  compute.fill(from.image(), 0x5A);
  compute.fill(to.image(), 0);  // its pages are there before the first copy
  const std::unique_ptr<IntervalTimer> timer = compute.make_timer();
  double best = 0;
  for (int i = 0; i < runs && !stop_requested(); ++i)
    best = std::max(best, copy_rate(compute, from.image(), to.image(), *timer));
  return best;
}

double best_fma_rate(Compute& compute) {
  double best = 0;
  for (int i = 0; i < runs && !stop_requested(); ++i)
    best = std::max(best, compute.device().backend == Backend::cuda ? cuda_fma_rate(compute) : cpu_fma_rate());
  return best;
}

bool is_rate(double value) { return std::isfinite(value) && value > 0; }

}  // namespace

DeviceLimits measure_limits(Compute& compute) {
  if (compute.device().backend == Backend::emulated) return {};
  DeviceLimits limits;
  limits.flop_per_second = best_fma_rate(compute);  // first: it raises the clocks
  limits.copy_bytes_per_second = best_copy_rate(compute);
  return limits;
}

DeviceLimits load_limits(const Device& device, std::string* problem) {
  const nlohmann::json entry = load_cache_entry(limits_cache_name, device_key(device), problem);
  DeviceLimits limits;
  if (!entry.is_object()) return limits;
  const auto number = [&](const char* name) {
    const auto found = entry.find(name);
    return found != entry.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  limits.copy_bytes_per_second = number("copy_bytes_per_second");
  limits.flop_per_second = number("flop_per_second");
  if (!is_rate(limits.copy_bytes_per_second) || !is_rate(limits.flop_per_second)) return {};
  limits.from_cache = true;
  return limits;
}

bool save_limits(const Device& device, const DeviceLimits& limits, std::string* problem) {
  return save_cache_entry(
      limits_cache_name, device_key(device),
      {{"copy_bytes_per_second", limits.copy_bytes_per_second}, {"flop_per_second", limits.flop_per_second}}, problem);
}

DeviceLimits known_limits(Compute& compute, std::string* problem) {
  if (compute.device().backend == Backend::emulated) return {};
  const DeviceLimits known = load_limits(compute.device(), problem);
  if (known.from_cache) return known;
  return measure_limits_again(compute, problem);
}

DeviceLimits measure_limits_again(Compute& compute, std::string* problem) {
  if (compute.device().backend == Backend::emulated) return {};
  DeviceLimits limits = measure_limits(compute);
  if (stop_requested()) return {};  // half a measurement says nothing
  const DeviceLimits before = load_limits(compute.device(), problem);
  limits.copy_bytes_per_second = std::max(limits.copy_bytes_per_second, before.copy_bytes_per_second);
  limits.flop_per_second = std::max(limits.flop_per_second, before.flop_per_second);
  save_limits(compute.device(), limits, problem);
  return limits;
}

}  // namespace convoscope
