// What the program leaves behind: recordings, screenshots, statistics, the settings.
#include <spdlog/spdlog.h>

#include "app/app.h"
#include "app/cli/settings_file.h"
#include "app/cli/stats_file.h"
#include "kernels/error.h"

namespace convoscope {

void App::record(bool new_frame) {
  if (read_back_) read_back_->run(context_->framebuffer());
  if (new_frame && std::exchange(record_from_first_frame_, false)) {
    stats_.source = player_->stats();  // its size and rate are known only now
    const bool patient = context_->offscreen() && !invocation_.realtime;
    capture_->start({invocation_.record->string(), patient, true}, composition_);
  }
  capture_->after_draw(new_frame, input_ ? interop_->textures() : std::span<const PaneTexture>{}, composition_,
                       position_);
  if (stats_.render.running) render_ui_window(render_window);
}

void App::leave_results() {
  compute_->synchronize();
  measure();
  pane_statistics_.finish(stats_.panes, settings_.baseline_pane);
  if (invocation_.screenshot && !failed_) capture_->save_screenshot(invocation_.screenshot->string());
  capture_->finish();
  if (invocation_.stats && !failed_) write_stats(stats_, *invocation_.stats);
  if (context_->offscreen()) return;
  settings_.window_width = context_->width();
  settings_.window_height = context_->height();
  std::string problem;
  if (!save_settings(settings_, &problem)) spdlog::warn("{}", problem);
}

}  // namespace convoscope
