// What the user does, and asks for.
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/app.h"
#include "app/files/file_kinds.h"
#include "app/files/log.h"
#include "app/files/natural_order.h"
#include "app/files/paths.h"
#include "app/files/sentence.h"
#include "app/files/show_folder.h"
#include "app/media/sources/source.h"
#include "app/steps/filter_files.h"
#include "app/steps/wrong_pixel.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/keys/key_table.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr double longest_without_a_picture = 0.1;  // seconds

}  // namespace

bool App::answer_user() {
  const auto timed = step_clock_.timed("input");
  take_input();
  if (window_destroyed_) return false;
  obey_requests();
  catch_up_with_input();
  return true;
}

void App::take_input() {
  stats_.now = poster_.seconds();
  const float monitor_scale = context_->content_scale(), width = static_cast<float>(context_->width());
  ui_scale_ = ui_scale_of(settings_, monitor_scale, width);
  setup_ui_style(settings_, monitor_scale, width);
  context_->begin_ui_frame();
  ImGui::NewFrame();
  const InputEvents events = context_->take_events();
  if (events.any) rest_.noticed_input(stats_.now);
  if (events.window_destroyed && !std::exchange(window_destroyed_, true))
    log::error("The window was destroyed by another program, so Convoscope ends.");
  stats_.frame_awaited = source_.is_awaited() || filter_->owes_picture();
  const std::optional<double> sought = source_.sought();
  stats_.source.position_to_come = sought ? sought : filter_->position_to_come();
  requests_.quit |= (events.close_requested && !render_.running()) || window_destroyed_;
  if (events.close_requested && render_.running()) close_while_rendering(stats_, requests_);
  if (!render_.running() && !events.dropped_files.empty()) take_dropped(events.dropped_files);
  for (const KeyEvent& key : events.keys)
    handle_key({key.key, key.modifiers, key.repeated, key.pressed, key.character}, stats_, settings_, requests_);
  const UiLayout layout = layout_ui(settings_, ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y);
  layout_.picture_x = layout.picture_x;
  layout_.picture_y = layout.picture_y;
  layout_.picture_width = layout.picture_width;
  layout_.picture_height = layout.picture_height;
  take_mouse();
}

// A frame takes only what cannot be mistaken (see InputQueue). The panels answer to the rest before the picture is
// drawn again, which takes a software renderer long: nothing that a hand does may have to queue for pictures. Nobody
// waits for them who has asked to quit.
void App::catch_up_with_input() {
  const double end = poster_.seconds() + longest_without_a_picture;
  while (context_->input_waits() && !requests_.quit && (poster_.seconds() < end || context_->quit_waits())) {
    // What is drawn next must find the panes that it is about.
    if (settings_.group().panes.size() != stats_.panes.size() || device_.is_other(settings_)) return;
    draw_ui(stats_, settings_, requests_, layout_);
    ImGui::EndFrame();
    take_input();
    obey_requests();
  }
}

void App::take_mouse() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantCaptureMouse) return;
  if (io.MouseWheel != 0) handle_wheel(io.MouseWheel, io.MousePos.x, io.MousePos.y, layout_, stats_, settings_);
  if (io.MouseDown[0] && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0))
    handle_drag(io.MouseDelta.x, io.MouseDelta.y, layout_, stats_, settings_);
}

void App::take_dropped(const std::vector<std::string>& files) {
  if (files.size() > 1 &&
      std::ranges::all_of(files, [](const std::string& file) { return is_clip(kind_of_file(file)); })) {
    requests_.open_clips = files;
    std::ranges::sort(requests_.open_clips, natural_less);
    return;
  }
  requests_.drop = files.front();
  if (files.size() < 2) return;
  poster_.post(MessageLevel::information,
               "Of the " + std::to_string(files.size()) + " files that were dropped, " + in_quotes(files.front()) +
                   " is opened. The next one is " + in_quotes(files[1]) + ".",
               "drop", {{Offer::open_next, files[1]}});
}

void App::obey_requests() {
  Requests asked = std::exchange(requests_, Requests{});
  std::optional<ComputesUntilSignal> until;  // weights may take seconds to read
  if (asked.load_bank || asked.load_filter || asked.drop) until.emplace(stop_);
  files_.answer(std::move(asked.files), stats_.files);
  requests_.quit = asked.quit;
  if (const std::optional<double> at = session_.obey(asked, settings_, stats_)) open_source(*at);
  if (const std::optional<double> at = lessons_.follow(session_, settings_, stats_)) open_source(*at);
  if (source_.obey(asked, settings_, stats_)) begin_source();
  sound_.obey(asked, stats_);
  if (asked.show_wrong_pixel) show_wrong_pixel(*asked.show_wrong_pixel, stats_, settings_, poster_);
  // Where the desktop has no program for folders, the one that opens files shows it.
  if (asked.show_in_folder && !show_folder_on_desktop(parent_of(whole(*asked.show_in_folder))))
    ui::open_browser(ui::FileBrowser::Purpose::source, parent_of(whole(*asked.show_in_folder)));
  if (asked.refresh_sources) stats_.sources = offered_sources();
  if (device_.is_other(settings_)) change_device();
  follow_workbench();
  obey_filter_files(asked, settings_, stats_.files.started_in, poster_);
  obey_for_files(asked);
  sweep_.obey(asked, settings_, stats_);
  learning_.obey(asked);
  if (asked.reset_statistics) measuring_.reset(stats_);
  if (asked.measure_limits) measuring_.measure_limits_again();
  context_->set_vsync(settings_.vsync && !context_->offscreen() && !render_.running());
  if (!context_->offscreen()) context_->set_fullscreen(settings_.fullscreen);
}

void App::follow_workbench() {
  if (stats_.ladder_is_of == settings_.workbench) return;
  ChosenDevice::list_strategies(settings_, stats_);
  measuring_.reset(stats_);  // the times so far are another workbench's
}

void App::obey_for_files(const Requests& asked) {
  try {
    if (asked.render) start_render(whole(*asked.render));
    if (asked.cancel_render) end_render("Rendering was cancelled.");
    if (asked.screenshot) capture_->save_next_frame();
    if (asked.save_screenshot) capture_->save_next_frame(whole(*asked.save_screenshot));
    if (asked.copy_picture) capture_->copy_next_frame(composed());
    if (asked.save_animation) capture_->save_last_seconds();
    if (asked.toggle_recording) {
      if (capture_->recording())
        capture_->stop();
      else
        capture_->start({capture_->free_name("recording", recording_ending(settings_.recording))}, composed());
    }
  } catch (const Error& error) {
    poster_.post(MessageLevel::error, as_sentence(error.what()));
  }
}

}  // namespace convoscope
