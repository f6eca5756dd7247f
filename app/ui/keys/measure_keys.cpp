// The keys of comparing times and of the sweep.
#include "app/state/workbench.h"
#include "app/ui/actions/command_table.h"
#include "app/ui/actions/window_actions.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_codes.h"

namespace convoscope::ui {

std::vector<Binding> measure_bindings() {
  using namespace key;
  return {
      {{'B', control, "Ctrl+B", "Timing", action::baseline},
       [](const Act& a) { a.settings.group().baseline_pane = a.settings.group().active_pane; }},
      {{f(8), 0, "F8", "Timing", action::sweep}, [](const Act& a) { a.settings.sweep.open = !a.settings.sweep.open; }},
      {{f(8), shift, "Shift+F8", "Timing", action::run_sweep},
       [](const Act& a) {
         a.settings.sweep.open = true;
         (a.stats.sweep.running ? a.requests.cancel_sweep : a.requests.start_sweep) = true;
       }},
      {{f(8), control, "Ctrl+F8", "Timing", action::save_sweep},
       [](const Act& a) {
         if (const std::string why = why_no_sweep_to_save(a.stats, a.settings); !why.empty())
           give_feedback(why, a.stats.now);
         else
           open_save_dialog(Saved::sweep, a.stats, a.settings);
       }},
      {{f(8), control | shift, "Ctrl+Shift+F8", "Timing", action::overlay_sweep},
       [](const Act& a) {
         a.settings.sweep.open = true;
         open_browser(FileBrowser::Purpose::sweep);
       }},
  };
}

}  // namespace convoscope::ui
