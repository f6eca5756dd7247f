#include "app/measure/health_monitor.h"

#include <algorithm>
#include <chrono>

#include "kernels/compute/device_pci.h"

namespace convoscope {
namespace {

constexpr double longest_history = 120;  // seconds
constexpr double moved_by = 0.05;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

void ClockHistory::add(double now, int sm_mhz, int memory_mhz) {
  samples_.push_back({now, sm_mhz, memory_mhz});
  while (samples_.front().time < now - longest_history) samples_.pop_front();
}

bool ClockHistory::moved(double now, double seconds) const {
  const auto moves = [&](int At::*clock) {
    int low = 0, high = 0;
    for (const At& sample : samples_) {
      if (sample.time < now - seconds || sample.*clock <= 0) continue;
      low = low == 0 ? sample.*clock : std::min(low, sample.*clock);
      high = std::max(high, sample.*clock);
    }
    return high - low > moved_by * high;
  };
  return moves(&At::sm) || moves(&At::memory);
}

void ClockHistory::forget_before(double time) {
  while (!samples_.empty() && samples_.front().time < time) samples_.pop_front();
}

HealthMonitor::HealthMonitor(const Device& device, const char* library, double seconds_between)
    : seconds_between_(seconds_between) {
  if (device.backend != Backend::cuda) {
    health_.absent_because = "Clocks, temperature and power are shown only for NVIDIA GPUs; here the CPU computes.";
    return;
  }
  thread_ = std::jthread(
      [this, bus = pci_bus_id(device), name = std::string(library)](std::stop_token stop) { watch(stop, bus, name); });
}

void HealthMonitor::watch(std::stop_token stop, std::string pci_bus_id, std::string library) {
  std::string reason;
  const std::unique_ptr<Nvml> nvml = Nvml::open(pci_bus_id, reason, library.c_str());
  HealthSample sample;
  bool answers = nvml != nullptr;
  while (answers && !stop.stop_requested()) {
    answers = nvml->sample(sample);
    std::unique_lock lock(mutex_);
    if (!answers) break;
    health_.present = true;
    health_.sm_clock_mhz = sample.sm_clock_mhz;
    health_.memory_clock_mhz = sample.memory_clock_mhz;
    health_.temperature_c = sample.temperature_c;
    health_.power_w = sample.power_w;
    health_.throttling = sample.throttling;
    clocks_.add(now(), sample.sm_clock_mhz, sample.memory_clock_mhz);
    wake_.wait_for(lock, stop, std::chrono::duration<double>(seconds_between_), [] { return false; });
  }
  if (answers) return;
  const std::lock_guard lock(mutex_);
  health_ = {};
  health_.absent_because =
      nvml ? "Clocks, temperature and power are no longer known: the GPU has stopped answering." : reason;
}

void HealthMonitor::read(DeviceHealth& health, double window_seconds) const {
  const std::lock_guard lock(mutex_);
  health = health_;
  health.clocks_moved = health.present && clocks_.moved(now(), window_seconds);
}

void HealthMonitor::reset() {
  const std::lock_guard lock(mutex_);
  clocks_.forget_before(now());
}

}  // namespace convoscope
