// The keys of what leaves the program as pictures.
#include <imgui.h>

#include "app/ui/actions/command_table.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"

namespace convoscope::ui {
namespace {

void copy(const Act& a) {
  if (ui_state().grid.focused)
    ImGui::SetClipboardText(filter_text(shown_weights(a.settings).filter).c_str());  // who edits weights means them
  else
    a.requests.copy_picture = true;
}

}  // namespace

std::vector<Binding> recording_bindings() {
  using namespace key;
  return {
      {{'R', 0, "R", "Recording", "Start or stop recording"}, [](const Act& a) { a.requests.toggle_recording = true; }},
      {{'E', control, "Ctrl+E", "Recording", "Render the whole source to a file"},
       [](const Act& a) { open_save_dialog(Saved::render, a.stats, a.settings); }},
      {{'S', 0, "S", "Recording", "Save a screenshot"}, [](const Act& a) { a.requests.screenshot = true; }},
      {{'S', shift, "Shift+S", "Recording", "Save a screenshot under a name"},
       [](const Act& a) { open_save_dialog(Saved::screenshot, a.stats, a.settings); }},
      {{'C', control, "Ctrl+C", "Recording", "Copy the picture"}, copy},
      {{'G', control, "Ctrl+G", "Recording", "Save the last seconds as GIF or WebP"},
       [](const Act& a) { a.requests.save_animation = true; }},
      {{'P', shift, "Shift+P", "Recording", "Record the panels too"},
       [](const Act& a) { a.settings.recording.with_panels = !a.settings.recording.with_panels; }},
  };
}

}  // namespace convoscope::ui
