#pragma once
// A section of the side panel: one file ID_panel.cpp here, and one word in PANELS of app/ui/CMakeLists.txt.
#include <span>
#include <string>
#include <string_view>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

// What the palette finds by the label that the panel gives it.
struct Control {
  std::string_view label;
  std::string_view also = {};                  // other words that people call it by
  bool (*applies)(const Settings&) = nullptr;  // null: wherever the panel does
};

struct Panel {
  std::string_view id;  // an open panel is kept by it
  const char* title;
  int key = 0;              // that opens and closes it, as keys.h numbers them; 0: none
  int modifiers = 0;        // held with it
  const char* keys = "";    // how the sheet of keys names that, "F2"
  const char* action = "";  // "Source panel": there, in the palette and in tooltips
  void (*draw)(const Stats&, Settings&, Requests&);
  std::string (*summary)(const Stats&, const Settings&);  // beside the title while it is closed
  bool (*applies)(const Settings&) = nullptr;             // null: in every workbench
  std::span<const Control> controls = {};                 // all but those whose names come from a catalogue
};

std::span<const Panel* const> panels();  // from top to bottom
bool applies(const Panel&, const Settings&);

void toggle_panel(Settings&, const Panel&);  // one that is open below the fold is only shown

}  // namespace convoscope::ui
