// The steps of a frame, from the source to the screen.
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "app/app.h"
#include "app/panes/shown_pictures.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/without_mouse.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr auto frame_while_held = std::chrono::milliseconds(40);  // drawing would disturb what is measured

}  // namespace

// Offscreen nobody is there to mend it.
void App::tell_failure(const Error& error) {
  poster_.post(MessageLevel::error, error.what());
  failed_ = context_->offscreen();
}

void App::rest() {
  const bool is_saved = capture_->recording() || render_.running();
  rest_.rest({*context_, *filter_, source_, measuring_, is_saved, files_.is_awaited(),
              [this] { return !render_.running() && source_.finds_due(playback()); },
              [this](double seconds) { return conditions(seconds); }, [this] { return requests_.quit || stop_; }},
             settings_, stats_);
  step_clock_.begin_frame();
}

PlaybackSettings App::playback() const {
  PlaybackSettings playback = render_.running() ? render_.playback() : settings_.playback;
  playback.paused |= sweep_.holds_view(settings_);
  return playback;
}

FilterStep::Conditions App::conditions(double now) const {
  const bool quiet = !render_.running() && !measuring_.measures_limits() && !sweep_.measuring() &&
                     !learning_.disturbs() && rest_.is_warm(now);
  const View view = shown_view(settings_);
  FilterStep::Conditions conditions{rest_.holds_still() || sweep_.holds_view(settings_), quiet,
                                    view == View::difference, now};
  if (!context_->offscreen())
    conditions.seen = [this, view](int pane) { return is_seen(settings_, view, pane, ui::flick_pane(settings_)); };
  return conditions;
}

// The pictures and figures so far are another source's, unless a rendering opens the same one again.
void App::open_source(double position, bool same_one) {
  source_.open(settings_, stats_, position);
  begin_source(same_one);
}

void App::begin_source(bool same_one) {
  filter_->begin_source();
  sound_.begin_source(stats_);
  measuring_.begin_source(source_.player(), *filter_);
  if (!same_one && !render_.running()) measuring_.reset(stats_);
  const Work work = work_of(settings_);
  const bool every = render_.running() || (context_->offscreen() && !invocation_.realtime);
  intake_.begin_source(every && over_frames(work) ? work.reach : 0, render_.from());
}

FrameIntake::Way App::intake_way() {
  const bool may_lead_in = !render_.running() && !sweep_.holds_view(settings_) && !context_->offscreen();
  return {source_, *filter_, playback(), may_lead_in, conditions(stats_.now).seen, [this] { begin_source(); }};
}

// Of a rendering every frame is filtered, and what is compared is of one frame. Whoever asks for another one gets it.
bool App::keeps_frame() {
  if (render_.running()) return filter_->busy();
  if (source_.is_awaited() || source_.opens_another()) return false;
  return filter_->cores_lag() && ShownDifference::may_stay(filter_->panes(), settings_);
}

void App::take_frame() {
  const auto timed = step_clock_.timed("source");
  const bool new_frame = get_frame();
  if (render_.running())
    if (const std::optional<std::string> remark = render_.over(new_frame, render_way())) end_render(*remark);
  // Nobody listens to what is rendered, or filtered offscreen: its sound is copied.
  if (!context_->offscreen() && !render_.running() && source_.plays())
    sound_.follow(*source_.player(), settings_, stats_);
}

bool App::get_frame() {
  sweep_.follow(settings_, stats_.sweep);
  const double began = poster_.seconds();
  if (sweep_.holds_view(settings_)) std::this_thread::sleep_for(frame_while_held);
  if (!source_.player() || keeps_frame()) return false;
  try {
    const FrameIntake::Way way = intake_way();
    std::optional<VideoFrame> frame = intake_.next(way, settings_, stats_);
    // Without a display's pace, waiting for a frame must neither keep a core busy nor draw the last one again.
    while (!frame && context_->offscreen() && !stop_) {
      const SourceStats source = source_.player()->stats();
      if (!source.error.empty() || source.ended || (source.still && stats_.frames_shown > 0)) break;
      if (invocation_.realtime) std::this_thread::sleep_for(std::chrono::microseconds(300));
      frame = intake_.next(way, settings_, stats_);
    }
    measuring_.waited((poster_.seconds() - began) * 1e3);
    // First what begins withdraws what was said of sources before it, then comes what is wrong with this one.
    if (frame && !source_.plays()) {
      source_.begin_to_play(settings_, stats_);
      stats_.source.numbers = frame->format.layout == PlaneLayout::numbers;  // known before the frame is shown
      number_pixels_.follow(frame->format, settings_, poster_);
      context_->set_title(printable(source_name(settings_.source.input)) + " – Convoscope");
    }
    source_.tell_errors(frame.has_value(), stats_);
    if (!frame) {
      if (!filter_->busy() && filter_->shows_any())
        FrameIntake::lead_in(filter_->frame_number(), way, settings_, stats_);
      return false;
    }
    if (FrameIntake::lead_in(frame->number, way, settings_, stats_)) return false;
    filter_->give(*frame, settings_.format, source_.take_awaited());
  } catch (const Error& error) {
    filter_->forget();
    tell_failure(error);
    return false;
  }
  return true;
}

void App::start_render(const std::string& path) {
  if (render_.running()) return;
  open_source(render_.start(path, settings_.recording.render_panels, composed(), render_way(), settings_, stats_),
              true);
}

void App::end_render(const std::string& remark) {
  if (render_.running()) open_source(render_.end(remark, render_way(), stats_), true);
}

bool App::filter() {
  const auto timed = step_clock_.timed("filter");
  bool new_picture = false;
  try {
    filter_->convert_to(settings_.format);
    filter_->arrange(settings_.group().panes, stats_.panes, measuring_.window(), stats_.now, work_of(settings_));
    inspection_.observe_at_rest(*filter_, settings_, stats_);
    picture_->begin_filtering(*filter_, settings_);
    new_picture = filter_->filter(conditions(stats_.now));
    tell_place();
    picture_->prepare(*filter_, settings_);
  } catch (const Error& error) {
    tell_failure(error);
  }
  if (!new_picture) return false;
  ++stats_.frames_shown;
  if (render_.running()) ++stats_.frames_shown_before;
  return true;
}

// Before it is drawn: the player's newest frame may still be on its way to the screen.
void App::tell_place() {
  if (!filter_->has_place()) return;
  stats_.source.position = filter_->position();
  stats_.source.frame_number = filter_->frame_number();
}

void App::present() {
  const auto timed = step_clock_.timed("present");
  picture_->present(*filter_, settings_, stats_);
}

void App::inspect() {
  const auto timed = step_clock_.timed("inspect");
  inspection_.observe(*filter_, settings_, stats_);
}

void App::learn() {
  const auto timed = step_clock_.timed("learn");
  const PaneSet& panes = filter_->panes();
  const std::optional<double> seconds = panes.seconds_taken();
  learning_.observe(panes.input(), sweep_.measuring() || measuring_.measures_limits(),
                    {panes.frames_made(), device_.is_gpu() ? seconds.value_or(0) : seconds}, settings_, ui::momentary(),
                    stats_.learn);
}

void App::draw() {
  const auto timed = step_clock_.timed("draw");
  draw_window();
}

void App::draw_window() {
  picture_->begin_drawing();
  picture_->draw(composed(), *filter_);
  const Composition& composition = picture_->composition();
  const std::span<const PaneTexture> textures = picture_->textures(*filter_);
  if (!textures.empty() || !source_.player()) saw_picture_ = stats_.now;
  stats_.seconds_without_picture = stats_.source.error.empty() ? stats_.now - saw_picture_ : 0;
  inspection_.look_at_picture(composition, textures, settings_, stats_, layout_);

  const auto in_window = [scale = ImGui::GetIO().DisplayFramebufferScale](const Rectangle& r) {
    return UiLayout::Pane{r.x / scale.x, r.y / scale.y, r.width / scale.x, r.height / scale.y};
  };
  layout_.fitted = in_window(fitted_rectangle(composition));
  layout_.panes.clear();
  for (int i = 0; i < std::min(filter_->panes().size(), static_cast<int>(textures.size())); ++i)
    layout_.panes.push_back(in_window(visible_rectangle(composition, i, static_cast<int>(textures.size()))));
  {
    const ui::WithoutMouse picture((capture_->takes_still() || closes_) && !context_->offscreen());
    draw_ui(stats_, settings_, requests_, layout_);
  }
  marks_.write(filter_->busy() || source_.opens_another() || source_.is_awaited() || files_.is_awaited() ||
               context_->input_waits());
  // Offscreen nobody watches.
  says_apart_ = render_.running() || context_->offscreen() || closes_ || capture_->takes_window();
  render_ui(says_apart_ ? std::span(spoken_windows) : std::span<const std::string_view>());
  picture_->end_drawing();
}

// The window as it was, but for what only speaks to whoever watches.
void App::draw_alone() {
  if (context_->offscreen()) return;
  closes_ = true;
  take_input();
  draw_window();
}

void App::record(bool new_picture) {
  const auto timed = step_clock_.timed("record");
  if (read_back_) read_back_->run(context_->framebuffer());
  const Composition& composition = picture_->composition();
  if (new_picture && ending_.recording_begins()) {
    source_.report(settings_, stats_);  // its size and rate are known only now
    const bool patient = context_->offscreen() && !invocation_.realtime;
    capture_->start({whole(invocation_.record->string()), patient, true, true}, composition);
  }
  stats_.render.done += render_.running() && new_picture;
  const bool took = capture_->takes_still();
  capture_->after_draw(new_picture, picture_->textures(*filter_), composition, filter_->position());
  if (says_apart_ && !context_->offscreen()) render_ui_windows(spoken_windows);
  if (took && !context_->offscreen()) ui::give_feedback("Picture taken. It is being written …", stats_.now);
}

void App::show() {
  context_->swap();
  measuring_.waited(step_clock_.passed("swap"));
}

void App::measure() {
  const auto timed = step_clock_.timed("measure");
  measure_frame();
  if (session_.follow(settings_, stats_, *context_)) open_source();
  if (!rest_.holds_still()) picture_->take_ahead(*filter_, settings_);
}

void App::measure_frame() {
  measuring_.measure({*filter_, picture_->interop(), picture_->draw_timer(), read_back_.get(), source_.player()},
                     settings_, stats_);
  source_.report(settings_, stats_);
  if (source_.player()) tell_place();
  if (!filter_->has_picture()) return;
  try {  // the textures still hold the frame that stats_.source now speaks of
    inspection_.compare(picture_->textures(*filter_), filter_->panes(), settings_, stats_);
  } catch (const Error& error) {
    poster_.post(MessageLevel::error, error.what());
  }
}

}  // namespace convoscope
