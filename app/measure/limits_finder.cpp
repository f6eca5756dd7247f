#include "app/measure/limits_finder.h"

#include "kernels/contract/error.h"
#include "kernels/contract/stop.h"

namespace convoscope {

LimitsFinder::LimitsFinder(const Device& device, bool may_measure) {
  if (device.backend == Backend::emulated) return;  // its rates say nothing about a GPU
  limits_ = load_limits(device, &problem_);
  if (limits_.copy_bytes_per_second > 0) {
    state_ = State::found;
  } else if (may_measure) {
    state_ = State::measuring;
    thread_ = std::jthread([this, device](const std::stop_token& stop) {
      const StopScope scope(stop);
      measure(device);
    });
  }
}

void LimitsFinder::measure(Device device) {
  try {
    limits_ = known_limits(*make_compute(device.backend, device.ordinal), &problem_);
  } catch (const Error& error) {
    problem_ = std::string("The roofline of this device could not be measured: ") + error.what();
  }
  state_ = State::found;
}

bool LimitsFinder::take(DeviceLimits& limits, std::string& problem) {
  if (state_ != State::found) return false;
  if (thread_.joinable()) thread_.join();
  limits = limits_;
  problem = problem_;
  state_ = State::taken;
  return true;
}

}  // namespace convoscope
