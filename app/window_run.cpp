#include "app/window_run.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "app/app.h"
#include "app/cli/exit_codes.h"
#include "app/cli/stats_file.h"
#include "app/exit_deadline.h"
#include "app/files/log.h"
#include "app/heap.h"
#include "app/session/keeper.h"

namespace convoscope {
namespace {

constexpr int frames_to_look_at = 300;

// Without a display the program still does its job: it renders offscreen and leaves something to look at.
void leave_something_to_look_at(Invocation& invocation, const std::string& reason) {
  invocation.offscreen = true;
  if (!invocation.frames) invocation.frames = frames_to_look_at;
  std::error_code ignored;
  constexpr std::array names{"recording.mp4", "screenshot.png", "timings.json"};
  std::filesystem::path folder = "convoscope-output";
  const auto is_there = [&](const char* name) {
    return std::filesystem::exists(std::filesystem::symlink_status(folder / name, ignored));
  };
  for (int i = 2; std::ranges::any_of(names, is_there); ++i)  // of an earlier run, or what is shown
    folder = "convoscope-output-" + std::to_string(i);
  std::filesystem::create_directories(folder, ignored);
  if (!invocation.record) invocation.record = folder / names[0];
  if (!invocation.screenshot) invocation.screenshot = folder / names[1];
  if (!invocation.stats) invocation.stats = folder / names[2];
  log::warn(reason + " Rendering " + std::to_string(*invocation.frames) +
            " frames offscreen instead, into the folder '" + folder.string() + "'.");
}

}  // namespace

const std::string& why_no_window(const StopSignal& stop) {
  static const std::string reason = [&] {
    const ExitDeadline patience(stop, display_patience, [&] {  // nothing is made yet that were to be finished
      log::error(display_is_given_up);
      std::_Exit(stop.exit_code());
    });
    return why_no_display();
  }();
  return reason;
}

int run_window(Invocation invocation, const StopSignal& stop, Keeper* keeper) {
  // Who reads what is said may go with the terminal: what is being made is finished all the same.
  std::signal(SIGPIPE, SIG_IGN);
  bool display_missing = false;
  if (!invocation.offscreen) {
    if (const std::string& reason = why_no_window(stop); !reason.empty()) {
      display_missing = true;
      leave_something_to_look_at(invocation, reason);
    }
  }
  if (keeper && keeper->first_start()) {
    invocation.settings.show_hint = true;
    if (!invocation.view_given) show_source_beside(invocation.settings);
  }
  if (keeper) keeper->begin(invocation.settings);
  const HeapTrimmer trimmer;
  App app(invocation, stop, keeper);
  const int exit_code = app.run();
  const bool takes_stdout = invocation.stats == "-";
  if (display_missing && exit_code != exit_failed && !takes_stdout) {
    std::fputs(timing_table(app.stats()).c_str(), stdout);
    std::printf("\nRecording:    %s\nScreenshot:   %s\nTiming table: %s\n", invocation.record->c_str(),
                invocation.screenshot->c_str(), invocation.stats->c_str());
  }
  return exit_code;
}

}  // namespace convoscope
