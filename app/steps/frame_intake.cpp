#include "app/steps/frame_intake.h"

#include <utility>

namespace convoscope {

std::optional<VideoFrame> FrameIntake::centred(std::optional<VideoFrame> frame, SourceStep& source) {
  if (frame) return centring_.take_frame(std::move(*frame));
  return source.player()->stats().ended ? centring_.take_border() : std::nullopt;
}

std::optional<VideoFrame> FrameIntake::next(const Way& way, Settings& settings, Stats& stats) {
  while (true) {
    SourceStep::Taken taken = way.source.take_due(way.playback, settings, stats);
    if (taken.of_another) way.began_another();
    const bool leads_in = taken.frame && taken.frame->leads;
    if (!leads_in) taken.frame = centred(std::move(taken.frame), way.source);
    if (!taken.frame || !taken.frame->leads) return std::move(taken.frame);
    way.filter.give_before(*taken.frame, settings.format);
  }
}

bool FrameIntake::lead_in(std::int64_t number, const Way& way, const Settings& settings, const Stats& stats) {
  const bool stays = settings.playback.paused || stats.source.ended;
  if (!stays || !way.may_lead_in) return false;
  const int frames = way.filter.frames_before(number, way.source.is_awaited(), way.seen);
  return frames > 0 && way.source.lead_in(frames);
}

}  // namespace convoscope
