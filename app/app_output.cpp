// What the program leaves behind: recordings, screenshots, statistics, the settings.

#include <algorithm>
#include <map>
#include <set>

#include "app/app.h"
#include "app/cli/exit_codes.h"
#include "app/cli/stats_file.h"
#include "app/files/file_kinds.h"
#include "app/files/log.h"
#include "app/files/natural_order.h"
#include "app/files/sentence.h"
#include "app/files/shortage.h"
#include "app/gl/window/display_loss.h"
#include "app/media/read/local_files.h"
#include "kernels/text/error.h"
#include "kernels/threads/background.h"

namespace convoscope {
namespace {

constexpr unsigned seconds_to_end_threads = 5;

}  // namespace

void App::record(bool new_picture) {
  if (read_back_) read_back_->run(context_->framebuffer());
  if (new_picture && std::exchange(record_from_first_frame_, false)) {
    source_.report(settings_, stats_);  // its size and rate are known only now
    const bool patient = context_->offscreen() && !invocation_.realtime;
    capture_->start({whole(invocation_.record->string()), patient, true, true}, composition_);
  }
  stats_.render.done += rendering_ && new_picture;
  capture_->after_draw(new_picture, filter_->has_picture() ? interop_->textures() : std::span<const PaneTexture>{},
                       composition_, filter_->position());
  if (says_apart_ && !context_->offscreen()) render_ui_windows(spoken_windows);
}

// One that fails does not take the others with it.
void App::leave(const std::function<void()>& one) {
  try {
    one();
  } catch (const Error& error) {
    not_written_ = true;
    poster_.post(MessageLevel::error, error.what());
  }
}

// The source may be another one than at the start.
void App::save_stats(const std::filesystem::path& path) {
  check_is_not_input("--stats", path, settings_.source.input);
  write_stats(stats_, path);
}

// Of the window as it was, but for what only speaks to whoever watches.
void App::save_screenshot(const std::string& path) {
  if (!context_->offscreen()) {
    closes_ = true;
    take_input();
    draw();
  }
  capture_->save_screenshot(path);
}

// In the window the pane says it.
void App::tell_what_did_not_run() {
  std::set<std::string> instead;
  for (const PaneStats& pane : stats_.panes)
    if (!pane.why_substitute.empty()) instead.insert(pane.why_substitute);
  for (const std::string& one : instead) log::warn(as_sentence(one));
  std::map<std::string, int> panes;  // that have this problem
  for (const PaneStats& pane : stats_.panes)
    if (!pane.problem.empty()) ++panes[pane.problem];
  for (const auto& [problem, count] : panes)
    log::error(as_sentence(problem) + " The picture passed through " +
               (count == 1 ? "" : std::to_string(count) + " panes ") + "unfiltered.");
  failed_ = failed_ || !panes.empty();
}

// Of --record, where the end came before the recording could begin.
void App::tell_what_was_not_recorded() {
  if (std::exchange(record_from_first_frame_, false))
    poster_.post(MessageLevel::warning, nothing_recorded(), "recorded");
}

// Offscreen, where somebody waits at a terminal.
void App::tell_progress() {
  if (!context_->offscreen() || !FrameProgress::has_terminal()) return;
  const std::int64_t own = stats_.source.live ? 0 : stats_.source.frames;
  const std::int64_t asked = invocation_.frames.value_or(own > 0 ? own : default_offscreen_frames);
  told_progress_.show(stats_.frames_shown,
                      own > 0 && !settings_.playback.loop ? std::min<std::int64_t>(own, asked) : asked);
}

void App::take_dropped(const std::vector<std::string>& files) {
  if (files.size() > 1 &&
      std::ranges::all_of(files, [](const std::string& file) { return is_clip(kind_of_file(file)); })) {
    requests_.open_clips = files;
    std::ranges::sort(requests_.open_clips, natural_less);
    return;
  }
  requests_.drop = files.front();
  if (files.size() < 2) return;
  poster_.post(MessageLevel::information,
               "Of the " + std::to_string(files.size()) + " files that were dropped, " + in_quotes(files.front()) +
                   " is opened. The next one is " + in_quotes(files[1]) + ".",
               "drop", {{Offer::open_next, files[1]}});
}

void App::leave_results() {
  if (window_destroyed_) return leave_without_window();
  filter_->cancel();
  compute_->synchronize();
  filter_->panes().collect(stats_.panes);
  measure();
  measuring_.finish(settings_, stats_);
  if (rendering_) {
    stats_.source.position = rendering_->position;  // where the user was
    capture_->stop("Rendering was cancelled.");
  } else if (stop_ && capture_->waits_for_every_frame()) {
    capture_->stop(std::string("Recording was stopped by ") + stop_.name() + ".");
  }
  capture_->finish();
  tell_what_was_not_recorded();
  not_written_ |= capture_->failed();
  if (!failed()) {
    if (invocation_.screenshot) leave([&] { save_screenshot(whole(invocation_.screenshot->string())); });
    if (invocation_.stats) leave([&] { save_stats(*invocation_.stats); });
  }
  session_.end(settings_, stats_);
}

// What may take its time, whether or not there is a display that answers.
void App::finish(const std::function<void()>& one) {
  if (patience_) patience_->finishes(true);
  one();
  if (patience_) patience_->finishes(false);
}

int App::leave_without_display() {
  const int code = stop_ ? stop_.exit_code() : exit_failed;
  log::error(stop_ ? display_is_given_up : "The display has gone away, so the program ends.");
  finish([this] { leave_without_window(); });
  end_within(seconds_to_end_threads, code);
  end_threads();
  log::debug("Every thread has ended.");
  return code;
}

// From within Xlib, where nothing can be destroyed that a caller may still be in the middle of.
void App::end_threads() {
  try {
    files_.end_threads();
    sound_.end();
    learning_.end();
    inspection_.end_threads();
    measuring_.end_threads();
    if (filter_) filter_->cancel();
    if (compute_) compute_->synchronize();
  } catch (const std::exception& error) {
    log::error(why_failed(error));
  }
  source_.close();
  if (Background* const background = Background::current()) {
    background->planner().end();
    background->compiler().end();
  }
}

// With no OpenGL, and maybe in the middle of a frame: what the user made is finished, the rest is left as it is.
void App::leave_without_window() {
  try {
    sweep_.cancel();
    if (capture_) capture_->finish_without_gl();
    tell_what_was_not_recorded();
    if (invocation_.stats) save_stats(*invocation_.stats);
  } catch (const std::exception& error) {
    log::error(why_failed(error));
  }
  session_.end(settings_, stats_);
}

}  // namespace convoscope
