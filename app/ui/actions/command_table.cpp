#include "app/ui/actions/command_table.h"

#include "app/ui/memory/ui_state.h"

namespace convoscope::ui {

void Act::turn(void (*change)(Filter&)) const {
  const Filter before = shown_weights(settings).filter;
  edit(change);
  if (ui_state().filter_error.empty() && shown_weights(settings).filter == before)
    give_feedback("The filter is symmetric, so nothing changes", stats.now);
}

bool applies(const Binding& binding, const Settings& settings) { return !binding.applies || binding.applies(settings); }

}  // namespace convoscope::ui
