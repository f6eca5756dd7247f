// Between two drawings: where pictures come from this machine's cores, the window rests until there is something to
// see. So it does where they come from a GPU, once a picture stays and nothing goes forward with the drawings.
#include <imgui.h>

#include <ctime>
#include <utility>

#include "app/app.h"
#include "app/panes/shown_pictures.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/memory/ui_state.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr double while_playing = 0.004, while_paused = 0.03;  // seconds between two looks for a frame
constexpr double long_rest = 0.1;                             // seconds: no time of a frame
constexpr double soon_after_stir = 10;                        // seconds in which first figures have come, mostly

// Of what is seen, the first time and the first verdict are waited for; those after them change little.
bool awaits_figures(const Stats& stats, const Settings& settings) {
  if (stats.difference.awaited) return true;
  const View view = shown_view(settings);
  for (std::size_t i = 0; i < stats.panes.size(); ++i) {
    const PaneStats& pane = stats.panes[i];
    const bool timed = !pane.runs.empty() && pane.strategy != "source" && !ui::is_emulated(stats, pane);
    const bool lacks_some = (timed && pane.kernel.count() == 0) || pane.check.state == CheckResult::State::running;
    if (lacks_some && is_seen(settings, view, static_cast<int>(i))) return true;
  }
  return false;
}

// Of all cores, since the program began.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

bool App::gpu_rests(double now) {
  const bool stays = settings_.playback.paused || stats_.source.still || stats_.source.ended;
  const bool learns = settings_.learn.running || stats_.learn.under_way || stats_.learn.checking;
  const bool is_read = source_.opens_another() || source_.is_awaited() || capture_->recording() || rendering_;
  const bool is_measured = stats_.sweep.running || measuring_.measures_limits();
  if (!stays || learns || is_read || is_measured || filter_->busy() || !filter_->has_picture() || !filter_->settled() ||
      shown_view(settings_) == View::blink)
    gpu_rest_.stirred(now);
  return gpu_rest_.rests(now);
}

void App::rest() {
  if (context_->offscreen()) return;
  const bool gpu = filters_on_gpu();
  holds_still_ = gpu && gpu_rests(poster_.seconds());
  if (gpu && !holds_still_) return;
  pace_.took(processor_seconds() - std::exchange(spent_, 0));
  const double began = poster_.seconds();
  DrawPace::Needs needs;
  needs.moving = capture_->recording() || rendering_ || source_.opens_another() || shown_view(settings_) == View::blink;
  // A sweep's points as they come: drawn at the display's rate they would be measured beside a renderer at work.
  needs.counting = filter_->owes_picture() || files_.is_awaited() || ImGui::GetIO().WantTextInput ||
                   stats_.sweep.running || (began < stirred_at_ + soon_after_stir && awaits_figures(stats_, settings_));
  needs.news = !stats_.messages.empty() && stats_.messages.back().seconds > stats_.now;  // told since, or just before
  needs.changes_at = stats_.now + ui::ui_state().draw_again_in;
  needs.figures = gpu;  // of its health: clocks, temperature
  const bool paused = settings_.playback.paused || stats_.source.still || stats_.source.ended;
  while (!requests_.quit && !stop_) {
    if (look_for_news()) {
      needs.news = true;
      stirred_at_ = poster_.seconds();
    }
    if (filtered_.exchange(false)) (filter_->owes_picture() ? needs.news : needs.figures) = true;
    filter_again();
    const double now = poster_.seconds(), pause = pace_.pause(now, needs);
    if (pause <= 0) break;
    if (context_->wait_events(std::min(pause, paused ? while_paused : while_playing))) {
      needs.news = true;
      pace_.input(now);
      stirred_at_ = now;
      gpu_rest_.stirred(now);
    }
  }
  const double now = poster_.seconds();
  holds_still_ = gpu && gpu_rests(now);
  pace_.drew(now);
  spent_ = processor_seconds();
  measuring_.waited((now - began) * 1e3);
  if (now - began > long_rest) measuring_.rested();
}

void App::filter_again() {
  try {
    filter_->filter_again(conditions(poster_.seconds()));
  } catch (const Error& error) {
    poster_.post(MessageLevel::error, error.what());
  }
}

bool App::look_for_news() {
  const bool has_frame = !rendering_ && source_.look(playback());
  return progress_.exchange(false) || has_frame;
}

}  // namespace convoscope
