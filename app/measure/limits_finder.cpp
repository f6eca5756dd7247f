#include "app/measure/limits_finder.h"

#include "kernels/text/error.h"
#include "kernels/threads/stop.h"

namespace convoscope {

LimitsFinder::LimitsFinder(const Device& device, bool may_measure) : device_(device) {
  if (device_.backend == Backend::emulated) return;  // its rates say nothing about a GPU
  limits_ = load_limits(device_, &problem_);
  if (limits_.copy_bytes_per_second > 0)
    state_ = State::found;
  else if (may_measure)
    start(known_limits);
}

void LimitsFinder::measure_again() {
  if (device_.backend != Backend::emulated && state_ == State::taken) start(measure_limits_again);
}

void LimitsFinder::start(Find find) {
  if (thread_.joinable()) thread_.join();  // it has come to its end
  state_ = State::measuring;
  problem_.clear();
  thread_ = std::jthread([this, find](const std::stop_token& stop) {
    const StopScope scope(stop);
    measure(find);
  });
}

void LimitsFinder::measure(Find find) {
  try {
    limits_ = find(*make_compute(device_.backend, device_.ordinal), &problem_);
  } catch (const Error& error) {
    problem_ = std::string("The roofline of this device could not be measured: ") + error.what();
  }
  state_ = State::found;
}

bool LimitsFinder::take_limits(DeviceLimits& limits, std::string& problem) {
  if (state_ != State::found) return false;
  if (thread_.joinable()) thread_.join();
  limits = limits_;
  problem = problem_;
  state_ = State::taken;
  return true;
}

}  // namespace convoscope
