#pragma once
// The one table of what keys do; handle_key(), the cheat sheet, tooltips and the command palette obey it.
#include <functional>
#include <vector>

#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/ui.h"

namespace convoscope::ui {

struct Act {
  const Stats& stats;
  Settings& settings;
  Requests& requests;
  bool repeated = false;  // the key is held
  FilterSpec& filter() const { return settings.active().filter; }
  void edit(void (*change)(Filter&)) const {
    ui_state().filter_error =
        change_weights(settings, [change](FilterSpec& spec) { return edit_weights(spec, change); });
  }
  void turn(void (*change)(Filter&)) const;  // says so where that changes nothing
};

struct Binding : KeyBinding {
  std::function<void(const Act&)> act;
  bool repeats = false;                        // while the key is held
  void (*release)(const Act&) = nullptr;       // of an action that lasts as long as the key is held
  bool (*applies)(const Settings&) = nullptr;  // null: always; else another one may have the key
};

// All of them, group by group: keys/ has them.
const std::vector<Binding>& bindings();
bool applies(const Binding&, const Settings&);

}  // namespace convoscope::ui
