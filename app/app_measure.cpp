// The last stage of a frame: what it cost, and what the device was doing meanwhile.
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
    for (RollingTimes* times : {&stages.decode, &stages.upload, &stages.convert, &stages.interop, &stages.draw,
                                &stages.read_back, &stages.frame})
      times->set_window(timing_window_);
    for (PaneStats& pane : stats_.panes) pane.kernel.set_window(timing_window_);
  }
  const double now = seconds_since_start();
  if (last_swap_ > 0) stages.frame.add((now - last_swap_) * 1e3);
  last_swap_ = now;
  if (player_) {
    while (const auto milliseconds = player_->take_decode_ms()) stages.decode.add(*milliseconds);
    stats_.source = player_->stats();
    judge_seek();
    tell_place();
    stats_.frames_dropped = dropped_.take(dropped_by_source());
  }
  while (const auto milliseconds = stage_->poll_upload_ms()) stages.upload.add(*milliseconds);
  while (const auto milliseconds = stage_->poll_convert_ms()) stages.convert.add(*milliseconds);
  while (const auto milliseconds = interop_->poll_ms()) stages.interop.add(*milliseconds);
  while (const auto milliseconds = draw_timer_->poll_ms()) stages.draw.add(*milliseconds);
  if (read_back_)
    while (const auto milliseconds = read_back_->poll_ms()) stages.read_back.add(*milliseconds);
  stage_->panes().collect(stats_.panes);
  pane_statistics_.update(stats_.panes, settings_.baseline_pane, stats_.now);
  health_->read(stats_.health, timing_window_ * 1e-3 * stages.frame.median());
  std::string problem;
  stats_.measuring_limits = limits_->is_measuring();
  if (limits_->take(stats_.limits, problem) && !problem.empty()) message(MessageLevel::warning, problem, "limits");
  stats_.interop_notice = interop_->notice();
  if (!stage_->has_picture()) return;
  try {  // the textures still hold the frame that stats_.source now speaks of
    difference_.observe(interop_->textures(), stage_->panes(), settings_, stats_);
  } catch (const Error& error) {
    message(MessageLevel::error, error.what());
  }
}

}  // namespace convoscope
