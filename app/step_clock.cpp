#include "app/step_clock.h"

#include <cstdio>
#include <string>
#include <utility>

#include "app/files/log.h"

namespace convoscope {

void StepClock::report(std::int64_t frames_shown, std::int64_t frames_dropped, int queue_length, double expected_ms) {
  const std::int64_t dropped = frames_dropped - std::exchange(dropped_before_, frames_dropped);
  if (!log::says(log::Level::debug)) return;
  double total = 0;
  for (std::size_t i = 0; i < used_; ++i) total += steps_[i].milliseconds;
  if (total <= expected_ms && dropped == 0) return;
  const auto tenths = [](double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.1f", value);
    return std::string(text);
  };
  std::string text = "Frame " + std::to_string(frames_shown) + ": " + std::to_string(dropped) + " dropped, " +
                     std::to_string(queue_length) + " waiting in the queue; " + tenths(total) + " ms";
  for (std::size_t i = 0; i < used_; ++i)
    text += std::string(", ") + steps_[i].name + " " + tenths(steps_[i].milliseconds);
  log::debug(text);
}

}  // namespace convoscope
