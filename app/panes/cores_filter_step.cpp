#include "app/panes/cores_filter_step.h"

#include <utility>

#include "kernels/text/error.h"

namespace convoscope {

void CoresFilterStep::accept(GivenFrame frame) {
  if (coming_) ++skipped_;
  coming_ = std::move(frame);
  coming_->before = std::exchange(before_, {});
}

void CoresFilterStep::give_before(const VideoFrame& frame, PixelFormat) {
  before_.push_back({frame, log_.next_id(frame.number, false)});
}

void CoresFilterStep::convert_again() {
  coming_ = overtaking_ ? overtaking_->frame : frame_;  // the newest
  panes_.cancel();
}

void CoresFilterStep::cancel() {
  FilterStep::cancel();
  overtaking_.reset();
  was_overtaken_ = false;
}

// It has not been converted and never will be, for the frame goes.
void CoresFilterStep::finish_conversion() {
  if (is_prepared_) return;
  input_ = panes_.input();
  is_prepared_ = true;
}

bool CoresFilterStep::begin_next(double now) {
  if (coming_) panes_.give_up_unseen();
  look_at_work(now);  // what has come to an end is the frame's at hand, not that of the next
  if (!coming_ || panes_.at_work()) return false;
  frame_ = std::move(*coming_);
  coming_.reset();
  input_ = picture_of(frame_);
  is_new_ = true;
  is_prepared_ = was_overtaken_ = false;
  return true;
}

// Quick panes go on to the frame that has come, while a slow one is at work on the one at hand.
void CoresFilterStep::overtake(const Conditions& now) {
  if (waits_ || !coming_ || !coming_->before.empty() || overtaking_ || now.held || now.together ||
      !panes_.can_overtake())
    return;
  const int width = coming_->format.upright_width(), height = coming_->format.upright_height();
  if (!input_.fits(width, height, format_) || coming_->format.has_alpha != frame_.format.has_alpha) return;
  const DeviceImage in = picture_of(*coming_);
  PaneSet::Filtering how;
  how.quiet = now.quiet;
  how.seen = now.seen;
  how.frame = coming_->id;
  how.before = [this, in, frame = *coming_] { converter_->enqueue(frame, in.image()); };
  overtaking_ = Overtaking{std::move(*coming_), in};
  coming_.reset();
  if (!panes_.overtake(in, how)) look_at_overtaking(now.now);
}

// Once it has come to its end, it is the frame at hand.
void CoresFilterStep::look_at_overtaking(double now) {
  if (!overtaking_ || panes_.overtakes()) return;
  auto [frame, in] = std::move(*overtaking_);
  overtaking_.reset();
  if (const std::string error = panes_.take_error_of_overtaking(); !error.empty()) throw Error(error);
  if (panes_.input().image().data != in.image().data) {  // it was given up
    if (!coming_) coming_ = std::move(frame);
    return;
  }
  note_conversions();
  frame_ = std::move(frame);
  input_ = in;
  is_prepared_ = is_new_ = was_overtaken_ = true;
  finish_new(now);
}

void CoresFilterStep::note_conversions() {
  while (const std::optional<double> converted = converter_->poll_convert_ms()) convert_ms_ = converted;
}

void CoresFilterStep::look_at_work(double now) {
  panes_.take_finished_pictures();
  look_at_overtaking(now);
  if (is_new_ && panes_.shows_some_of_what_is_at_work()) log_.see(frame_.in_source());
  if (!has_work_ended()) return;
  is_prepared_ |= panes_.is_prepared();
  note_conversions();
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
  if (std::exchange(is_new_, false)) return finish_new(now);
  note_repeat(now);
}

void CoresFilterStep::filter_frame(const Conditions& now) {
  if (input_ && !panes_.at_work()) begin(now);
  overtake(now);
}

void CoresFilterStep::filter_again(const Conditions& now) {
  if (waits_ || owes_picture()) return;
  look_at_work(now.now);
  if (input_ && !panes_.at_work() && is_due_again(now)) begin(now);
}

void CoresFilterStep::begin(const Conditions& now) {
  PaneSet::Filtering how = how_to_filter(now);
  how.again = how.again_on_cores;
  if (!is_prepared_) how.before = conversion();
  panes_.filter(input_, how);
  at_work_ |= panes_.at_work();
  was_overtaken_ = false;  // what begins now is of the frame at hand
  // Where there is nothing to do, those that had not made it are gone.
  if (!panes_.at_work() && std::exchange(is_new_, false)) finish_new(now.now);
}

// Makes the pixels of the frame at hand, after the panes have seen those that go before it. With what it needs of its
// own: another source may begin, and this one's frame go, before a thread that was told to stop has come to that.
std::function<void()> CoresFilterStep::conversion() {
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

}  // namespace convoscope
