#include "app/app.h"

#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "app/cli/exit_codes.h"
#include "app/files/log.h"
#include "app/files/paths.h"
#include "app/files/sentence.h"
#include "app/files/show_folder.h"
#include "app/files/user_folders.h"
#include "app/gl/window/display_loss.h"
#include "app/media/sources/source.h"
#include "app/panes/shown_pictures.h"
#include "app/steps/filter_files.h"
#include "app/steps/wrong_pixel.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/parts/without_mouse.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr double longest_without_a_picture = 0.1;  // seconds

bool is_playing_forever(const SourceStats& source) { return source.live || source.frames <= 0; }

}  // namespace

App::App(const Invocation& invocation, const StopSignal& stop, Keeper* keeper)
    : invocation_(invocation), stop_(stop), settings_(invocation.settings), session_(keeper, invocation_, poster_) {
  std::string remarks;
  for (const std::string& remark : invocation_.remarks) remarks += (remarks.empty() ? "" : " ") + remark;
  if (!remarks.empty()) poster_.post(MessageLevel::information, remarks);
  choose_backend();
  const bool offscreen = invocation_.offscreen;
  ContextSettings context;
  context.width = invocation_.window_width;
  context.height = invocation_.window_height;
  context.vsync = settings_.vsync;
  context.fullscreen = settings_.fullscreen;
  if (compute_->device().backend == Backend::cuda) context.egl_device = compute_->device().ordinal;
  if (!offscreen) {
    on_display_lost([this] { return leave_without_display(); });
    patience_.emplace(stop_, display_patience, lose_display);
  }
  context_ = offscreen ? make_offscreen(context) : make_window(context);
  stats_.renderer = context_->renderer();
  compositor_ = Compositor::make();
  draw_timer_ = GlTimer::make();
  interop_ = make_interop(*compute_);
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
}

App::~App() {
  on_display_lost([code = stop_ ? stop_.exit_code() : exit_failed] { return code; });
  if (compute_) {
    try {
      compute_->synchronize();  // nothing may be freed while the device still reads it
    } catch (const Error& error) {
      log::error(error.what());
    }
  }
}

int App::run() {
  while (!finished()) {
    rest();
    step_clock_.begin_frame();
    take_input();
    if (window_destroyed_) break;  // nothing may be drawn into it
    obey_requests();
    catch_up_with_input();
    step_clock_.passed("input");
    const bool new_frame = take_frame();
    go_on_with_render(new_frame);
    if (is_heard()) sound_.follow(*source_.player(), settings_, stats_);
    step_clock_.passed("source");
    const bool new_picture = filter();
    step_clock_.passed("filter");
    present();
    step_clock_.passed("present");
    inspection_.observe(*filter_, settings_, stats_);
    step_clock_.passed("inspect");
    const PaneSet& panes = filter_->panes();
    const std::optional<double> seconds = panes.seconds_taken();
    learning_.observe(panes.input(), sweep_.measuring() || measuring_.measures_limits(),
                      {panes.frames_made(), filters_on_gpu() ? seconds.value_or(0) : seconds}, settings_, stats_.learn);
    step_clock_.passed("learn");
    draw();
    step_clock_.passed("draw");
    record(new_picture);
    step_clock_.passed("record");
    context_->swap();
    measuring_.waited(step_clock_.passed("swap"));
    measure();
    if (session_.follow(settings_, stats_, *context_)) open_source();
    take_textures_ahead();
    step_clock_.passed("measure");
    tell_progress();
    step_clock_.report(stats_.frames_shown, stats_.frames_dropped, stats_.source.queue_length, slow_frame_ms());
  }
  interop_->give_back();
  told_progress_.clear();
  if (source_.player()) source_.tell_errors(false, stats_);  // of what came with the last frame
  finish([this] { leave_results(); });
  if (context_->offscreen()) tell_what_did_not_run();
  if (failed() || not_written_ || window_destroyed_) return exit_failed;
  const bool all_asked_for = invocation_.frames && stats_.frames_shown >= *invocation_.frames;
  return context_->offscreen() && stats_.source.cut_short && !all_asked_for ? exit_cut_short : exit_done;
}

bool App::finished() const {
  if (requests_.quit || failed() || stop_) return true;
  if (context_->offscreen() && capture_->failed()) return true;
  if (invocation_.frames && stats_.frames_shown >= *invocation_.frames) return true;
  if (!context_->offscreen()) return false;
  if ((stats_.source.ended || stats_.source.still) && !centring_.has_more() && stats_.frames_shown > 0) return true;
  return !invocation_.frames && is_playing_forever(stats_.source) && stats_.frames_shown >= default_offscreen_frames;
}

void App::take_input() {
  stats_.now = poster_.seconds();
  const float monitor_scale = context_->content_scale(), width = static_cast<float>(context_->width());
  ui_scale_ = ui_scale_of(settings_, monitor_scale, width);
  setup_ui_style(settings_, monitor_scale, width);
  context_->begin_ui_frame();
  ImGui::NewFrame();
  const InputEvents events = context_->take_events();
  if (events.any) {
    pace_.input(stats_.now);
    gpu_rest_.stirred(stats_.now);
  }
  if (events.window_destroyed && !std::exchange(window_destroyed_, true))
    log::error("The window was destroyed by another program, so Convoscope ends.");
  stats_.frame_awaited = source_.is_awaited() || filter_->owes_picture();
  const std::optional<double> sought = source_.sought();
  stats_.source.position_to_come = sought ? sought : filter_->position_to_come();
  requests_.quit |= events.close_requested || window_destroyed_;
  if (!rendering_ && !events.dropped_files.empty()) take_dropped(events.dropped_files);
  for (const KeyEvent& event : events.keys) take_key(event);
  const UiLayout layout = layout_ui(settings_, ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y);
  layout_.picture_x = layout.picture_x;
  layout_.picture_y = layout.picture_y;
  layout_.picture_width = layout.picture_width;
  layout_.picture_height = layout.picture_height;
  take_mouse();
}

// A frame takes only what cannot be mistaken (see InputQueue). The panels answer to the rest before the picture is
// drawn again, which takes a software renderer long: nothing that a hand does may have to queue for pictures.
void App::catch_up_with_input() {
  const double end = poster_.seconds() + longest_without_a_picture;
  while (context_->input_waits() && !requests_.quit && poster_.seconds() < end) {
    // What is drawn next must find the panes that it is about.
    if (settings_.panes.size() != stats_.panes.size() || wants_other_device()) return;
    draw_ui(stats_, settings_, requests_, layout_);
    ImGui::EndFrame();
    take_input();
    obey_requests();
  }
}

void App::take_key(const KeyEvent& event) {
  handle_key({event.key, event.modifiers, event.repeated, event.pressed, event.character}, stats_, settings_,
             requests_);
}

void App::take_mouse() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantCaptureMouse) return;
  if (io.MouseWheel != 0) handle_wheel(io.MouseWheel, io.MousePos.x, io.MousePos.y, layout_, stats_, settings_);
  if (io.MouseDown[0] && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0))
    handle_drag(io.MouseDelta.x, io.MouseDelta.y, layout_, stats_, settings_);
}

void App::obey_requests() {
  Requests asked = std::exchange(requests_, Requests{});
  std::optional<ComputesUntilSignal> until;  // weights may take seconds to read
  if (asked.load_bank || asked.load_filter || asked.drop) until.emplace(stop_);
  files_.answer(std::move(asked.files), stats_.files);
  requests_.quit = asked.quit;
  if (const std::optional<double> at = session_.obey(asked, settings_, stats_)) open_source(*at);
  if (source_.obey(asked, settings_, stats_)) begin_source();
  sound_.obey(asked, stats_);
  if (asked.show_wrong_pixel) show_wrong_pixel(*asked.show_wrong_pixel, stats_, settings_, poster_);
  // Where the desktop has no program for folders, the one that opens files shows it.
  if (asked.show_in_folder && !show_folder_on_desktop(parent_of(whole(*asked.show_in_folder))))
    ui::open_browser(ui::FileBrowser::Purpose::source, parent_of(whole(*asked.show_in_folder)));
  if (asked.refresh_sources) stats_.sources = offered_sources();
  if (wants_other_device()) change_backend();
  if (stats_.ladder_is_of != settings_.workbench) {
    follow_workbench();
    measuring_.reset(stats_);  // the times so far are another workbench's
  }
  obey_filter_files(asked, settings_, stats_.files.started_in, poster_);
  try {
    if (asked.render) start_render(whole(*asked.render), settings_.recording.render_panels);
    if (asked.cancel_render) end_render("Rendering was cancelled.");
    if (asked.screenshot) capture_->save_next_frame();
    if (asked.save_screenshot) capture_->save_next_frame(whole(*asked.save_screenshot));
    if (asked.copy_picture) capture_->copy_next_frame(compose());
    if (asked.save_animation) capture_->save_last_seconds();
    if (asked.toggle_recording) {
      if (capture_->recording())
        capture_->stop();
      else
        capture_->start({capture_->free_name("recording", recording_ending(settings_.recording))}, compose());
    }
  } catch (const Error& error) {
    poster_.post(MessageLevel::error, as_sentence(error.what()));
  }
  sweep_.obey(asked, settings_, stats_);
  learning_.obey(asked);
  if (asked.reset_statistics) measuring_.reset(stats_);
  if (asked.measure_limits) measuring_.measure_limits_again();
  context_->set_vsync(settings_.vsync && !context_->offscreen() && !rendering_);
  if (!context_->offscreen()) context_->set_fullscreen(settings_.fullscreen);
}

// The textures are taken from OpenGL first, so that what it still draws lies before the kernels and not within.
bool App::filter() {
  bool new_picture = false;
  try {
    filter_->convert_to(settings_.format);
    filter_->arrange(settings_.panes, stats_.panes, measuring_.window(), stats_.now, work_of(settings_));
    inspection_.observe_at_rest(*filter_, settings_, stats_);
    if (filters_on_gpu()) prepare_textures();
    if (filters_on_gpu() && filter_->has_picture() && !ShownDifference::may_stay(filter_->panes(), settings_))
      interop_->begin();
    new_picture = filter_->filter(conditions(stats_.now));
    tell_place();
    prepare_textures();
  } catch (const Error& error) {
    poster_.post(MessageLevel::error, error.what());
    failed_ = context_->offscreen();
  }
  if (!new_picture) return false;
  ++stats_.frames_shown;
  if (rendering_) ++stats_.frames_shown_before;
  return true;
}

// Nothing else draws before the next frame: while that is awaited, the device goes over to computing (0.16 ms on an
// H200, and back and forth where the frame is there already).
void App::take_textures_ahead() {
  if (filters_on_gpu() && !holds_still_ && filter_->has_picture() &&
      !ShownDifference::may_stay(filter_->panes(), settings_))
    interop_->take_ahead();
}

FilterStep::Conditions App::conditions(double now) const {
  const bool quiet = !rendering_ && !measuring_.measures_limits() && !sweep_.measuring() && !learning_.disturbs() &&
                     gpu_rest_.is_warm(now);
  const View view = shown_view(settings_);
  FilterStep::Conditions conditions{holds_still_ || sweep_.holds_view(settings_), quiet, view == View::difference, now};
  if (!context_->offscreen()) conditions.seen = [this, view](int pane) { return is_seen(settings_, view, pane); };
  return conditions;
}

// Before it is drawn: the player's newest frame may still be on its way to the screen.
void App::tell_place() {
  if (!filter_->has_place()) return;
  stats_.source.position = filter_->position();
  stats_.source.frame_number = filter_->frame_number();
}

void App::prepare_textures() {
  if (!filter_->has_picture()) return;
  const Image& shape = filter_->shape();
  try {
    interop_->resize(filter_->panes().size() + shows_source_behind_panes(settings_), shape.width, shape.height,
                     shape.format);
  } catch (const Error&) {  // a picture too large to show
    filter_->forget();
    throw;
  }
}

void App::present() {
  PaneSet& panes = filter_->panes();
  panes.collect(stats_.panes);  // of what is drawn now: it may be long until the next drawing
  if (!filter_->has_picture()) return;
  const int pictures = panes.size() + shows_source_behind_panes(settings_);
  const bool takes = shown_difference_.takes(panes, settings_, pictures, filter_->shape());
  stats_.difference.shown = shown_difference_.is_there();
  if (!takes) return;
  const std::size_t before = shown_.size();
  shown_.assign(panes.outputs().begin(), panes.outputs().end());
  if (shows_source_behind_panes(settings_)) shown_.push_back(panes.input().image());
  // From the host's memory: only what is not there yet.
  const int presented = std::exchange(presented_, panes.generation());
  if (!filters_on_gpu() && shown_.size() == before && presented == presented_) return;
  interop_->present(shown_);
}

Composition App::compose() const {
  const ImGuiIO& io = ImGui::GetIO();
  const float scale_x = io.DisplayFramebufferScale.x, scale_y = io.DisplayFramebufferScale.y;
  Composition composition;
  composition.view = shown_view(settings_);
  composition.active = settings_.flick_pane >= 0              ? settings_.flick_pane
                       : settings_.flick_pane == flick_source ? source_position(settings_)
                                                              : settings_.active_pane;
  composition.split = settings_.split;
  composition.difference = settings_.difference;
  composition.difference_shown = stats_.difference.shown;
  composition.blink_seconds = settings_.blink_seconds;
  composition.area = {layout_.picture_x * scale_x, layout_.picture_y * scale_y, layout_.picture_width * scale_x,
                      layout_.picture_height * scale_y};
  composition.zoom = settings_.zoom;
  composition.pixel_aspect = stats_.source.pixel_aspect;
  composition.has_alpha = filter_->has_alpha();
  if (const auto [width, height] = std::pair(stats_.source.width, stats_.source.height); width > 0 && height > 0)
    composition.picture_aspect = std::max(stats_.source.pixel_aspect, 1e-3) * width / height;
  composition.seconds = stats_.now;
  for (std::size_t i = 0; i < std::min(stats_.panes.size(), composition.looks.size()); ++i)
    if (const PaneStats& pane = stats_.panes[i]; pane.wall && !pane.stands_in && pane.strategy != "source")
      composition.looks[i] = look_of(*pane.wall);
  composition.line_scale = ui_scale_ * (settings_.projector ? 1.5f : 1.0f);
  if (settings_.light_theme) std::fill(std::begin(composition.background), std::end(composition.background), 0.86f);
  return composition;
}

void App::draw() {
  interop_->give_back();  // where nothing was presented
  draw_timer_->start();
  composition_ = compose();
  const std::span<const PaneTexture> textures =
      filter_->has_picture() ? interop_->textures() : std::span<const PaneTexture>{};
  if (!textures.empty() || !source_.player()) saw_picture_ = stats_.now;
  stats_.seconds_without_picture = stats_.source.error.empty() ? stats_.now - saw_picture_ : 0;
  compositor_->draw(textures, composition_);
  inspection_.look(composition_, textures, settings_, stats_, layout_);

  const auto in_window = [scale = ImGui::GetIO().DisplayFramebufferScale](const Rectangle& r) {
    return UiLayout::Pane{r.x / scale.x, r.y / scale.y, r.width / scale.x, r.height / scale.y};
  };
  layout_.fitted = in_window(fitted_rectangle(composition_));
  layout_.panes.clear();
  for (int i = 0; i < std::min(filter_->panes().size(), static_cast<int>(textures.size())); ++i)
    layout_.panes.push_back(in_window(visible_rectangle(composition_, i, static_cast<int>(textures.size()))));
  {
    const ui::WithoutMouse picture((capture_->takes_still() || closes_) && !context_->offscreen());
    draw_ui(stats_, settings_, requests_, layout_);
  }
  marks_.write(filter_->busy() || source_.opens_another() || source_.is_awaited() || files_.is_awaited() ||
               context_->input_waits());
  // Offscreen nobody watches.
  says_apart_ = rendering_ || context_->offscreen() || closes_ || capture_->takes_window();
  render_ui(says_apart_ ? std::span(spoken_windows) : std::span<const std::string_view>());
  draw_timer_->stop();
}

void App::measure() {
  measuring_.measure({*filter_, *interop_, *draw_timer_, read_back_.get(), source_.player()}, settings_, stats_);
  source_.report(settings_, stats_);
  if (source_.player()) tell_place();
  if (!filter_->has_picture()) return;
  try {  // the textures still hold the frame that stats_.source now speaks of
    inspection_.compare(interop_->textures(), filter_->panes(), settings_, stats_);
  } catch (const Error& error) {
    poster_.post(MessageLevel::error, error.what());
  }
}

}  // namespace convoscope
