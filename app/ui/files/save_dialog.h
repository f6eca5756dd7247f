#pragma once
// The sheet that names what is saved: folder, name, ending, and the question before anything is replaced.
#include <array>
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/memory/file_dialogs.h"

namespace convoscope::ui {

void open_save_dialog(Saved, const Stats&, const Settings&);
bool save_dialog_key(int key, int modifiers);  // true: used
void draw_save_dialog(const Stats&, Settings&, Requests&);

}  // namespace convoscope::ui
