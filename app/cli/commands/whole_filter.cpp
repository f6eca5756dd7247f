#include "app/cli/commands/whole_filter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "app/files/sentence.h"
#include "kernels/choose/stand_in.h"
#include "kernels/choose/trial_choice.h"
#include "kernels/contract/kind.h"
#include "kernels/cpu/host_memory.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

// Waiting to be filtered on the device, waiting to be written, being written, and the one that is added to them.
constexpr int lanes_under_way = static_cast<int>(most_ahead) + 3;
constexpr std::size_t results_kept = 64;  // of those that an encoder with many threads holds

}  // namespace

WholeFilter::WholeFilter(Compute& compute, const Settings& settings, bool strategy_given)
    : compute_(compute),
      settings_(settings),
      strategy_given_(strategy_given),
      conveyor_(make_conveyor(compute, lanes_under_way)),
      results_([device = compute.device()](std::size_t bytes) { return allocate_host(device, bytes); }, results_kept) {
  strategy_ = choose(problem(1920, 1080), strategy_given);
}

std::optional<FilteredPicture> WholeFilter::run(ReadPicture& read, const WholeFile& file, std::int64_t frames,
                                                const std::stop_token& stop) {
  const StopScope scope(stop);
  if (!std::exchange(entered_, true)) conveyor_->enter();
  const int width = read.frame.format.upright_width(), height = read.frame.format.upright_height();
  const bool alpha = read.frame.format.has_alpha && settings_.format == PixelFormat::rgba8;
  if (!in_ || in_.image().width != width || in_.image().height != height || alpha != alpha_.has_value()) {
    const bool first = !plan_;
    prepare(width, height, alpha);
    if (first && !alpha && !strategy_given_) choose_by_trial(problem(width, height), frames);
    if (stop.stop_requested()) return {};
  }
  FilteredPicture out{
      .moment = std::move(read.moment), .planes = file.planes_for(width, height), .picture = out_.image()};
  yuv_ = stays_yuv(read.frame.format, out.planes);
  out.host = results_.take_block(conveyed_bytes(out.planes, out_.image()));
  out.picture.data = out.host.get();
  out.picture.pitch = static_cast<std::size_t>(width) * bytes_per_pixel(settings_.format);
  plan_->prepare(compute_.stream());
  out.conveyed = conveyor_->send({.frame = std::move(read.frame),
                                  .stays_yuv = yuv_,
                                  .in = in_.image(),
                                  .out = out_.image(),
                                  .planes = out.planes,
                                  .host = out.host},
                                 [&] {
                                   if (alpha_)
                                     enqueue_with_alpha(*alpha_, *plan_, in_.image(), out_.image(), compute_.stream());
                                   else
                                     enqueue_image(*plan_, in_.image(), out_.image(), compute_.stream());
                                   if (!plan_->settled())
                                     explore_image(*plan_, alpha_ ? alpha_->plane() : in_.image(), compute_.stream());
                                 });
  if (stop.stop_requested()) return {};  // given up half way, on the CPU
  return out;
}

double WholeFilter::write(FilteredPicture& filtered, WholeFile& file) {
  const auto start = std::chrono::steady_clock::now();
  const ConveyorTimes times = filtered.conveyed->wait();
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  times_.up += times.up, times_.convert += times.convert, times_.filter += times.filter;
  times_.back += times.back, times_.down += times.down;
  if (filtered.planes)
    file.write_planes(std::move(filtered.host), *filtered.planes, filtered.picture.width, filtered.picture.height,
                      filtered.moment);
  else
    file.write(as_rgba(filtered.picture), filtered.moment);
  return waited.count();
}

std::string WholeFilter::metadata() const {
  const PaneSettings& pane = settings_.active();
  return "convoscope " + named_text(pane.filter) + ", border " + std::string(to_string(pane.border)) + ", strategy " +
         std::string(strategy_->id);
}

std::string WholeFilter::doubt() const {
  const Problem any_size = problem(1920, 1080);
  const std::string why = any_size.kind->invalid(any_size);
  return why.empty() ? "" : as_sentence(why) + " Pixels where they reach that are wrong; smaller weights avoid it.";
}

// What a mean makes of colours it makes of Y, U and V: both are the same up to a linear map, no result is larger or
// smaller than every input, and a picture's neighbours outside are pixels of its own. Colours beyond RGB's cube stay
// what they are instead of being clamped to it on the way.
bool WholeFilter::stays_yuv(const VideoFormat& format, const std::optional<YuvLayout>& planes) const {
  const PaneSettings& pane = settings_.active();
  return planes && settings_.format == PixelFormat::rgba8 && is_mean(pane.filter.filter) &&
         pane.border != Border::zero && conveyor_->has_yuv(format) && means_the_same(*planes, format);
}

Image WholeFilter::as_rgba(const Image& result) {
  if (result.format == PixelFormat::rgba8) return result;
  rgba_.resize(static_cast<std::size_t>(result.width) * static_cast<std::size_t>(result.height));
  const Image picture{rgba_.data(), result.width, result.height, static_cast<std::size_t>(result.width) * sizeof(Rgba8),
                      PixelFormat::rgba8};
  for (int y = 0; y < result.height; ++y)
    for (int x = 0; x < result.width; ++x) {
      const float luma = row_of<const float>(result, y)[x];
      const auto code = static_cast<std::uint8_t>(std::lround(255 * std::clamp(std::isnan(luma) ? 0 : luma, 0.f, 1.f)));
      row_of<Rgba8>(picture, y)[x] = {code, code, code, 255};
    }
  return picture;
}

Problem WholeFilter::problem(int width, int height) const {
  const PaneSettings& pane = settings_.active();
  return {width, height, settings_.format, pane.border, pane.filter.filter};
}

const Strategy* WholeFilter::choose(const Problem& problem, bool given) const {
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

void WholeFilter::prepare(int width, int height, bool alpha) {
  const Problem now = alpha ? problem_of_plane(problem(width, height)) : problem(width, height);
  const Tuning& tuning = settings_.active().tuning;
  if (!strategy_given_ && !surely_unsupported(*strategy_, now, compute_.device(), tuning).empty())
    strategy_ = choose(now, false);
  if (const std::string reason = surely_unsupported(*strategy_, now, compute_.device(), tuning); !reason.empty())
    throw Error("The strategy " + in_quotes(strategy_->id) + " cannot filter this: " + reason);
  conveyor_->drain();
  in_ = compute_.allocate(width, height, settings_.format);
  out_ = compute_.allocate(width, height, settings_.format);
  alpha_.reset();
  if (alpha) alpha_.emplace(compute_, width, height).set_filter(settings_.active().filter.filter);
  plan_ = strategy_->plan(now, compute_.device(), tuning);
}

// A bad guess would cost every picture of the file, and another choice half way would show in its pixels.
void WholeFilter::choose_by_trial(const Problem& problem, std::int64_t frames) {
  compute_.fill(in_.image(), 0x55);
  const std::optional<TrialChoice> tried = choose_by_trials(compute_, problem, in_.image(), out_.image(), frames);
  if (!tried) return;
  if (tried->strategy != strategy_) plan_ = tried->strategy->plan(problem, compute_.device(), {});
  strategy_ = tried->strategy;
  choice_ = tried->text;
}

RunSteps<ReadPicture, FilteredPicture> filter_steps(WholeFile& file, WholeFilter& filter, const Interrupt& interrupt,
                                                    std::stop_token stop,
                                                    std::function<void(std::int64_t written)> meanwhile) {
  const std::int64_t expected = file.frames_expected();
  return {.read = [&](ReadPicture& next) { return !interrupt.stop && file.read(next.frame, next.moment); },
          .filter =
              [&file, &filter, expected, stop = std::move(stop)](ReadPicture& picture) {
                std::optional<FilteredPicture> filtered = filter.run(picture, file, expected, stop);
                if (filtered && filtered->moment.number == 0)
                  file.set_output(filter.device().backend == Backend::cuda, {{"encoder_settings", filter.metadata()}});
                return filtered;
              },
          .write = [&](FilteredPicture& picture) { return filter.write(picture, file); },
          .stopped = [&interrupt] { return interrupt.stop.load(); },
          .meanwhile = std::move(meanwhile)};
}

std::size_t pictures_ahead(const WholeFile& file) {
  constexpr std::int64_t large = std::int64_t{1} << 24;  // pixels
  return std::int64_t{file.width_expected()} * file.height_expected() < large ? most_ahead : 1;
}

std::string pace_of(const RunTimes& run, const ConveyorTimes& device, bool on_gpu, bool encodes) {
  const double busy = std::max({device.up, device.convert + device.filter + device.back, device.down});
  const double filter_waits = on_gpu ? run.all - busy : run.filter_starved + run.filter_held_up;
  if (run.read_held_up <= std::min(filter_waits, run.write_starved)) return "Decoding";
  return filter_waits < run.write_starved ? "Filtering" : encodes ? "Encoding" : "Writing";
}

}  // namespace convoscope
