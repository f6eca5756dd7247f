// What the program leaves behind: recordings, screenshots, statistics, the settings.
#include <spdlog/spdlog.h>

#include <filesystem>

#include "app/app.h"
#include "app/cli/settings_file.h"
#include "app/cli/stats_file.h"
#include "kernels/error.h"

namespace convoscope {

void App::record(bool new_frame) {
  if (read_back_) read_back_->run(context_->framebuffer());
  if (!recording_) return;
  if (!recording_->fits(context_->width(), context_->height())) {
    message(MessageLevel::warning, "The window changed its size, so the recording has ended.");
    stop_recording();
    return;
  }
  if (new_frame) {
    const double rate = stats_.source.rate > 0 ? stats_.source.rate : 30.0;
    const double seconds = context_->offscreen() ? static_cast<double>(recording_->frames_taken()) / rate : stats_.now;
    recording_->take(context_->framebuffer(), seconds);
  }
  recording_->pass_on();
  stats_.frames_recorded = recording_->frames_written();
  stats_.frames_not_recorded = recording_->frames_missed();
  if (const std::string error = recording_->error(); !error.empty()) {
    message(MessageLevel::error, error);
    stop_recording();
  }
}

void App::start_recording(const std::string& path) {
  RecordingSettings recording;
  recording.path = path;
  recording.width = context_->width();
  recording.height = context_->height();
  recording.rate = stats_.source.rate > 0 ? stats_.source.rate : 30.0;
  recording.metadata["comment"] = "Convoscope: " + settings_.active().strategy + ", " +
                                  spec_text(settings_.active().filter) + ", border " +
                                  std::string(to_string(settings_.active().border));
  recording_ = std::make_unique<Recording>(recording, context_->offscreen());
  stats_.recording = true;
  stats_.recording_path = path;
}

void App::stop_recording() {
  if (!recording_) return;
  try {
    message(MessageLevel::information, recording_->finish());
  } catch (const Error& error) {
    message(MessageLevel::error, error.what());
  }
  stats_.frames_recorded = recording_->frames_written();
  stats_.frames_not_recorded = recording_->frames_missed();
  recording_.reset();
  stats_.recording = false;
}

void App::save_screenshot(const std::string& path) {
  const auto read_back = ReadBack::make(context_->width(), context_->height());
  ReadBack::Pixels pixels;
  read_back->request(context_->framebuffer(), 0);
  read_back->take(pixels, true);
  const Image image{pixels.rgba.data(), pixels.width, pixels.height, static_cast<std::size_t>(pixels.width) * 4,
                    PixelFormat::rgba8};
  write_png(path, image,
            {{"Software", "Convoscope"},
             {"Description", settings_.active().strategy + ", " + spec_text(settings_.active().filter)}});
  message(MessageLevel::information, "Saved a screenshot as " + path + ".");
}

void App::leave_results() {
  compute_->synchronize();
  measure();
  pane_statistics_.finish(stats_.panes, settings_.baseline_pane);
  if (invocation_.screenshot && !failed_) save_screenshot(invocation_.screenshot->string());
  stop_recording();
  if (invocation_.stats && !failed_) write_stats(stats_, *invocation_.stats);
  if (context_->offscreen()) return;
  settings_.window_width = context_->width();
  settings_.window_height = context_->height();
  std::string problem;
  if (!save_settings(settings_, &problem)) spdlog::warn("{}", problem);
}

std::string App::file_name_for(const char* kind, const char* extension) const {
  for (int i = 1;; ++i) {
    const std::string name = fmt::format("convoscope-{}-{:03}.{}", kind, i, extension);
    if (!std::filesystem::exists(name)) return name;
  }
}

}  // namespace convoscope
