#pragma once
// The sheet that names what is saved: folder, name, ending, and the question before anything is replaced.
#include <array>
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

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

void open_save_dialog(Saved, const Stats&, const Settings&);
bool save_dialog_key(int key, int modifiers);  // true: used
void draw_save_dialog(const Stats&, Settings&, Requests&);

}  // namespace convoscope::ui
