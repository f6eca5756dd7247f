#pragma once
// The table's rows by group, a file each, and how a row is obeyed.
#include "app/ui/actions/command_table.h"

namespace convoscope::ui {

std::vector<Binding> pane_bindings();  // panes and views
std::vector<Binding> workbench_bindings();
std::vector<Binding> learn_bindings();
std::vector<Binding> measure_bindings();  // comparing times, the sweep
std::vector<Binding> inspect_bindings();
std::vector<Binding> recording_bindings();

// Does what the row does, and shows for a moment what that has changed, or why it has no meaning here.
void obey(const Binding&, const Stats&, Settings&, Requests&, bool repeated = false);
// What the key does, without it; nothing for what lasts while a key is held.
void act_on(std::size_t binding, const Stats&, Settings&, Requests&);

}  // namespace convoscope::ui
