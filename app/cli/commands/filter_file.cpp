// convoscope filter: a whole file, every frame exactly once.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/cores_or_gpu.h"
#include "app/cli/commands/frame_progress.h"
#include "app/cli/commands/whole_filter.h"
#include "app/cli/exit_codes.h"
#include "app/files/paths.h"
#include "app/files/sentence.h"
#include "app/files/slow_finish.h"
#include "app/media/ffmpeg/hardware_codecs.h"
#include "app/media/write/file_output.h"
#include "app/media/write/picture_file.h"
#include "app/media/write/whole_file.h"
#include "kernels/compute/compute.h"
#include "kernels/cpu/host_memory.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// What waits for its first byte fails when it is interrupted, but that is no fault of the input.
std::unique_ptr<WholeFile> open_unless_stopped(const WholeFileSettings& file, Interrupt& interrupt,
                                               const StopSignal& stop) {
  try {
    return WholeFile::open(file, interrupt);
  } catch (const Error&) {
    if (stop) throw Stopped();
    throw;
  }
}

// Where the pictures are that were written before an error. Empty where it is the output that has failed: its error
// says that.
std::string left_by(WholeFile& whole, std::int64_t written) {
  if (written == 0) return "";
  try {
    whole.finish(false);
    return whole.where_left();
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

int run_filter(const Invocation& invocation, StopSignal& stop) {
  const Settings& settings = invocation.settings;
  const PaneSettings& pane = settings.active();
  if (settings.source.input == "-" && isatty(STDIN_FILENO))
    throw Error(
        "INPUT '-' reads y4m from standard input, which is a terminal. Pipe a video into it: ffmpeg -i FILE -f "
        "yuv4mpegpipe - | convoscope filter - OUTPUT.");
  if (invocation.output == "-" && isatty(STDOUT_FILENO))
    throw Error(
        "OUTPUT '-' writes y4m to standard output, which is a terminal. Pipe it into a program, or name a "
        "file.");
  std::signal(SIGPIPE, SIG_IGN);  // told by write() instead
  Interrupt interrupt;
  const SetBySignal set_by_signal(stop, interrupt.stop);
  const UntilSignal until_signal(stop);
  const auto begun = std::chrono::steady_clock::now();

  std::optional<Device> decodes_for;  // set before the first picture is read
  WholeFileSettings file;
  file.input = settings.source.input;
  file.output = invocation.output;
  file.trust_playlists = settings.source.trust_playlists;
  file.max_pixels = settings.source.max_pixels;
  file.lossless = invocation.lossless;
  file.allocate = [&decodes_for](std::size_t bytes) -> std::shared_ptr<void> {
    return decodes_for && decodes_for->backend == Backend::cuda ? allocate_host(*decodes_for, bytes) : nullptr;
  };
  std::error_code unknown;
  const bool replaces = invocation.output != "-" && std::filesystem::is_regular_file(invocation.output, unknown);
  const std::unique_ptr<WholeFile> whole = open_unless_stopped(file, interrupt, stop);
  bool few_frames = false;
  const std::unique_ptr<Compute> compute = compute_for_file(invocation, *whole, until_signal.token(), few_frames);
  decodes_for = compute->device();
  WholeFilter filter(*compute, settings, invocation.strategy_given);
  const bool encodes = whole->planes_for(2, 2) && invocation.output != "-" && !ends_in(invocation.output, "y4m");
  // The answer comes while the first pictures are decoded.
  std::jthread asks;
  if (encodes && decodes_for->backend == Backend::cuda) asks = std::jthread(ask_for_nvenc);
  if (const std::string doubt = filter.doubt(); !doubt.empty()) std::fprintf(stderr, "convoscope: %s\n", doubt.c_str());

  const std::int64_t expected = whole->frames_expected();
  const std::string where = invocation.output == "-" ? "standard output" : printable(in_quotes(invocation.output));
  const std::chrono::duration<double> start = std::chrono::steady_clock::now() - begun;
  const std::string no_such = replaces ? where + " is as it was" : "there is no " + where;
  FrameProgress progress;
  const auto warn = [&] {
    while (const auto warning = whole->take_warning()) {
      progress.clear();
      std::fprintf(stderr, "convoscope: %s\n", printable(*warning).c_str());
    }
  };
  WholeRun run(filter_steps(*whole, filter, interrupt, until_signal.token(),
                            [&](std::int64_t written) {
                              if (written > 0) progress.show(written, expected);
                              warn();
                            }),
               pictures_ahead(*whole));
  RunTimes times;
  try {
    times = run.run();
    progress.clear();
    const SlowFinish told(where);
    whole->finish(!interrupt.stop);
  } catch (const PipeClosed& closed) {
    const std::int64_t frames = run.written();
    progress.clear();
    warn();
    const std::string stopped = stop ? std::string("Stopped by ") + stop.name() + ". " : "";
    std::fprintf(stderr, "convoscope: %s%s The output is not complete: %s %s filtered until then.\n", stopped.c_str(),
                 closed.what(), frames_text(frames).c_str(), frames == 1 ? "was" : "were");
    return stop ? stop.exit_code() : exit_cut_short;
  } catch (const SizeChanged& changed) {
    progress.clear();
    warn();
    std::fprintf(stderr, "convoscope: %s\n", printable(changed.what()).c_str());
    return exit_cut_short;
  } catch (const Error& error) {
    progress.clear();
    const std::string left = left_by(*whole, run.written()), text = error.what();
    if (left.empty() || text.find(left) != std::string::npos) throw;
    throw Error(text + " What was filtered before, " + frames_text(run.written()) + ", is in " + left + ".");
  }
  warn();
  const std::int64_t frames = times.written;
  const std::string left = printable(whole->where_left());
  if (interrupt.stop && frames > 0 && !left.empty()) {
    std::fprintf(stderr, "convoscope: Stopped by %s after %s, in %s; %s.\n", stop.name(), frames_text(frames).c_str(),
                 left.c_str(), no_such.c_str());
    return stop.exit_code();
  }
  if (interrupt.stop) {
    std::fprintf(stderr,
                 frames > 0 && picture_kind(invocation.output) != PictureKind::none
                     ? "convoscope: Stopped by %s after %s, each whole, as %s.\n"
                 : frames > 0 ? "convoscope: Stopped by %s after %s; %s holds no more than those.\n"
                              : "convoscope: Stopped by %s after %s; %s was not written.\n",
                 stop.name(), frames_text(frames).c_str(), where.c_str());
    return stop.exit_code();
  }
  const int sound = whole->sound_streams();
  const std::string copied = sound == 0   ? ""
                             : sound == 1 ? "; sound copied"
                                          : "; " + std::to_string(sound) + " sound streams copied";
  const std::string spec = spec_text(pane.filter);
  constexpr std::size_t longest_spec = 60;
  const double seconds = progress.seconds();
  char started[48] = "";
  if (start.count() >= 0.05) std::snprintf(started, sizeof started, " (and %.1f s to start)", start.count());
  std::string more = whole->note() + ".";
  if (frames > 1)
    more += " " + as_sentence(pace_of(times, filter.times(), compute->device().backend == Backend::cuda,
                                      encodes || !whole->planes_for(2, 2)) +
                              " set the pace");
  if (!left.empty()) more += " That is not all of the input, so " + no_such + ".";
  if (few_frames) more += " So few pictures are done on the cores before a GPU is ready.";
  std::fprintf(
      stderr, "Wrote %s to %s%s in %.*f s%s: %s with %s%s%s, as %s%s%s\n", frames_text(frames).c_str(),
      left.empty() ? where.c_str() : left.c_str(), replaces && left.empty() ? ", in place of an older file," : "",
      seconds < 10 ? 2 : 1, seconds, started, spec.size() <= longest_spec ? spec.c_str() : in_quotes(spec).c_str(),
      std::string(filter.strategy().id).c_str(), filter.choice().empty() ? "" : (" (" + filter.choice() + ")").c_str(),
      filter.yuv()     ? " on Y, U and V"
      : filter.alpha() ? " on colours weighted by alpha"
                       : "",
      whole->encoder().c_str(), copied.c_str(), more.c_str());
  return whole->cut_short() ? exit_cut_short : exit_done;
}

}  // namespace convoscope
