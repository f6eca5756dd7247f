#pragma once
// The sheet that opens: folders, files with thumbnails, places; typed, clicked or walked through with the keys.
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/files/path_field.h"

namespace convoscope::ui {

struct FileBrowser {
  enum class Purpose { source, filter, bank, sweep, recording_folder, save_folder };
  bool open = false, opening = false;
  Purpose purpose = Purpose::source;
  std::string folder;           // looked into; empty: where the program was started
  bool went_to_input = false;   // the folder of what the command line named, once
  bool is_of_last_run = false;  // that folder, which may be gone
  PathField field;
  FileOrder order = FileOrder::name;
  int chosen = 0;
  bool walked = false;  // to that row, since something was typed: Enter means it
  std::string seen;     // the folder whose rows are shown
  bool reveal = false;  // scroll to the chosen row
  // Keys that were pressed since the last frame.
  int move = 0;
  bool accept = false, complete = false, cancel = false;
  int waited = 0;  // frames since `accept`, until the folder has been read
};

void open_browser(FileBrowser::Purpose, const std::string& folder = {});
bool browser_key(int key, int modifiers);  // true: used
// What was saved in the folder is what will be looked for.
void look_there_next(const std::string& folder, Settings&);
void draw_file_browser(const Stats&, Settings&, Requests&);

}  // namespace convoscope::ui
