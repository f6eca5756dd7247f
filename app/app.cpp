#include "app/app.h"

#include <imgui.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>

#include "kernels/error.h"

namespace convoscope {
namespace {

constexpr std::size_t max_messages = 50;
constexpr int default_offscreen_frames = 150;                     // of a source that never ends
constexpr auto frame_while_held = std::chrono::milliseconds(40);  // drawing would disturb what is measured

bool is_playing_forever(const SourceStats& source) { return source.live || source.frames <= 0; }

}  // namespace

App::App(const Invocation& invocation) : invocation_(invocation), settings_(invocation.settings) {
  choose_backend();
  const bool offscreen = invocation_.offscreen;
  ContextSettings context;
  context.width = invocation_.window_width;
  context.height = invocation_.window_height;
  context.vsync = settings_.vsync;
  context.fullscreen = settings_.fullscreen;
  if (compute_->device().backend == Backend::cuda) context.egl_device = compute_->device().ordinal;
  context_ = offscreen ? make_offscreen(context) : make_window(context);
  stats_.renderer = context_->renderer();
  compositor_ = Compositor::make();
  draw_timer_ = GlTimer::make();
  interop_ = make_interop(*compute_);
  converter_ = make_frame_converter(*compute_);
  panes_ = std::make_unique<PaneSet>(*compute_);
  watch_device();
  checker_ = std::make_unique<PaneChecker>(*compute_);
  inspector_ = std::make_unique<Inspector>(*compute_);
  stats_.ladder = ladder();
  stats_.cameras = list_cameras();
  stats_.patterns = list_patterns();
  if (offscreen && !invocation_.frames) settings_.playback.loop = false;
  open_source();
  if (invocation_.read_back) read_back_ = std::make_unique<TimedReadBack>(context_->width(), context_->height());
  capture_ = std::make_unique<Capture>(*context_, settings_, stats_,
                                       [this](MessageLevel level, const std::string& text) { message(level, text); });
  record_from_first_frame_ = invocation_.record.has_value();
}

App::~App() {
  if (compute_) {
    try {
      compute_->synchronize();  // nothing may be freed while the device still reads it
    } catch (const Error& error) {
      spdlog::error("{}", error.what());
    }
  }
}

int App::run() {
  while (!finished()) {
    stage_clock_.begin_frame();
    take_input();
    obey_requests();
    stage_clock_.passed("input");
    const bool new_frame = take_frame();
    go_on_with_render(new_frame);
    stage_clock_.passed("source");
    filter(new_frame);
    stage_clock_.passed("filter");
    present();
    stage_clock_.passed("present");
    inspect();
    stage_clock_.passed("inspect");
    draw();
    stage_clock_.passed("draw");
    record(new_frame);
    stage_clock_.passed("record");
    context_->swap();
    stage_clock_.passed("swap");
    measure();
    stage_clock_.passed("measure");
    stage_clock_.report(stats_.frames_shown, stats_.frames_dropped, stats_.source.queue_length, slow_frame_ms());
  }
  leave_results();
  return failed_ ? 2 : 0;
}

// Longer than a frame of the source is to be seen, with some allowance for the display's own pace.
double App::slow_frame_ms() const { return 1.3e3 / (stats_.source.rate > 0 ? stats_.source.rate : 30.0); }

bool App::finished() const {
  if (requests_.quit || failed_) return true;
  if (invocation_.frames && stats_.frames_shown >= *invocation_.frames) return true;
  if (!context_->offscreen()) return false;
  if (stats_.source.ended && stats_.frames_shown > 0) return true;
  return !invocation_.frames && is_playing_forever(stats_.source) && stats_.frames_shown >= default_offscreen_frames;
}

void App::message(MessageLevel level, const std::string& text) {
  stats_.messages.push_back({level, text, seconds_since_start()});
  if (stats_.messages.size() > max_messages) stats_.messages.erase(stats_.messages.begin());
  spdlog::log(level == MessageLevel::error     ? spdlog::level::err
              : level == MessageLevel::warning ? spdlog::level::warn
                                               : spdlog::level::info,
              "{}", text);
}

void App::take_input() {
  stats_.now = seconds_since_start();
  ui_scale_ = ui_scale_of(settings_, context_->content_scale());
  setup_ui_style(settings_, context_->content_scale());
  context_->begin_ui_frame();
  ImGui::NewFrame();
  const InputEvents events = context_->take_events();
  if (events.close_requested) requests_.quit = true;
  if (!rendering_)
    for (const std::string& file : events.dropped_files) requests_.open = file;
  for (const KeyEvent& event : events.keys) take_key(event);
  const UiLayout layout = layout_ui(settings_, ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y);
  layout_.picture_x = layout.picture_x;
  layout_.picture_y = layout.picture_y;
  layout_.picture_width = layout.picture_width;
  layout_.picture_height = layout.picture_height;
  take_mouse();
}

void App::take_key(const KeyEvent& event) {
  handle_key({event.key, event.modifiers, event.repeated, event.pressed}, stats_, settings_, requests_);
}

void App::take_mouse() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantCaptureMouse) return;
  if (io.MouseWheel != 0) handle_wheel(io.MouseWheel, io.MousePos.x, io.MousePos.y, layout_, stats_, settings_);
  if (io.MouseDown[0] && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0))
    handle_drag(io.MouseDelta.x, io.MouseDelta.y, layout_, stats_, settings_);
}

void App::obey_requests() {
  const Requests asked = std::exchange(requests_, Requests{});
  requests_.quit = asked.quit;
  if (asked.open) {
    settings_.source.input = *asked.open;
    open_source();
  }
  if (asked.show_wrong_pixel) show_wrong_pixel(*asked.show_wrong_pixel);
  if (asked.refresh_cameras) stats_.cameras = list_cameras();
  if (asked.retry_source) player_ ? player_->restart() : open_source();
  if (player_) {
    if (asked.seek_seconds) player_->seek_seconds(*asked.seek_seconds);
    if (asked.seek_frame) player_->seek_frame(*asked.seek_frame);
    if (asked.step != 0) {
      settings_.playback.paused = true;
      player_->step(asked.step);
    }
  }
  if (settings_.backend != backend_at_hand_) change_backend();
  try {
    if (asked.load_filter) {
      settings_.active().filter = parse_filter(*asked.load_filter);
      message(MessageLevel::information, "Loaded the filter of " + *asked.load_filter + ".");
    }
    if (asked.save_filter) {
      save_filter(settings_.active().filter.filter, *asked.save_filter);
      message(MessageLevel::information, "Saved the filter as " + *asked.save_filter + ".");
    }
    if (asked.render) start_render(asked.render->empty() ? free_file_name("render", "mkv") : *asked.render);
    if (asked.cancel_render) end_render("Rendering was cancelled.");
    if (asked.screenshot) capture_->save_next_frame();
    if (asked.copy_picture) capture_->copy_next_frame(compose());
    if (asked.save_animation) capture_->save_last_seconds();
    if (asked.toggle_recording) {
      if (capture_->recording())
        capture_->stop();
      else
        capture_->start({free_file_name("recording", "mkv")}, compose());
    }
  } catch (const Error& error) {
    message(MessageLevel::error, error.what());
  }
  obey_sweep_requests(asked);
  if (asked.reset_statistics) reset_statistics();
  context_->set_vsync(settings_.vsync && !context_->offscreen() && !rendering_);
  if (!context_->offscreen()) context_->set_fullscreen(settings_.fullscreen);
}

bool App::take_frame() {
  follow_sweep();
  if (is_view_held()) std::this_thread::sleep_for(frame_while_held);
  if (!player_) return false;
  PlaybackSettings playback = rendering_ ? rendering_->playback : settings_.playback;
  playback.paused |= is_view_held();
  std::optional<VideoFrame> frame = player_->next_frame(playback);
  // Without a display's pace, waiting for a frame to fall due must neither keep a core busy nor draw the last one
  // again.
  while (!frame && context_->offscreen() && invocation_.realtime && player_->stats().error.empty() &&
         !player_->stats().ended) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    frame = player_->next_frame(playback);
  }
  while (const std::optional<std::string> error = player_->take_error()) {
    message(MessageLevel::error, *error);
    if (context_->offscreen() && !frame && stats_.frames_shown == 0) failed_ = true;
  }
  if (!frame) return false;
  const int width = frame->format.upright_width(), height = frame->format.upright_height();
  const Image& at_hand = input_.image();
  try {
    if (!input_ || at_hand.width != width || at_hand.height != height || at_hand.format != settings_.format)
      input_ = compute_->allocate(width, height, settings_.format);
    converter_->enqueue(*frame, input_.image());
  } catch (const Error& error) {
    message(MessageLevel::error, error.what());
    input_ = {};
    failed_ = context_->offscreen();
    return false;
  }
  position_ = frame->seconds;
  ++stats_.frames_shown;
  return true;
}

// A runner, a row of figures and a texture for each pane, as the settings want them.
void App::prepare_panes() {
  if (!input_) return;
  const Image& in = input_.image();
  panes_->arrange(settings_.panes, stats_.panes, timing_window_);
  panes_->configure(settings_.panes, in.width, in.height, in.format);
  try {
    const int source_too = source_position() == panes_->size();
    interop_->resize(panes_->size() + source_too, in.width, in.height, in.format);
  } catch (const Error& error) {
    message(MessageLevel::error, error.what());
    input_ = {};  // a picture too large to show
    failed_ = context_->offscreen();
  }
}

// The textures are taken from OpenGL first, so that what it still draws lies before the kernels and not within.
void App::filter(bool new_frame) {
  prepare_panes();
  if (!input_) return;
  interop_->begin();
  // On a GPU a paused picture is filtered again, so that its times keep coming; the CPU is left in peace.
  const bool all = new_frame || (stats_.device.backend == Backend::cuda && !is_view_held());
  panes_->filter(input_.image(), all, !limits_->is_measuring() && !sweep_.measuring());
}

void App::present() {
  if (!input_) return;
  shown_.assign(panes_->outputs().begin(), panes_->outputs().end());
  if (source_position() == panes_->size()) shown_.push_back(input_.image());
  interop_->present(shown_);
}

// Where the unfiltered picture is among those shown: a pane's, or, while its key is held, behind the panes.
int App::source_position() const {
  if (settings_.flick_pane != flick_source) return -1;
  const auto found = std::ranges::find(settings_.panes, "source", &PaneSettings::strategy);
  return static_cast<int>(found - settings_.panes.begin());
}

Composition App::compose() const {
  const ImGuiIO& io = ImGui::GetIO();
  const float scale_x = io.DisplayFramebufferScale.x, scale_y = io.DisplayFramebufferScale.y;
  Composition composition;
  composition.view = shown_view(settings_);
  composition.active = settings_.flick_pane >= 0               ? settings_.flick_pane
                       : settings_.flick_pane == flick_source ? source_position()
                                                              : settings_.active_pane;
  composition.split = settings_.split;
  composition.difference = settings_.difference;
  composition.blink_seconds = settings_.blink_seconds;
  composition.area = {layout_.picture_x * scale_x, layout_.picture_y * scale_y, layout_.picture_width * scale_x,
                      layout_.picture_height * scale_y};
  composition.zoom = settings_.zoom;
  composition.pixel_aspect = stats_.source.pixel_aspect;
  composition.seconds = stats_.now;
  composition.line_scale = ui_scale_ * (settings_.projector ? 1.5f : 1.0f);
  if (settings_.light_theme) std::fill(std::begin(composition.background), std::end(composition.background), 0.86f);
  return composition;
}

void App::draw() {
  draw_timer_->start();
  composition_ = compose();
  const std::span<const PaneTexture> textures = input_ ? interop_->textures() : std::span<const PaneTexture>{};
  compositor_->draw(textures, composition_);
  find_pixel(composition_, textures);
  count_colours(textures);

  const ImGuiIO& io = ImGui::GetIO();
  layout_.panes.clear();
  for (int i = 0; i < std::min(panes_->size(), static_cast<int>(textures.size())); ++i) {
    const Rectangle seen = visible_rectangle(composition_, i, static_cast<int>(textures.size()));
    layout_.panes.push_back({seen.x / io.DisplayFramebufferScale.x, seen.y / io.DisplayFramebufferScale.y,
                             seen.width / io.DisplayFramebufferScale.x, seen.height / io.DisplayFramebufferScale.y});
  }
  draw_ui(stats_, settings_, requests_, layout_);
  render_ui(rendering_ ? render_window : nullptr);
  draw_timer_->stop();
}

}  // namespace convoscope
