#pragma once
// What the sheets that open and save files remember between frames; files/ draws them.
#include <array>
#include <optional>
#include <string>

#include "app/state/files.h"
#include "app/state/settings.h"

namespace convoscope::ui {

struct PathField {
  std::array<char, 4096> text{};
  std::optional<std::string>
      replacement;        // what the program puts there: ImGui keeps a copy while a field is typed into
  bool focus = false;     // take the keyboard in the next frame
  bool active = false;    // had it in the last one
  bool complete = false;  // Tab was pressed
  std::string typed() const { return text.data(); }
};

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

enum class Saved { session, filter, bank, network, sweep, screenshot, render };

struct SaveDialog {
  bool open = false, opening = false;
  Saved what = Saved::filter;
  std::string folder;  // the last one used; empty: where the program was started
  std::array<char, 1024> name{};
  bool ask = false;                      // whether the file that is there may be replaced
  double asked = 0;                      // since then, in seconds of the window
  bool accept = false;                   // wanted; waits until it is known what is there now
  bool looks = false;                    // it has been asked what is there now
  bool replace = false, cancel = false;  // keys that were pressed
  bool focus = false;
  int number = 1;        // of the name that is offered: counts up to one that is free
  bool settled = false;  // that name is free, or was typed
  std::string replaced;  // the name that was offered before it, which the field may still show
  bool together = true;  // a sweep: all its files, beside each other
  float height = 0;      // that the sheet needs, at scale 1; 0: not drawn yet
};

}  // namespace convoscope::ui
