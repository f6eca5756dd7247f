// convoscope filter: a whole file, every frame exactly once.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/frame_progress.h"
#include "app/cli/exit_codes.h"
#include "app/files/paths.h"
#include "app/files/sentence.h"
#include "app/files/slow_finish.h"
#include "app/media/write/file_output.h"
#include "app/media/write/whole_file.h"
#include "kernels/choose/stand_in.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/error.h"
#include "kernels/contract/image_plan.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/stop.h"

namespace convoscope {
namespace {

// Turns one decoded picture into the filtered picture in host memory.
class FrameFilter {
 public:
  FrameFilter(Compute& compute, const Settings& settings, bool strategy_given)
      : compute_(compute),
        settings_(settings),
        strategy_given_(strategy_given),
        converter_(make_frame_converter(compute)) {
    // Known before the first picture is decoded, so that a wrong choice leaves the output alone.
    strategy_ = choose(problem(1920, 1080), strategy_given);
  }

  // False: given up half way, and nothing written.
  bool run(const VideoFrame& frame, WholeFile& file, const std::stop_token& stop) {
    yuv_ = stays_yuv(frame.format, file);
    const Image& result = filtered(frame, stop);
    if (stop.stop_requested()) return false;
    if (yuv_)
      file.write_yuv(result);
    else
      file.write(as_rgba(result));
    return true;
  }

  const Strategy& strategy() const { return *strategy_; }
  // Why not every pixel may be right, a sentence; usually empty. As in the window, what can be seen of it is worth it.
  std::string doubt() const {
    const Problem any_size = problem(1920, 1080);
    const std::string why = any_size.kind->invalid(any_size);
    return why.empty() ? "" : as_sentence(why) + " Pixels where they reach that are wrong; smaller weights avoid it.";
  }
  bool yuv() const { return yuv_; }  // of the last picture: it did not go through RGB

 private:
  union Pixel {  // either format, both of four bytes
    Rgba8 rgba;
    float gray;
  };

  // What a mean makes of colours it makes of Y, U and V: both are the same up to a linear map, no result is larger or
  // smaller than every input, and a picture's neighbours outside are pixels of its own. Colours beyond RGB's cube stay
  // what they are instead of being clamped to it on the way.
  bool stays_yuv(const VideoFormat& format, const WholeFile& file) const {
    const PaneSettings& pane = settings_.active();
    return settings_.format == PixelFormat::rgba8 && is_mean(pane.filter.filter) && pane.border != Border::zero &&
           converter_->has_yuv(format) && file.keeps_yuv(format);
  }

  const Image& filtered(const VideoFrame& frame, const std::stop_token& stop) {
    const StopScope scope(stop);
    const int width = frame.format.upright_width(), height = frame.format.upright_height();
    if (!in_ || in_.image().width != width || in_.image().height != height) prepare(width, height);
    if (yuv_)
      converter_->enqueue_yuv(frame, in_.image());
    else
      converter_->enqueue(frame, in_.image());
    plan_->prepare(compute_.stream());
    enqueue_image(*plan_, in_.image(), out_.image(), compute_.stream());
    if (!plan_->settled()) explore_image(*plan_, in_.image(), compute_.stream());
    if (compute_.device().backend != Backend::cuda) return out_.image();
    compute_.download(out_.image(), result_);
    return result_;
  }

  const Image& as_rgba(const Image& result) {
    if (result.format == PixelFormat::rgba8) return result;
    for (int y = 0; y < result.height; ++y)
      for (int x = 0; x < result.width; ++x) {
        const float luma = row_of<const float>(result, y)[x];
        const auto code =
            static_cast<std::uint8_t>(std::lround(255 * std::clamp(std::isnan(luma) ? 0 : luma, 0.f, 1.f)));
        row_of<Rgba8>(picture_, y)[x] = {code, code, code, 255};
      }
    return picture_;
  }

  Problem problem(int width, int height) const {
    const PaneSettings& pane = settings_.active();
    return {width, height, settings_.format, pane.border, pane.filter.filter};
  }

  const Strategy* choose(const Problem& problem, bool given) const {
    const PaneSettings& pane = settings_.active();
    const Backend backend = compute_.device().backend;
    if (given) {
      const Strategy* strategy = find_strategy(backend, pane.strategy);
      if (!strategy)
        throw Error("The strategy " + in_quotes(pane.strategy) + " does not run with the " + to_string(backend) +
                    " backend on this machine. " +
                    (backend == Backend::cpu ? "It needs CUDA; --backend emulated runs it on the CPU."
                                             : "It runs with --backend cpu."));
      return strategy;
    }
    const std::vector<const Strategy*> able = able_strategies(problem, compute_.device());
    if (!able.empty()) return able.front();
    throw Error("No strategy of the " + std::string(to_string(backend)) + " backend can run this filter. Choose one " +
                "with --strategy; see convoscope list strategies.");
  }

  void prepare(int width, int height) {
    const Problem now = problem(width, height);
    const Tuning& tuning = settings_.active().tuning;
    if (!strategy_given_ && !surely_unsupported(*strategy_, now, compute_.device(), tuning).empty())
      strategy_ = choose(now, false);
    if (const std::string reason = surely_unsupported(*strategy_, now, compute_.device(), tuning); !reason.empty())
      throw Error("The strategy " + in_quotes(strategy_->id) + " cannot filter this: " + reason);
    in_ = compute_.allocate(width, height, settings_.format);
    out_ = compute_.allocate(width, height, settings_.format);
    plan_ = strategy_->plan(now, compute_.device(), tuning);
    const std::size_t row = static_cast<std::size_t>(width), count = row * static_cast<std::size_t>(height);
    pixels_.resize(count);
    result_ = {pixels_.data(), width, height, row * sizeof(Pixel), settings_.format};
    if (settings_.format == PixelFormat::rgba8) return;
    rgba_.resize(count);
    picture_ = {rgba_.data(), width, height, row * sizeof(Rgba8), PixelFormat::rgba8};
  }

  Compute& compute_;
  const Settings& settings_;
  const bool strategy_given_;
  std::unique_ptr<FrameConverter> converter_;
  const Strategy* strategy_ = nullptr;
  bool yuv_ = false;
  std::unique_ptr<Plan> plan_;
  DeviceImage in_, out_;
  std::vector<Pixel> pixels_;  // downloaded
  std::vector<Rgba8> rgba_;
  Image result_, picture_;
};

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
  const std::unique_ptr<Compute> compute = compute_for(invocation);
  FrameFilter filter(*compute, settings, invocation.strategy_given);

  WholeFileSettings file;
  file.input = settings.source.input;
  file.output = invocation.output;
  file.trust_playlists = settings.source.trust_playlists;
  file.max_pixels = settings.source.max_pixels;
  file.lossless = invocation.lossless;
  file.prefer_nvenc = compute->device().backend == Backend::cuda;
  file.metadata = {{"encoder_settings", "convoscope " + spec_text(pane.filter) + ", border " +
                                            std::string(to_string(pane.border)) + ", strategy " +
                                            std::string(filter.strategy().id)}};
  std::error_code unknown;
  const bool replaces = invocation.output != "-" && std::filesystem::is_regular_file(invocation.output, unknown);
  const std::unique_ptr<WholeFile> whole = open_unless_stopped(file, interrupt, stop);
  if (const std::string doubt = filter.doubt(); !doubt.empty()) std::fprintf(stderr, "convoscope: %s\n", doubt.c_str());

  const std::int64_t expected = whole->frames_expected();
  const std::string where = invocation.output == "-" ? "standard output" : printable(in_quotes(invocation.output));
  FrameProgress progress;
  std::int64_t frames = 0;
  const auto warn = [&] {
    while (const auto warning = whole->take_warning()) {
      progress.clear();
      std::fprintf(stderr, "convoscope: %s\n", printable(*warning).c_str());
    }
  };
  try {
    VideoFrame frame;
    while (!interrupt.stop && whole->read(frame)) {
      if (!filter.run(frame, *whole, until_signal.token())) break;
      progress.show(++frames, expected);
      warn();
    }
    progress.clear();
    const SlowFinish told(where);
    whole->finish(!interrupt.stop);
  } catch (const PipeClosed& closed) {
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
  } catch (const Error&) {
    progress.clear();
    throw;
  }
  warn();
  if (interrupt.stop && frames > 0 && !whole->where_left().empty()) {
    std::fprintf(stderr, "convoscope: Stopped by %s after %s, in %s; %s is as it was.\n", stop.name(),
                 frames_text(frames).c_str(), printable(whole->where_left()).c_str(), where.c_str());
    return stop.exit_code();
  }
  if (interrupt.stop) {
    std::fprintf(stderr,
                 frames > 0 && ends_in(invocation.output, "png")
                     ? "convoscope: Stopped by %s after %s, each whole, as %s.\n"
                 : frames > 0 ? "convoscope: Stopped by %s after %s; %s is finished and plays.\n"
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
  std::fprintf(stderr, "Wrote %s to %s%s in %.1f s: %s with %s%s, as %s%s%s.\n", frames_text(frames).c_str(),
               where.c_str(), replaces ? ", in place of an older file," : "", progress.seconds(),
               spec.size() <= longest_spec ? spec.c_str() : in_quotes(spec).c_str(),
               std::string(filter.strategy().id).c_str(), filter.yuv() ? " on Y, U and V" : "",
               whole->encoder().c_str(), copied.c_str(), whole->note().c_str());
  return whole->cut_short() ? exit_cut_short : exit_done;
}

}  // namespace convoscope
