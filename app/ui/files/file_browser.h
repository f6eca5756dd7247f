#pragma once
// The sheet that opens: folders, files with thumbnails, places; typed, clicked or walked through with the keys.
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/files/path_field.h"
#include "app/ui/memory/file_dialogs.h"

namespace convoscope::ui {

void open_browser(FileBrowser::Purpose, const std::string& folder = {});
bool browser_key(int key, int modifiers);  // true: used
// What was saved in the folder is what will be looked for.
void look_there_next(const std::string& folder, Settings&);
void draw_file_browser(const Stats&, Settings&, Requests&);

}  // namespace convoscope::ui
