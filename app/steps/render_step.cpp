#include "app/steps/render_step.h"

#include <algorithm>

#include "app/state/workbench.h"
#include "kernels/text/error.h"

namespace convoscope {

double RenderStep::start(const std::string& path, bool with_panels, const Composition& view, const Way& way,
                         const Settings& settings, Stats& stats) {
  const SourceStats& source = stats.source;
  const PlaybackSettings& playback = settings.playback;
  const double from = playback.loop_a.value_or(0), to = playback.loop_b.value_or(source.duration);
  const bool marked = (playback.loop_a || playback.loop_b) && to > from && source.seekable;
  const bool ends = !source.live && (source.frames > 0 || source.duration > 0);
  if (way.capture.recording()) throw Error("A recording is running. Stop it before rendering.");
  if (!way.source.player()) throw Error("There is nothing to render. Open a source that plays.");
  if (!way.filter.has_picture()) throw Error("The first picture is still being prepared. Render when it is shown.");
  if (!ends && !marked)
    throw Error("'" + settings.source.input +
                "' has no end, so it cannot be rendered. Set where with A and B, or record it.");

  Rendered rendered;
  rendered.playback.loop = false;
  rendered.position = way.filter.position();
  double seconds = source.duration;
  if (marked) {
    rendered.from = from;
    rendered.end = playback.loop_b;
    seconds = to - from;
  }
  way.capture.start({path, true, true, false, with_panels, true}, view);
  rendered_ = rendered;
  const bool whole = source.frames > 0 && !marked;
  const std::int64_t total = whole ? source.frames : static_cast<std::int64_t>(seconds * source.rate + 0.5);
  stats.render = {true, path, 0, total, stats.now};
  way.source.take_every_frame(true);
  const Work work = work_of(settings);
  const double before = over_frames(work) && source.rate > 0 ? work.reach / source.rate : 0;
  return std::max(0.0, rendered.from.value_or(0) - before);
}

std::optional<std::string> RenderStep::over(bool new_frame, const Way& way) const {
  constexpr const char* as_it_should = "";
  if (!way.capture.recording()) return as_it_should;  // it has failed and said why
  if (new_frame && rendered_->end && way.filter.coming_position() >= *rendered_->end - 1e-6) return as_it_should;
  if (new_frame || way.filter.busy()) return {};  // what is still filtered is to be recorded
  if (!way.source.player()) return "The source could not be opened again.";
  const SourceStats source = way.source.player()->stats();
  if (!source.error.empty()) return "The source has failed.";
  if (source.ended) return source.cut_short ? "Not all of the source could be decoded." : as_it_should;
  return {};
}

double RenderStep::end(const std::string& remark, const Way& way, Stats& stats) {
  const double position = rendered_->position;
  rendered_.reset();
  stats.render.running = false;
  way.capture.stop(remark);
  way.source.take_every_frame(false);  // at the display's pace again
  return position;
}

}  // namespace convoscope
