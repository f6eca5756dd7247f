#include "app/panes/filter_step.h"

#include <utility>

#include "app/panes/cores_filter_step.h"
#include "app/panes/gpu_filter_step.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {

std::unique_ptr<FilterStep> make_filter_step(Compute& compute, bool waits, std::function<void()> on_progress,
                                             std::function<bool()> stop) {
  if (compute.device().backend == Backend::cuda)
    return std::make_unique<GpuFilterStep>(compute, waits, std::move(on_progress), std::move(stop));
  return std::make_unique<CoresFilterStep>(compute, waits, std::move(on_progress), std::move(stop));
}

FilterStep::FilterStep(Compute& compute, bool waits, std::function<void()> on_progress, std::function<bool()> stop)
    : waits_(waits),
      converter_(make_frame_converter(compute)),
      pool_(compute),
      panes_(compute, std::move(on_progress)),
      stop_(std::move(stop)),
      repeat_(core_count()) {}

void FilterStep::give(const VideoFrame& frame, PixelFormat format, bool at_once) {
  const FrameInSource given{log_.next_id(frame.number, at_once), frame.seconds};
  format_ = format;
  if (!shows_any() && !coming_ && !is_new_) log_.will_be_first(given);
  if (at_once) {
    log_.ask_for(given);
    panes_.cancel();
  }
  accept({frame, given.id});
}

void FilterStep::convert_to(PixelFormat format) {
  if (std::exchange(format_, format) != format && !coming_ && frame_.owner) convert_again();
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
}

void FilterStep::begin_source() {
  cancel();
  is_new_ = has_finished_ = false;  // a picture of the source before is none of the next, whatever is still drawn
  log_.begin_source();
  finish_conversion();  // it stays in sight until the next source's
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
  if (begin_next(now)) configure();
}

bool FilterStep::filter(const Conditions& now) {
  do {
    panes_.follow_view(now.seen);
    look_at_work(now.now);
    filter_frame(now);
    if (!waits_) break;
    panes_.wait(stop_);
    look_at_work(now.now);
  } while (panes_.has_failed());  // then by another strategy
  return std::exchange(has_finished_, false);
}

PaneSet::Filtering FilterStep::how_to_filter(const Conditions& now) const {
  PaneSet::Filtering how;
  how.again_on_cores = is_due_again(now);
  how.quiet = now.quiet;
  how.together = now.together;
  how.unhurried = waits_ || (!now.held && !is_new_ && repeat_.stays(now.now));
  how.seen = now.seen;
  how.frame = frame_.id;
  return how;
}

bool FilterStep::is_due_again(const Conditions& now) const {
  return panes_.has_timed() && !waits_ && !now.held && !is_new_ && repeat_.is_due(now.now);
}

void FilterStep::note_repeat(double now) {
  const double seconds = panes_.seconds_taken().value_or(0);
  if (panes_.repeats())
    repeat_.repeated(now, seconds, panes_.counted());
  else
    repeat_.changed(now, seconds, panes_.counted());
}

void FilterStep::finish_new(double now) {
  has_finished_ = true;
  log_.see(frame_.in_source());
  frame_.before.clear();
  repeat_.new_picture(now);
}

}  // namespace convoscope
