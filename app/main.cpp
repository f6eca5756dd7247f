#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "app/app.h"
#include "app/cli/commands.h"
#include "app/cli/settings_file.h"
#include "app/cli/stats_file.h"
#include "app/frame_bench.h"
#include "kernels/error.h"

namespace convoscope {
namespace {

constexpr int exit_bad_input = 2;
constexpr int frames_to_look_at = 300;

// Without a display the program still does its job: it renders offscreen and leaves something to look at.
void leave_something_to_look_at(Invocation& invocation, const std::string& reason) {
  invocation.offscreen = true;
  if (!invocation.frames) invocation.frames = frames_to_look_at;
  const std::filesystem::path folder = "convoscope-output";
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  if (!invocation.record) invocation.record = folder / "recording.mp4";
  if (!invocation.screenshot) invocation.screenshot = folder / "screenshot.png";
  if (!invocation.stats) invocation.stats = folder / "timings.json";
  spdlog::warn("{} Rendering offscreen instead.", reason);
}

int run_window(Invocation invocation) {
  bool display_missing = false;
  if (!invocation.offscreen) {
    if (const std::string reason = why_no_display(); !reason.empty()) {
      display_missing = true;
      leave_something_to_look_at(invocation, reason);
    }
  }
  App app(invocation);
  const int exit_code = app.run();
  if (display_missing && exit_code == 0) {
    std::fputs(timing_table(app.stats()).c_str(), stdout);
    std::printf("\nRecording:    %s\nScreenshot:   %s\nTiming table: %s\n", invocation.record->c_str(),
                invocation.screenshot->c_str(), invocation.stats->c_str());
  }
  return exit_code;
}

int run(int argc, char** argv) {
  std::string settings_problem;
  const Settings remembered = load_settings(&settings_problem);
  const Invocation invocation = parse_arguments(argc, argv, remembered);
  if (invocation.text) {
    std::fputs(invocation.text->c_str(), stdout);
    return 0;
  }
  if (invocation.verbose) spdlog::set_level(spdlog::level::debug);
  if (!settings_problem.empty() && invocation.command == Invocation::Command::window)
    spdlog::warn("{}", settings_problem);
  switch (invocation.command) {
    case Invocation::Command::list:
      return run_list(invocation);
    case Invocation::Command::verify:
      return run_verify(invocation);
    case Invocation::Command::bench:
      return invocation.frame ? run_frame_bench(invocation) : run_bench(invocation);
    case Invocation::Command::filter:
      return run_filter(invocation);
    case Invocation::Command::window:
      break;
  }
  return run_window(invocation);
}

}  // namespace
}  // namespace convoscope

int main(int argc, char** argv) {
  // stdout is for results; everything said on the way goes to stderr.
  spdlog::set_default_logger(spdlog::stderr_color_mt("convoscope"));
  spdlog::set_pattern("%n: %v");
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is told as an error by whoever writes it
  try {
    return convoscope::run(argc, argv);
  } catch (const convoscope::Error& error) {
    std::fprintf(stderr, "convoscope: %s\n", error.what());
    return convoscope::exit_bad_input;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "convoscope: unexpected failure: %s. Please report it with the command you ran.\n",
                 error.what());
    return convoscope::exit_bad_input;
  }
}
