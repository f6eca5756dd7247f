#include "app/panes/filter_step.h"

#include <algorithm>
#include <utility>

#include "kernels/text/error.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {
namespace {

constexpr std::size_t most_arrivals = 16;

}  // namespace

FilterStep::FilterStep(Compute& compute, bool waits, std::function<void()> on_progress, std::function<bool()> stop)
    : compute_(compute),
      waits_(waits),
      gpu_(compute.device().backend == Backend::cuda),
      stop_(std::move(stop)),
      converter_(make_frame_converter(compute)),
      pool_(compute),
      panes_(compute, std::move(on_progress)),
      repeat_(core_count()) {}

void FilterStep::give(const VideoFrame& frame, PixelFormat format, bool at_once) {
  const FrameInSource given{log_.next_id(frame.number, at_once), frame.seconds};
  format_ = format;
  if (!shows_any() && !coming_ && !is_new_) log_.will_be_first(given);
  if (at_once) {
    log_.ask_for(given);
    panes_.cancel();
  }
  if (gpu_) {
    frame_ = GivenFrame{frame, given.id};
    return begin_on_gpu();
  }
  if (coming_) ++skipped_;
  coming_ = GivenFrame{frame, given.id, std::exchange(before_, {})};
}

// What is on its way from the host already has time for the switch from drawing to computing. Behind the conversion of
// a frame that is there, taking the textures from OpenGL would switch back and forth once more (0.14 ms on an H200).
void FilterStep::begin_on_gpu() {
  input_ = pool_.get(frame_.format.upright_width(), frame_.format.upright_height(), format_);
  is_new_ = true;
  is_prepared_ = false;
  if (!frame_.on_device) prepare_on_gpu();
}

void FilterStep::prepare_on_gpu() {
  if (gpu_ && !std::exchange(is_prepared_, true)) converter_->enqueue(frame_, input_.image());
}

void FilterStep::convert_to(PixelFormat format) {
  if (std::exchange(format_, format) == format || coming_ || !frame_.owner) return;
  if (gpu_) return begin_on_gpu();
  coming_ = overtaking_ ? *overtaking_ : frame_;  // the newest
  panes_.cancel();
}

void FilterStep::give_before(const VideoFrame& frame, PixelFormat format) {
  GivenFrame given{frame, log_.next_id(frame.number, false)};
  if (!gpu_) return before_.push_back(std::move(given));
  const DeviceImage picture = pool_.get(frame.format.upright_width(), frame.format.upright_height(), format);
  converter_->enqueue(frame, picture.image());
  panes_.take_before(picture.image(), given.id);
}

int FilterStep::frames_before(std::int64_t number, bool at_once, const std::function<bool(int)>& seen) {
  if (at_once) panes_.cancel();
  return before_.empty() ? panes_.frames_before(number, seen) : 0;
}

void FilterStep::cancel() {
  panes_.cancel();
  coming_.reset();
  log_.forget_asked_for();
  before_.clear();
  overtaking_.reset();
  was_overtaken_ = false;
}

void FilterStep::begin_source() {
  cancel();
  is_new_ = has_finished_ = false;  // a picture of the source before is none of the next, whatever is still drawn
  log_.begin_source();
  prepare_on_gpu();     // it stays in sight until the next source's
  if (!is_prepared_) {  // nor can it be any more, without its frame
    input_ = panes_.input();
    is_prepared_ = true;
  }
  frame_.owner.reset();
}

void FilterStep::forget() {
  cancel();
  panes_.forget();
  frame_.owner.reset();
  input_ = {};
  is_new_ = false;
  is_prepared_ = true;
}

void FilterStep::arrange(std::vector<PaneSettings>& panes, std::vector<PaneStats>& stats, int timing_window, double now,
                         const Work& work) {
  const auto configure = [&] {
    const Image& shape = input_.image();
    if (input_) panes_.configure(panes, shape.width, shape.height, shape.format, work, frame_.format.has_alpha);
  };
  panes_.arrange(panes, stats, timing_window);
  configure();
  if (coming_) panes_.give_up_unseen();
  look_at_work(now);  // what has come to an end is the frame's at hand, not that of the next
  if (!coming_ || panes_.at_work()) return;
  adopt_coming();
  configure();
}

void FilterStep::adopt_coming() {
  frame_ = std::move(*coming_);
  coming_.reset();
  input_ = pool_.get(frame_.format.upright_width(), frame_.format.upright_height(), format_);
  is_new_ = true;
  is_prepared_ = was_overtaken_ = false;
}

// Quick panes go on to the frame that has come, while a slow one is at work on the one at hand.
void FilterStep::overtake(const Conditions& now) {
  if (waits_ || !coming_ || !coming_->before.empty() || overtaking_ || now.held || now.together ||
      !panes_.can_overtake())
    return;
  const int width = coming_->format.upright_width(), height = coming_->format.upright_height();
  if (!input_.fits(width, height, format_) || coming_->format.has_alpha != frame_.format.has_alpha) return;
  const DeviceImage in = pool_.get(width, height, format_);
  PaneSet::Filtering how;
  how.quiet = now.quiet;
  how.seen = now.seen;
  how.frame = coming_->id;
  how.before = [this, in, frame = *coming_] { converter_->enqueue(frame, in.image()); };
  overtaking_ = std::move(coming_);
  coming_.reset();
  overtaking_input_ = in;
  if (!panes_.overtake(in, how)) look_at_overtaking(now.now);
}

// Once it has come to its end, it is the frame at hand.
void FilterStep::look_at_overtaking(double now) {
  if (!overtaking_ || panes_.overtakes()) return;
  GivenFrame frame = std::move(*overtaking_);
  overtaking_.reset();
  const DeviceImage in = std::exchange(overtaking_input_, {});
  if (const std::string error = panes_.take_error_of_overtaking(); !error.empty()) throw Error(error);
  if (panes_.input().image().data != in.image().data) {  // it was given up
    if (!coming_) coming_ = std::move(frame);
    return;
  }
  while (const std::optional<double> converted = converter_->poll_convert_ms()) convert_ms_ = converted;
  frame_ = std::move(frame);
  input_ = in;
  is_prepared_ = is_new_ = was_overtaken_ = true;
  finish_new(now);
}

// Draws conclusions once the cores have come to an end.
void FilterStep::look_at_work(double now) {
  panes_.take_finished_pictures();
  look_at_overtaking(now);
  if (!gpu_ && is_new_ && panes_.shows_some_of_what_is_at_work()) log_.see(frame_.in_source());
  if (panes_.at_work() || !std::exchange(at_work_, false)) return;
  if (!gpu_) {
    is_prepared_ |= panes_.is_prepared();
    while (const std::optional<double> converted = converter_->poll_convert_ms()) convert_ms_ = converted;
  }
  if (const std::string error = panes_.error(); !error.empty()) {
    is_new_ = false;
    is_prepared_ = true;
    input_ = panes_.input();
    frame_.owner.reset();
    throw Error(error);
  }
  if (!panes_.is_complete()) return;
  if (std::exchange(was_overtaken_, false)) {  // what is done is an older frame, and has that at hand still to come
    has_finished_ = true;
    return;
  }
  if (!gpu_ && std::exchange(is_new_, false)) return finish_new(now);
  if (panes_.repeats())
    repeat_.repeated(now, panes_.seconds_taken().value_or(0), panes_.counted());
  else
    repeat_.changed(now, panes_.seconds_taken().value_or(0), panes_.counted());
}

bool FilterStep::is_due_again(const Conditions& now) const {
  return panes_.has_timed() && !waits_ && !now.held && !is_new_ && repeat_.is_due(now.now);
}

bool FilterStep::filter(const Conditions& now) {
  do {
    panes_.follow_view(now.seen);
    look_at_work(now.now);
    if (input_ && (gpu_ || !panes_.at_work())) begin(now);
    overtake(now);
    if (!waits_) break;
    panes_.wait(stop_);
    look_at_work(now.now);
  } while (panes_.has_failed());  // then by another strategy
  return std::exchange(has_finished_, false);
}

void FilterStep::filter_again(const Conditions& now) {
  if (gpu_ || waits_ || owes_picture()) return;
  look_at_work(now.now);
  if (input_ && !panes_.at_work() && is_due_again(now)) begin(now);
}

void FilterStep::begin(const Conditions& now) {
  PaneSet::Filtering how;
  how.again_on_cores = is_due_again(now);
  how.again = gpu_ ? is_new_ || !now.held : how.again_on_cores;
  how.quiet = now.quiet;
  how.together = now.together;
  how.unhurried = waits_ || (!now.held && !is_new_ && repeat_.stays(now.now));
  how.seen = now.seen;
  how.frame = frame_.id;
  prepare_on_gpu();
  if (!is_prepared_) how.before = prepare();
  panes_.filter(input_, how);
  at_work_ |= panes_.at_work();
  was_overtaken_ = false;                        // what begins now is of the frame at hand
  const bool nothing_to_do = !panes_.at_work();  // those that had not made it are gone
  if ((gpu_ || nothing_to_do) && std::exchange(is_new_, false)) finish_new(now.now);
}

// Makes the pixels of the frame at hand, after the panes have seen those that go before it. With what it needs of its
// own: another source may begin, and this one's frame go, before a thread that was told to stop has come to that.
std::function<void()> FilterStep::prepare() {
  const Image& shape = input_.image();
  DeviceImage picture;  // of each of those
  if (!frame_.before.empty()) picture = pool_.get(shape.width, shape.height, shape.format);
  return [this, frame = frame_, in = input_, picture] {
    for (const GivenFrame& each : frame.before) {
      if (each.format.upright_width() != picture.image().width ||
          each.format.upright_height() != picture.image().height)
        continue;
      converter_->enqueue(each, picture.image());
      panes_.take_before(picture.image(), each.id);
    }
    converter_->enqueue(frame, in.image());
  };
}

void FilterStep::finish_new(double now) {
  has_finished_ = true;
  log_.see(frame_.in_source());
  frame_.before.clear();
  repeat_.new_picture(now);
}

}  // namespace convoscope
