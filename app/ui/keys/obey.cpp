#include <set>
#include <utility>

#include "app/ui/actions/command_table.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/window_actions.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/notices/feedback.h"
#include "app/ui/parts/format.h"

namespace convoscope::ui {

namespace {

// Who has used two keys needs the hint no more.
void count_hinted(std::string_view action, Settings& settings) {
  if (!settings.show_hint) return;
  std::set<std::string_view>& used = ui_state().hinted_used;
  used.insert(action);
  if (used.size() >= 2) put_hint_away(settings);
}

}  // namespace

// What is held shows by itself what it does.
void obey(const Binding& binding, const Stats& stats, Settings& settings, Requests& requests, bool repeated) {
  if (const std::string why = why_not(binding, settings); !why.empty()) {
    give_feedback(why, stats.now);
    return;
  }
  const Settings before = settings;
  const bool learnt_before = momentary().learning;
  const Feedback earlier = std::exchange(ui_state().feedback, {});
  const std::optional<double> seek = requests.seek_seconds;
  binding.act({stats, settings, requests, repeated});
  follow_workbench(settings);
  const bool has_spoken = !ui_state().feedback.text.empty();
  if (!has_spoken) ui_state().feedback = earlier;
  if (binding.release) return;
  count_hinted(binding.action, settings);
  if (has_spoken) return;
  std::string text = what_has_no_room(before, settings);
  if (text.empty() && before.active().id == settings.active().id)
    text = show_changed_filter(before.active().filter, settings);
  if (text.empty()) text = what_changed(before, learnt_before, settings, binding.action);
  if (text.empty() && requests.seek_seconds && requests.seek_seconds != seek)
    text = format_clock(*requests.seek_seconds);
  if (text.empty() && requests.reset_statistics) text = binding.action;
  give_feedback(text, stats.now);
}

void act_on(std::size_t binding, const Stats& stats, Settings& settings, Requests& requests) {
  const Binding& row = bindings()[binding];
  if (!row.release) obey(row, stats, settings, requests);
}

}  // namespace convoscope::ui
