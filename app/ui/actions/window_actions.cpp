#include "app/ui/actions/window_actions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/state/workbench.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/theme.h"
#include "app/ui/ui.h"

namespace convoscope::ui {

void put_hint_away(Settings& settings) {
  settings.show_hint = false;
  ui_state().hint_since.reset();
  ui_state().hinted_used.clear();
}

void cycle_view(Settings& settings) {
  constexpr int views = 5;
  show_view(settings, static_cast<View>((static_cast<int>(settings.group().view) + 1) % views));
}

void cycle_backend(const Stats& stats, Settings& settings) {
  constexpr std::array all{BackendChoice::cuda, BackendChoice::cpu, BackendChoice::emulated};
  const auto runs_here = [&](BackendChoice choice) {
    return choice != BackendChoice::cuda || stats.why_no_gpu.empty();
  };
  const auto named = [](BackendChoice choice) { return backend_names[static_cast<std::size_t>(choice)]; };
  const bool obeyed = settings.backend != BackendChoice::automatic && runs_here(settings.backend);
  const std::string running = obeyed ? named(settings.backend) : stats.backend;
  auto at = std::ranges::find(all, running, named);
  do at = at == all.end() || at + 1 == all.end() ? all.begin() : at + 1;
  while (!runs_here(*at));
  settings.backend = *at;
}

CannotBe backend_that_cannot_run(const Stats& stats) {
  if (stats.why_no_gpu.empty()) return {};
  return {static_cast<int>(BackendChoice::cuda), "This cannot run here. " + stats.why_no_gpu};
}

void change_ui_scale(Settings& settings, double factor) {
  if (factor == 0) {
    settings.ui_scale = 0;
    return;
  }
  const double shown = px(100) / 100.0;
  double now = settings.ui_scale > 0 ? settings.ui_scale : shown;
  if (factor < 1) now = std::min(now, shown);  // the window may have no room for what was chosen
  settings.ui_scale = static_cast<float>(std::clamp(std::round(now * factor * 20) / 20, 0.5, 4.0));
}

std::string shown_text_size(const Settings& settings) {
  if (!(settings.ui_scale > 0)) return "auto";
  constexpr float wide = 1e6f;
  const float wanted = ui_scale_of(settings, 1, wide), in_force = std::min(px(1000) / 1000, wanted);
  return format_number(std::round(settings.ui_scale * in_force / wanted * 100.0)) + " %";
}

std::string why_no_sweep_to_save(const Stats& stats, const Settings& settings) {
  if (stats.sweep.rows.empty())
    return stats.sweep.running ? "Nothing has been measured yet. The sweep has only begun."
                               : "Nothing has been measured yet. Start the sweep first.";
  const Workbench& measured = workbench_of(stats.sweep.rows.front().problem.kind->id);
  if (measured.id == workbench_of(settings.workbench).id) return {};
  return std::string("Nothing has been measured here yet. The sweep of the ") + measured.title +
         " workbench is saved there.";
}

}  // namespace convoscope::ui
