// The last stage of a frame: what it cost, and what the device was doing meanwhile.
#include <optional>
#include <utility>

#include "app/app.h"
#include "app/files/log.h"
#include "app/files/sentence.h"
#include "kernels/contract/error.h"

namespace convoscope {

// Health and limits of the device that is computing now.
void App::watch_device() {
  limits_.reset();
  health_.reset();
  stats_.limits = {};
  health_ = std::make_unique<HealthMonitor>(stats_.device);
  // Offscreen on a CPU the strategies would share their cores with the measurement for most of a short run.
  limits_ =
      std::make_unique<LimitsFinder>(stats_.device, !context_->offscreen() || stats_.device.backend == Backend::cuda);
}

void App::reset_statistics() {
  for (PaneStats& pane : stats_.panes) pane.kernel.clear();
  stats_.stages = StageTimes();
  timing_window_ = 0;  // sizes the fresh ones anew
  health_->reset();
  stats_.frames_shown_before = stats_.frames_shown;
  stats_.frames_dropped_before = stats_.frames_dropped;
}

std::int64_t App::dropped_by_source() const { return (player_ ? player_->frames_dropped() : 0) + stage_->skipped(); }

// In the window the pane says it.
void App::tell_what_did_not_run() {
  for (const PaneStats& pane : stats_.panes)
    if (!pane.problem.empty()) {
      log::error(as_sentence(pane.problem) + " The picture passed through unfiltered.");
      failed_ = true;
    }
}

void App::measure() {
  StageTimes& stages = stats_.stages;
  if (timing_window_ != settings_.timing_window) {
    timing_window_ = settings_.timing_window;
    for (RollingTimes* const times : stages.all()) times->set_window(timing_window_);
    for (PaneStats& pane : stats_.panes) pane.kernel.set_window(timing_window_);
  }
  const double now = teller_.seconds();
  stage_->panes().collect(stats_.panes);
  const bool counts = same_frames_.begin(stats_.panes, stages);
  const double waited = std::exchange(waited_ms_, 0.0);
  if (last_swap_ > 0 && counts) {
    stages.frame.add((now - last_swap_) * 1e3);
    stages.waiting.add(waited);
  }
  last_swap_ = now;
  if (player_) {
    while (const auto milliseconds = player_->take_decode_ms()) stages.decode.add(*milliseconds);
    stats_.source = player_->stats();
    judge_seek();
    tell_place();
    stats_.frames_dropped = dropped_.take(dropped_by_source());
  }
  const auto take = [counts](RollingTimes& times, const auto& next) {
    while (const std::optional<double> milliseconds = next())
      if (counts) times.add(*milliseconds);
  };
  take(stages.upload, [&] { return stage_->poll_upload_ms(); });
  take(stages.convert, [&] { return stage_->poll_convert_ms(); });
  take(stages.interop, [&] { return interop_->poll_ms(); });
  take(stages.draw, [&] { return draw_timer_->poll_ms(); });
  if (read_back_) take(stages.read_back, [&] { return read_back_->poll_ms(); });
  pane_statistics_.update(stats_.panes, settings_.baseline_pane, stats_.now);
  health_->read(stats_.health, timing_window_ * 1e-3 * stages.frame.median());
  std::string problem;
  stats_.measuring_limits = limits_->is_measuring();
  if (limits_->take(stats_.limits, problem) && !problem.empty()) teller_.tell(MessageLevel::warning, problem, "limits");
  stats_.interop_notice = interop_->notice();
  if (!stage_->has_picture()) return;
  try {  // the textures still hold the frame that stats_.source now speaks of
    difference_.observe(interop_->textures(), stage_->panes(), settings_, stats_);
  } catch (const Error& error) {
    teller_.tell(MessageLevel::error, error.what());
  }
}

}  // namespace convoscope
