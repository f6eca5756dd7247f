#include "app/stage_clock.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace convoscope {

void StageClock::report(std::int64_t frames_shown, std::int64_t frames_dropped, int queue_length, double expected_ms) {
  const std::int64_t dropped = frames_dropped - std::exchange(dropped_before_, frames_dropped);
  if (!spdlog::should_log(spdlog::level::debug)) return;
  double total = 0;
  for (std::size_t i = 0; i < used_; ++i) total += stages_[i].milliseconds;
  if (total <= expected_ms && dropped == 0) return;
  std::string text;
  for (std::size_t i = 0; i < used_; ++i) text += fmt::format(", {} {:.1f}", stages_[i].name, stages_[i].milliseconds);
  spdlog::debug("Frame {}: {} dropped, {} waiting in the queue; {:.1f} ms{}", frames_shown, dropped, queue_length,
                total, text);
}

}  // namespace convoscope
