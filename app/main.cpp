#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>

#include "app/cli/commands/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/standard_output.h"
#include "app/cli/stop_signal.h"
#include "app/doctor/doctor.h"
#include "app/doctor/manual_page.h"
#include "app/exit_deadline.h"
#include "app/files/log.h"
#include "app/files/paths.h"
#include "app/files/sentence.h"
#include "app/files/shortage.h"
#include "app/frame_bench.h"
#include "app/heap.h"
#include "app/media/play/stuck_threads.h"
#include "app/session/keeper.h"
#include "app/stack_limit.h"
#include "app/window_run.h"
#include "kernels/text/error.h"
#include "kernels/threads/background.h"

namespace convoscope {
namespace {

// Those leave nothing but what they have printed, and what is written whole or not at all.
bool only_prints(const Invocation& invocation) {
  using enum Invocation::Command;
  const auto command = invocation.command;
  return command == list || command == verify || command == lesson || command == doctor || command == experiment ||
         command == report || (command == bench && !invocation.frame);
}

// What computes looks for the signal every few milliseconds, but not while gigabytes are allocated, filled or copied.
constexpr ExitDeadline::Limits computing_patience{std::chrono::milliseconds(1300), std::chrono::milliseconds(1300)};

[[noreturn]] void end_in_the_middle(const StopSignal& stop) {
  std::fflush(stdout);
  std::fprintf(stderr, "convoscope: Stopped by %s in the middle of its work: the results are not complete.\n",
               stop.name());
  std::_Exit(stop.exit_code());
}

// The options may name files that take seconds to read.
Invocation parse_until_signal(int argc, char** argv, const StopSignal& stop, const FirstSettings& first) {
  const ComputesUntilSignal until(stop);
  try {
    return parse_arguments(argc, argv, first);
  } catch (const Error&) {
    if (stop) throw Stopped();
    throw;
  }
}

int run(int argc, char** argv, StopSignal& stop) {
  std::unique_ptr<Keeper> keeper;
  double position = 0;
  Invocation invocation = parse_until_signal(argc, argv, stop, [&](const Beginning& beginning) {
    // Where nobody watches, the same command draws the same picture for everyone, and nothing is kept.
    if (!beginning.offscreen && why_no_window(stop).empty()) {
      keeper = std::make_unique<Keeper>(Keeper::Wanted{beginning.reset, beginning.session, beginning.input});
      position = keeper->position();
      return keeper->remembered();
    }
    if (!beginning.session) return default_settings();
    const Restored restored =
        open_session(*beginning.session, default_settings(), Keeper::Wanted{false, {}, beginning.input}.plays());
    for (const std::string& remark : restored.remarks) log::warn(remark);
    for (const SessionOffer& offer : restored.offers) log::warn(why_not_taken(offer));
    position = restored.position;
    return restored.settings;
  });
  if (invocation.input_given) {  // A, B and the pause were another source's
    PlaybackSettings& playback = invocation.settings.playback;
    playback.loop_a = playback.loop_b = std::nullopt;
    playback.paused = false;
  }
  if (position > 0 && !invocation.input_given && !invocation.seek) invocation.seek = position;
  if (invocation.text) {
    std::fputs(invocation.text->c_str(), stdout);
    return 0;
  }
  if (invocation.verbose) log::set_level(log::Level::debug);
  const Background background;  // ends after all that may use it
  std::optional<ExitDeadline> patience;
  if (only_prints(invocation)) patience.emplace(stop, computing_patience, [&stop] { end_in_the_middle(stop); });
  switch (invocation.command) {
    case Invocation::Command::list:
      return run_list(invocation);
    case Invocation::Command::listing:
      return run_listing(invocation);
    case Invocation::Command::compute:
      return run_compute(invocation);
    case Invocation::Command::verify:
      return run_verify(invocation, stop);
    case Invocation::Command::bench:
      if (invocation.file) return run_file_bench(invocation, stop);
      return invocation.frame ? run_frame_bench(invocation, stop) : run_bench(invocation, stop);
    case Invocation::Command::experiment:
      return run_experiment(invocation, stop);
    case Invocation::Command::report:
      return run_report(invocation);
    case Invocation::Command::filter:
      return run_filter(invocation, stop);
    case Invocation::Command::lesson:
      return run_lesson(invocation, stop);
    case Invocation::Command::grade:
      return run_grade(invocation, stop);
    case Invocation::Command::new_kernel:
      return run_new_kernel(invocation);
    case Invocation::Command::doctor:
      return run_doctor(invocation);
    case Invocation::Command::manual:
      std::fputs(manual_page().c_str(), stdout);
      return exit_done;
    case Invocation::Command::window:
      break;
  }
  return run_window(invocation, stop, keeper.get());
}

// Libraries complain about a home that is no path; where there is none, they ask the system for it.
void forget_home_without_path() {
  if (const char* const home = std::getenv("HOME"); home && *home != '/') unsetenv("HOME");
}

// Mesa maps a file of 1.3 MB for the shaders that it compiles, and dies by SIGBUS when it writes to it where there is
// no room left. It is asked before any thread or context is made.
void do_without_shader_cache_where_it_is_full() {
  constexpr unsigned long long needed = 8u << 20;
  std::filesystem::path folder;
  if (const char* const own = std::getenv("MESA_SHADER_CACHE_DIR"))
    folder = own;
  else if (const char* const caches = std::getenv("XDG_CACHE_HOME"))
    folder = caches;
  else if (const char* const home = std::getenv("HOME"))
    folder = std::filesystem::path(home) / ".cache";
  std::error_code error;
  while (!folder.empty() && folder != folder.parent_path() && !std::filesystem::exists(folder, error))
    folder = folder.parent_path();
  if (folder.empty()) return;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (!error && space.available < needed) setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
}

// Else a file that is opened would come to be standard output or standard error, and what is said would go into it.
// What goes there, or is read, fails as before.
void keep_closed_streams_closed() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0)  // the lowest number that is free
      static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int say_failure(const std::string& sentence) {
  std::fprintf(stderr, "convoscope: %s\n", printable(as_sentence(sentence)).c_str());
  return exit_failed;
}

int run_and_explain(int argc, char** argv, StopSignal& stop) {
  try {
    return run(argc, argv, stop);
  } catch (const Stopped&) {
    std::fprintf(stderr, "convoscope: Stopped by %s.\n", stop.name());
    return 0;
  } catch (const Error& error) {
    return say_failure(error.what());
  } catch (const std::bad_alloc& error) {
    return say_failure(why_failed(error));
  } catch (const std::system_error& error) {
    return say_failure(why_failed(error));
  } catch (const std::exception& error) {
    return say_failure(std::string("unexpected failure: ") + error.what() +
                       ". Please report it with the command you ran.");
  }
}

// Results that nobody gets are a failure, too.
int send_results(int exit_code, StandardOutput& out, const StopSignal& stop) {
  const int problem = out.send();
  if (problem == 0) return exit_code;
  if (problem == EBADF)
    return say_failure("Standard output is closed, so there are no results. Send them to a file or a program.");
  if (problem != EPIPE && problem != ECANCELED)
    return say_failure(std::string("The results cannot be written to standard output: ") + std::strerror(problem) +
                       ". Make room, or send them elsewhere.");
  std::fprintf(stderr, "convoscope: The results on standard output are not complete: the program that reads them %s.\n",
               problem == EPIPE ? "has stopped reading" : (std::string("took nothing after ") + stop.name()).c_str());
  return exit_code == exit_failed ? exit_failed : exit_cut_short;
}

}  // namespace
}  // namespace convoscope

int main(int argc, char** argv) {
  if (const std::string why = convoscope::take_stack(); !why.empty()) return convoscope::say_failure(why);
  convoscope::keep_closed_streams_closed();
  convoscope::forget_home_without_path();
  convoscope::do_without_shader_cache_where_it_is_full();
  convoscope::bound_heaps();
  // stdout is for results; everything said on the way goes to stderr.
  convoscope::log::begin();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is told as an error by whoever writes it
  convoscope::StuckThreads stuck;
  convoscope::StopSignal stop;
  convoscope::StandardOutput out(stop);
  const int exit_code = convoscope::send_results(convoscope::run_and_explain(argc, argv, stop), out, stop);
  return stuck.leave(stop && exit_code != convoscope::exit_failed ? stop.exit_code() : exit_code);
}
