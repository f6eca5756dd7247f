// Rendering: the view as it is set up, offline, every frame of the source once, while the window goes on.
#include <algorithm>

#include "app/app.h"
#include "kernels/text/error.h"

namespace convoscope {

void App::start_render(const std::string& path, bool with_panels) {
  const SourceStats& source = stats_.source;
  const PlaybackSettings& playback = settings_.playback;
  const double from = playback.loop_a.value_or(0), to = playback.loop_b.value_or(source.duration);
  const bool marked = (playback.loop_a || playback.loop_b) && to > from && source.seekable;
  const bool ends = !source.live && (source.frames > 0 || source.duration > 0);
  if (rendering_) return;
  if (capture_->recording()) throw Error("A recording is running. Stop it before rendering.");
  if (!source_.player()) throw Error("There is nothing to render. Open a source that plays.");
  if (!filter_->has_picture()) throw Error("The first picture is still being prepared. Render when it is shown.");
  if (!ends && !marked)
    throw Error("'" + settings_.source.input +
                "' has no end, so it cannot be rendered. Set where with A and B, or record it.");

  Rendering rendering;
  rendering.playback.loop = false;
  rendering.position = filter_->position();
  double seconds = source.duration;
  if (marked) {
    rendering.from = from;
    rendering.end = playback.loop_b;
    seconds = to - from;
  }
  capture_->start({path, true, true, false, with_panels}, compose());
  rendering_ = rendering;
  const bool whole = source.frames > 0 && !marked;
  const std::int64_t total = whole ? source.frames : static_cast<std::int64_t>(seconds * source.rate + 0.5);
  stats_.render = {true, path, 0, total, stats_.now};
  source_.take_every_frame(true);
  const Work work = work_of(settings_);
  const double before = over_frames(work) && source.rate > 0 ? work.reach / source.rate : 0;
  open_source(std::max(0.0, rendering.from.value_or(0) - before));
}

void App::go_on_with_render(bool new_frame) {
  if (!rendering_) return;
  if (!capture_->recording()) return end_render("");  // it has failed and said why
  if (new_frame && rendering_->end && filter_->coming_position() >= *rendering_->end - 1e-6) return end_render("");
  if (new_frame || filter_->busy()) return;  // what is still filtered is to be recorded
  if (!source_.player()) return end_render("The source could not be opened again.");
  const SourceStats source = source_.player()->stats();
  if (!source.error.empty()) return end_render("The source has failed.");
  if (source.ended) end_render("");
}

void App::end_render(const std::string& remark) {
  if (!rendering_) return;
  stats_.render.running = false;
  capture_->stop(remark);
  source_.take_every_frame(false);  // at the display's pace again
  open_source(rendering_->position);
  rendering_.reset();
  centring_ = Centring();  // what is watched follows the source
}

}  // namespace convoscope
