#include "app/steps/rest_step.h"

#include <imgui.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "app/panes/shown_pictures.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/ui.h"
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
    if (lacks_some && is_seen(settings, view, static_cast<int>(i), ui::flick_pane(settings))) return true;
  }
  return false;
}

bool picture_stays(const Settings& settings, const Stats& stats) {
  return settings.playback.paused || stats.source.still || stats.source.ended;
}

// Of all cores, since the program began.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

bool RestStep::gpu_rests(double now, const Beside& beside, const Settings& settings, const Stats& stats) {
  const FilterStep& filter = beside.filter;
  const bool learns = ui::momentary().learning || stats.learn.under_way || stats.learn.checking;
  const bool is_read = beside.source.opens_another() || beside.source.is_awaited() || beside.is_saved;
  const bool is_measured = stats.sweep.running || beside.measuring.measures_limits();
  if (!picture_stays(settings, stats) || learns || is_read || is_measured || filter.busy() || !filter.has_picture() ||
      !filter.settled() || shown_view(settings) == View::blink)
    gpu_.stirred(now);
  return gpu_.rests(now);
}

DrawPace::Needs RestStep::needs(double now, const Beside& beside, const Settings& settings, const Stats& stats) const {
  DrawPace::Needs needs;
  needs.moving = beside.is_saved || beside.source.opens_another() || shown_view(settings) == View::blink;
  // A sweep's points as they come: drawn at the display's rate they would be measured beside a renderer at work.
  needs.counting = beside.filter.owes_picture() || beside.files_awaited || ImGui::GetIO().WantTextInput ||
                   stats.sweep.running || (now < stirred_at_ + soon_after_stir && awaits_figures(stats, settings));
  needs.news = !stats.messages.empty() && stats.messages.back().seconds > stats.now;  // told since, or just before
  needs.changes_at = stats.now + ui::ui_state().draw_again_in;
  needs.figures = beside.filter.on_gpu();  // of its health: clocks, temperature
  return needs;
}

void RestStep::rest(const Beside& beside, const Settings& settings, const Stats& stats) {
  if (beside.context.offscreen()) return;
  const bool gpu = beside.filter.on_gpu();
  holds_still_ = gpu && gpu_rests(poster_.seconds(), beside, settings, stats);
  if (gpu && !holds_still_) return;
  pace_.took(processor_seconds() - std::exchange(spent_, 0));
  const double began = poster_.seconds();
  DrawPace::Needs needs = this->needs(began, beside, settings, stats);
  const double look_again_in = picture_stays(settings, stats) ? while_paused : while_playing;
  while (!beside.ends()) {
    const bool has_frame = beside.has_frame();
    if (learnt_.exchange(false) || has_frame) {
      needs.news = true;
      stirred_at_ = poster_.seconds();
    }
    if (filtered_.exchange(false)) (beside.filter.owes_picture() ? needs.news : needs.figures) = true;
    filter_again(beside);
    const double now = poster_.seconds(), pause = pace_.pause(now, needs);
    if (pause <= 0) break;
    if (beside.context.wait_events(std::min(pause, look_again_in))) {
      needs.news = true;
      stirred_at_ = now;
      noticed_input(now);
    }
  }
  const double now = poster_.seconds();
  holds_still_ = gpu && gpu_rests(now, beside, settings, stats);
  pace_.drew(now);
  spent_ = processor_seconds();
  beside.measuring.waited((now - began) * 1e3);
  if (now - began > long_rest) beside.measuring.rested();
}

void RestStep::filter_again(const Beside& beside) const {
  try {
    beside.filter.filter_again(beside.conditions(poster_.seconds()));
  } catch (const Error& error) {
    poster_.post(MessageLevel::error, error.what());
  }
}

}  // namespace convoscope
