// Between two drawings: where pictures come from this machine's cores, the window rests until there is something to
// see.
#include <imgui.h>

#include "app/app.h"
#include "app/ui/ui_state.h"

namespace convoscope {
namespace {

constexpr double while_playing = 0.004, while_paused = 0.03;  // seconds between two looks for a frame
constexpr double message_seconds = 12;                        // until the last of a message has faded
constexpr double long_rest = 0.1;                             // seconds: no time of a frame

}  // namespace

void App::rest() {
  if (context_->offscreen() || filters_on_gpu()) return;
  const double began = teller_.seconds();
  DrawPace::Needs needs;
  needs.moving = capture_->recording() || rendering_ || stats_.sweep.running || source_.opens_another() ||
                 shown_view(settings_) == View::blink;
  needs.counting = stage_->busy() || files_.is_awaited() || ImGui::GetIO().WantTextInput ||
                   !ui::ui_state().filter_error.empty() ||
                   (!stats_.messages.empty() && began - stats_.messages.back().seconds < message_seconds);
  const bool paused = settings_.playback.paused || stats_.source.still || stats_.source.ended;
  while (!requests_.quit && !stop_) {
    needs.news |= look_for_news();
    const double now = teller_.seconds(), pause = pace_.pause(now, needs);
    if (pause <= 0) break;
    if (context_->wait_events(std::min(pause, paused ? while_paused : while_playing))) {
      needs.news = true;
      pace_.input(now);
    }
  }
  const double now = teller_.seconds();
  pace_.drew(now);
  measuring_.waited((now - began) * 1e3);
  if (now - began > long_rest) measuring_.rested();
}

bool App::look_for_news() {
  const bool has_frame = !rendering_ && source_.look(playback());
  return progress_.exchange(false) || has_frame;
}

}  // namespace convoscope
