#include "app/panes/gpu_filter_step.h"

#include <utility>

namespace convoscope {

void GpuFilterStep::accept(GivenFrame frame) {
  frame_ = std::move(frame);
  begin_conversion();
}

// What is on its way from the host already has time for the switch from drawing to computing. Behind the conversion of
// a frame that is there, taking the textures from OpenGL would switch back and forth once more (0.14 ms on an H200).
void GpuFilterStep::begin_conversion() {
  input_ = picture_of(frame_);
  is_new_ = true;
  is_prepared_ = false;
  if (!frame_.on_device) finish_conversion();
}

void GpuFilterStep::finish_conversion() {
  if (!std::exchange(is_prepared_, true)) converter_->enqueue(frame_, input_.image());
}

void GpuFilterStep::give_before(const VideoFrame& frame, PixelFormat format) {
  const FrameId id = log_.next_id(frame.number, false);
  const DeviceImage picture = pool_.get(frame.format.upright_width(), frame.format.upright_height(), format);
  converter_->enqueue(frame, picture.image());
  panes_.take_before(picture.image(), id);
}

// Of the panes that cores compute; the others are done with when they are enqueued.
void GpuFilterStep::look_at_work(double now) {
  panes_.take_finished_pictures();
  if (has_work_ended() && panes_.is_complete()) note_repeat(now);
}

bool GpuFilterStep::begin_next(double now) {
  look_at_work(now);
  return false;
}

void GpuFilterStep::filter_frame(const Conditions& now) {
  if (!input_) return;
  PaneSet::Filtering how = how_to_filter(now);
  how.again = is_new_ || !now.held;
  finish_conversion();
  panes_.filter(input_, how);
  at_work_ |= panes_.at_work();
  if (std::exchange(is_new_, false)) finish_new(now.now);
}

}  // namespace convoscope
