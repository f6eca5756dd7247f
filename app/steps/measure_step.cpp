#include "app/steps/measure_step.h"

#include <optional>
#include <string>
#include <utility>

namespace convoscope {
namespace {

std::int64_t dropped_by(const Player* player, const FilterStep& filter) {
  return (player ? player->frames_dropped() : 0) + filter.skipped();
}

void for_all_times(std::vector<PaneStats>& panes, const auto& act) {
  for (PaneStats& pane : panes) {
    act(pane.kernel);
    act(pane.disturbed);
    for (LayerStats& layer : pane.layers) act(layer.times);
  }
}

}  // namespace

void MeasureStep::watch(Stats& stats, bool may_measure_limits) {
  limits_.reset();
  health_.reset();
  stats.limits = {};
  stats.steps = StepTimes();
  window_ = 0;
  health_ = std::make_unique<HealthMonitor>(stats.device);
  limits_ = std::make_unique<LimitsFinder>(stats.device, may_measure_limits);
}

void MeasureStep::reset(Stats& stats) {
  for_all_times(stats.panes, [](RollingTimes& times) { times.clear(); });
  stats.steps = StepTimes();
  window_ = 0;
  health_->reset();
  last_swap_ = 0;  // the frame under way is of before
  stats.frames_shown_before = stats.frames_shown;
  stats.frames_dropped_before = stats.frames_dropped;
}

void MeasureStep::begin_source(const Player* player, const FilterStep& filter) {
  dropped_.begin_source(dropped_by(player, filter));
}

void MeasureStep::measure(const Timed& timed, const Settings& settings, Stats& stats) {
  StepTimes& steps = stats.steps;
  if (window_ != settings.timing_window) {
    window_ = settings.timing_window;
    for (RollingTimes* const times : steps.all()) times->set_window(window_);
    for_all_times(stats.panes, [this](RollingTimes& times) { times.set_window(window_); });
  }
  const double now = poster_.seconds();
  if (stats.render.running) same_frames_.leave_out();  // what is rendered is not the pace of what was shown before
  const bool counts = same_frames_.begin(stats.panes, steps);
  const double waited = std::exchange(waited_ms_, 0.0);
  // Where this machine's cores filter, only panels are drawn anew while the video pauses: that is no frame, and shorter
  // than the kernels of one.
  const bool is_frame = timed.filter.on_gpu() || !settings.playback.paused;
  if (last_swap_ > 0 && counts && is_frame) {
    steps.frame.add((now - last_swap_) * 1e3);
    steps.waiting.add(waited);
  }
  last_swap_ = is_frame ? now : 0;
  if (timed.player) {
    while (const auto milliseconds = timed.player->take_decode_ms())
      if (!stats.render.running) steps.decode.add(*milliseconds);
    stats.frames_dropped = dropped_.follow_count(dropped_by(timed.player, timed.filter));
  }
  const auto take = [counts](RollingTimes& times, const auto& next) {
    while (const std::optional<double> milliseconds = next())
      if (counts) times.add(*milliseconds);
  };
  take(steps.upload, [&] { return timed.filter.poll_upload_ms(); });
  take(steps.convert, [&] { return timed.filter.poll_convert_ms(); });
  take(steps.interop, [&] { return timed.interop.poll_ms(); });
  take(steps.draw, [&] { return timed.draw.poll_ms(); });
  if (timed.read_back) take(steps.read_back, [&] { return timed.read_back->poll_ms(); });
  pane_statistics_.update(stats.panes, settings.group().baseline_pane, stats.now);
  health_->read(stats.health, window_ * 1e-3 * steps.frame.median());
  std::string problem;
  stats.measuring_limits = limits_->is_measuring();
  if (limits_->take_limits(stats.limits, problem) && !problem.empty())
    poster_.post(MessageLevel::warning, problem, "limits");
  stats.interop_notice = timed.interop.notice();
}

void MeasureStep::finish(const Settings& settings, Stats& stats) {
  pane_statistics_.finish(stats.panes, settings.group().baseline_pane);
}

void MeasureStep::end_threads() {
  limits_.reset();
  health_.reset();
}

}  // namespace convoscope
