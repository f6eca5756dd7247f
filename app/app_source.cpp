// What is taken from the source: the frames that are shown, and where several go into a picture those around them.
#include <algorithm>
#include <chrono>
#include <thread>

#include "app/app.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr auto frame_while_held = std::chrono::milliseconds(40);  // drawing would disturb what is measured

}  // namespace

PlaybackSettings App::playback() const {
  PlaybackSettings playback = rendering_ ? rendering_->playback : settings_.playback;
  playback.paused |= sweep_.holds_view(settings_);
  return playback;
}

void App::open_source(double position) {
  source_.open(settings_, stats_, position);
  begin_source();
}

// The pictures and figures so far are another source's. A rendering opens the same one again, and leaves them.
void App::begin_source() {
  filter_->begin_source();
  sound_.begin_source(stats_);
  measuring_.begin_source(source_.player(), *filter_);
  if (!rendering_) measuring_.reset(stats_);
  const Work work = work_of(settings_);
  const bool every = rendering_ || (context_->offscreen() && !invocation_.realtime);
  centring_ = Centring(every && over_frames(work) ? work.reach : 0, rendering_ ? rendering_->from : std::nullopt);
}

std::optional<VideoFrame> App::centred(std::optional<VideoFrame> frame) {
  if (frame) return centring_.take(std::move(*frame));
  return source_.player()->stats().ended ? centring_.take_border() : std::nullopt;
}

// The next one to be seen. Those that lead go in.
SourceStep::Taken App::take_of_source() {
  while (true) {
    SourceStep::Taken taken = source_.take(playback(), settings_, stats_);
    if (taken.of_another) begin_source();
    const bool leads_in = taken.frame && taken.frame->leads;
    if (!leads_in) taken.frame = centred(std::move(taken.frame));
    if (!taken.frame || !taken.frame->leads) return taken;
    filter_->give_before(*taken.frame, settings_.format);
  }
}

// Where several frames go into a picture that stays, they are its neighbours in the source, whatever was shown before
// it. False: nothing is missing, or it cannot be had.
bool App::lead_in(std::int64_t number) {
  const bool stays = settings_.playback.paused || stats_.source.ended;
  if (!stays || rendering_ || sweep_.holds_view(settings_) || context_->offscreen()) return false;
  const int frames = filter_->frames_before(number, source_.is_awaited(), conditions(stats_.now).seen);
  return frames > 0 && source_.lead_in(frames);
}

// Of a rendering every frame is filtered, and what is compared is of one frame. Whoever asks for another one gets it.
bool App::keeps_frame() {
  if (rendering_) return filter_->busy();
  if (source_.is_awaited() || source_.opens_another()) return false;
  return filter_->cores_lag() && ShownDifference::may_stay(filter_->panes(), settings_);
}

bool App::take_frame() {
  sweep_.follow(settings_, stats_.sweep);
  const double began = poster_.seconds();
  if (sweep_.holds_view(settings_)) std::this_thread::sleep_for(frame_while_held);
  if (!source_.player() || keeps_frame()) return false;
  try {
    std::optional<VideoFrame> frame = take_of_source().frame;
    // Without a display's pace, waiting for a frame must neither keep a core busy nor draw the last one again.
    while (!frame && context_->offscreen() && !stop_) {
      const SourceStats source = source_.player()->stats();
      if (!source.error.empty() || source.ended || (source.still && stats_.frames_shown > 0)) break;
      if (invocation_.realtime) std::this_thread::sleep_for(std::chrono::microseconds(300));
      frame = take_of_source().frame;
    }
    measuring_.waited((poster_.seconds() - began) * 1e3);
    source_.tell_errors(frame.has_value(), stats_);
    if (!frame) {
      if (!filter_->busy() && filter_->shows_any()) lead_in(filter_->frame_number());
      return false;
    }
    if (!source_.plays()) {
      source_.begin_to_play(settings_, stats_);
      context_->set_title(printable(source_name(settings_.source.input)) + " – Convoscope");
    }
    if (lead_in(frame->number)) return false;  // it comes once more, after those before it
    filter_->give(*frame, settings_.format, source_.take_awaited());
  } catch (const Error& error) {
    poster_.post(MessageLevel::error, error.what());
    filter_->forget();
    failed_ = context_->offscreen();
    return false;
  }
  return true;
}

}  // namespace convoscope
