#include "app/ending.h"

#include <map>
#include <set>

#include "app/cli/exit_codes.h"
#include "app/cli/stats_file.h"
#include "app/files/log.h"
#include "app/files/paths.h"
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

void Ending::close() {
  on_display_lost([code = parts_.stop ? parts_.stop.exit_code() : exit_failed] { return code; });
  if (!parts_.device.is_there()) return;
  try {
    parts_.device.compute().synchronize();
  } catch (const Error& error) {
    log::error(error.what());
  }
}

void Ending::watch_display() {
  on_display_lost([this] { return leave_without_display(); });
  patience_.emplace(parts_.stop, display_patience, lose_display);
}

void Ending::take_time_for(const std::function<void()>& one) {
  if (patience_) patience_->finishes(true);
  one();
  if (patience_) patience_->finishes(false);
}

// One that fails does not take the others with it.
void Ending::write(const std::function<void()>& one) {
  try {
    one();
  } catch (const Error& error) {
    not_written_ = true;
    parts_.poster.post(MessageLevel::error, error.what());
  }
}

// The source may be another one than at the start.
void Ending::save_stats() const {
  const std::filesystem::path& path = *parts_.invocation.stats;
  check_is_not_input("--stats", path, parts_.settings.source.input);
  write_stats(parts_.stats, path);
}

// Of --record, where the end came before the recording could begin.
void Ending::tell_what_was_not_recorded() {
  if (recording_begins()) parts_.poster.post(MessageLevel::warning, nothing_recorded(), "recorded");
}

// Empty where it is whole. In the window it is, whatever was recorded: whoever watches has ended it.
std::string Ending::why_recording_is_a_part(const Last& last) const {
  if (parts_.stop && parts_.capture->waits_for_every_frame())
    return std::string("Recording was stopped by ") + parts_.stop.name() + ".";
  if (parts_.invocation.offscreen && !last.is_shown) return "Recording was stopped by an error.";
  return last.lacks_input() ? "Not all of the input could be decoded." : "";
}

void Ending::finish_recordings(const Last& last) {
  Capture& capture = *parts_.capture;
  if (parts_.render.running()) {
    parts_.stats.source.position = parts_.render.position();  // where the user was
    capture.stop("Rendering was cancelled.");
  } else if (const std::string why = why_recording_is_a_part(last); !why.empty()) {
    capture.stop(why);
  }
  capture.finish();
  tell_what_was_not_recorded();
  not_written_ |= capture.failed();
}

void Ending::finish(const Last& last) {
  take_time_for([&] {
    parts_.filter->cancel();
    parts_.device.compute().synchronize();
    parts_.filter->panes().collect(parts_.stats.panes);
    last.measure();
    parts_.measuring.finish(parts_.settings, parts_.stats);
    finish_recordings(last);
    const Invocation& asked = parts_.invocation;
    if (last.is_shown && asked.screenshot)
      write([&] {
        last.draw();
        parts_.capture->save_screenshot(whole_path(asked.screenshot->string(), parts_.stats.files.started_in));
      });
    if (last.is_shown && asked.stats) write([&] { save_stats(); });
    parts_.session.end(parts_.settings, parts_.stats);
  });
}

void Ending::finish_without_window() {
  take_time_for([this] { leave_what_is_not_made(); });
}

void Ending::leave_what_is_not_made() {
  try {
    parts_.sweep.cancel();
    if (parts_.capture) parts_.capture->finish_without_gl();
    tell_what_was_not_recorded();
    if (parts_.invocation.stats) save_stats();
  } catch (const std::exception& error) {
    log::error(why_failed(error));
  }
  parts_.session.end(parts_.settings, parts_.stats);
}

int Ending::leave_without_display() {
  const int code = parts_.stop ? parts_.stop.exit_code() : exit_failed;
  log::error(parts_.stop ? display_is_given_up : "The display has gone away, so the program ends.");
  finish_without_window();
  end_within(seconds_to_end_threads, code);
  end_threads();
  log::debug("Every thread has ended.");
  return code;
}

// From within Xlib, where nothing can be destroyed that a caller may still be in the middle of.
void Ending::end_threads() {
  try {
    parts_.files.end_threads();
    parts_.sound.end();
    parts_.learning.end();
    parts_.inspection.end_threads();
    parts_.measuring.end_threads();
    if (parts_.filter) parts_.filter->cancel();
    if (parts_.device.is_there()) parts_.device.compute().synchronize();
  } catch (const std::exception& error) {
    log::error(why_failed(error));
  }
  parts_.source.close();
  if (Background* const background = Background::current()) {
    background->planner().end();
    background->compiler().end();
  }
}

bool tell_what_did_not_run(const Stats& stats) {
  std::set<std::string> instead;
  for (const PaneStats& pane : stats.panes)
    if (!pane.why_substitute.empty()) instead.insert(pane.why_substitute);
  for (const std::string& one : instead) log::warn(as_sentence(one));
  std::map<std::string, int> panes;  // that have this problem
  for (const PaneStats& pane : stats.panes)
    if (!pane.problem.empty()) ++panes[pane.problem];
  for (const auto& [problem, count] : panes)
    log::error(as_sentence(problem) + " The picture passed through " +
               (count == 1 ? "" : std::to_string(count) + " panes ") + "unfiltered.");
  return !panes.empty();
}

}  // namespace convoscope
