#include "app/app.h"

#include <filesystem>
#include <utility>

#include "app/cli/exit_codes.h"
#include "app/files/user_folders.h"
#include "app/media/sources/source.h"
#include "app/ui/memory/ui_state.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int default_offscreen_frames = 150;  // of a source that never ends

bool is_playing_forever(const SourceStats& source) { return source.live || source.frames <= 0; }

}  // namespace

App::App(const Invocation& invocation, const StopSignal& stop, Keeper* keeper)
    : invocation_(invocation),
      stop_(stop),
      settings_(invocation.settings),
      session_(keeper, invocation_, poster_),
      lessons_(invocation_, poster_),
      ending_({invocation_, stop_, poster_, settings_, stats_, device_, filter_, capture_, render_, source_, sound_,
               measuring_, sweep_, inspection_, learning_, files_, session_}) {
  std::string remarks;
  for (const std::string& remark : invocation_.remarks) remarks += (remarks.empty() ? "" : " ") + remark;
  if (!remarks.empty()) poster_.post(MessageLevel::information, remarks);
  ui::momentary().show_help = invocation_.shown_page == "help";
  ui::momentary().show_palette = invocation_.shown_page == "palette";
  device_.choose(invocation_, settings_, stats_);
  const bool offscreen = invocation_.offscreen;
  ContextSettings context;
  context.width = invocation_.window_width;
  context.height = invocation_.window_height;
  context.vsync = settings_.vsync;
  context.fullscreen = settings_.fullscreen;
  if (device_.is_gpu()) context.egl_device = stats_.device.ordinal;
  if (!offscreen) ending_.watch_display();
  context_ = offscreen ? make_offscreen(context) : make_window(context);
  stats_.renderer = context_->renderer();
  picture_ = std::make_unique<PictureStep>(device_.compute());
  make_filters();
  watch_device();
  stats_.sources = offered_sources();
  std::error_code unknown;
  stats_.files.started_in = std::filesystem::current_path(unknown).string();
  if (!offscreen) {
    const UserFolders own = user_folders(stats_.files.started_in);
    stats_.files.pictures_in = own.pictures;
    stats_.files.videos_in = own.videos;
  }
  if (invocation_.input_given) stats_.files.input_in = folder_of_input(settings_.source.input);
  if (offscreen) settings_.playback.paused = false;  // as a session was saved: nobody is there to let it go on
  if (offscreen && !invocation_.frames) settings_.playback.loop = false;
  open_source();
  if (invocation_.read_back) read_back_ = std::make_unique<TimedReadBack>(context_->width(), context_->height());
  stats_.places = session_.places();
  capture_ = std::make_unique<Capture>(
      *context_, settings_, stats_,
      [this](MessageLevel level, const std::string& text, const char* subject, const std::string& file) {
        std::vector<MessageButton> buttons;
        if (!file.empty()) buttons = {{Offer::open, file}, {Offer::show_in_folder, file}};
        poster_.post(level, text, subject, buttons);
      });
  if (invocation_.record) ending_.await_recording();
}

App::~App() { ending_.close(); }

int App::run() {
  while (!finished()) {
    rest();
    if (!answer_user()) break;
    take_frame();
    const bool new_picture = filter();
    present();
    inspect();
    learn();
    draw();
    record(new_picture);
    show();
    measure();
    tell_progress();
  }
  return end();
}

bool App::finished() const {
  if (requests_.quit || failed() || stop_) return true;
  if (context_->offscreen() && capture_->failed()) return true;
  if (invocation_.frames && stats_.frames_shown >= *invocation_.frames) return true;
  if (!context_->offscreen()) return false;
  if ((stats_.source.ended || stats_.source.still) && !intake_.has_more() && stats_.frames_shown > 0) return true;
  return !invocation_.frames && is_playing_forever(stats_.source) && stats_.frames_shown >= default_offscreen_frames;
}

// Offscreen, where somebody waits at a terminal.
void App::tell_progress() {
  // Longer than a frame of the source is to be seen, with some allowance for the display's own pace.
  const double slow_frame_ms = 1.3e3 / (stats_.source.rate > 0 ? stats_.source.rate : 30.0);
  if (context_->offscreen() && FrameProgress::has_terminal()) {
    const std::int64_t own = stats_.source.live ? 0 : stats_.source.frames;
    const std::int64_t asked = invocation_.frames.value_or(own > 0 ? own : default_offscreen_frames);
    told_progress_.show(stats_.frames_shown,
                        own > 0 && !settings_.playback.loop ? std::min<std::int64_t>(own, asked) : asked);
  }
  step_clock_.report(stats_.frames_shown, stats_.frames_dropped, stats_.source.queue_length, slow_frame_ms);
}

int App::end() {
  picture_->end();
  told_progress_.clear();
  if (source_.player()) source_.tell_errors(false, stats_);  // of what came with the last frame
  if (window_destroyed_)
    ending_.finish_without_window();
  else
    ending_.finish(
        {[this] { measure_frame(); }, [this] { draw_alone(); }, !failed(), [this] { return lacks_input(); }});
  if (context_->offscreen()) failed_ |= tell_what_did_not_run(stats_);
  if (failed() || ending_.not_written() || window_destroyed_) return exit_failed;
  return lacks_input() ? exit_cut_short : exit_done;
}

bool App::lacks_input() const {
  const bool all_asked_for = invocation_.frames && stats_.frames_shown >= *invocation_.frames;
  return context_->offscreen() && stats_.source.cut_short && !all_asked_for;
}

void App::change_device() {
  const double position = source_.plays() && stats_.source.seekable ? filter_->position() : 0;
  device_.compute().synchronize();
  source_.close();
  inspection_.end();
  learning_.leave_device();
  filter_.reset();
  stats_.panes.clear();
  stats_.backend_notice.clear();
  picture_->leave_device();
  device_.choose(invocation_, settings_, stats_);
  watch_device();
  picture_->go_on_with(device_.compute());
  make_filters();
  open_source(position);
}

// Offscreen on a CPU the strategies would share their cores with the measurement for most of a short run.
void App::watch_device() { measuring_.watch(stats_, !context_->offscreen() || device_.is_gpu()); }

void App::make_filters() {
  Compute& compute = device_.compute();
  const bool waits = context_->offscreen();
  const auto stopped = [this] { return static_cast<bool>(stop_); };
  const auto filtered = [this] {
    rest_.filtering_went_on();
    context_->wake();
  };
  const auto learnt = [this] {
    rest_.learning_went_on();
    context_->wake();
  };
  filter_ = make_filter_step(compute, waits, filtered, stopped);
  inspection_.begin(compute);
  if (learning_.has_begun())
    learning_.go_on_with(compute);
  else
    learning_.begin(std::make_unique<Learner>(compute, waits, learnt, stopped));
  picture_->begin_panes();
}

}  // namespace convoscope
