// The keys of what leaves the program as pictures.
#include <imgui.h>

#include "app/ui/actions/command_table.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
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
      {{'R', 0, "R", "Recording", action::record}, [](const Act& a) { a.requests.toggle_recording = true; }},
      {{'E', control, "Ctrl+E", "Recording", action::render},
       [](const Act& a) { open_save_dialog(Saved::render, a.stats, a.settings); }},
      {{'S', 0, "S", "Recording", action::screenshot}, [](const Act& a) { a.requests.screenshot = true; }},
      {{'S', shift, "Shift+S", "Recording", action::screenshot_as},
       [](const Act& a) { open_save_dialog(Saved::screenshot, a.stats, a.settings); }},
      {{'C', control, "Ctrl+C", "Recording", action::copy_picture}, copy},
      {{'G', control, "Ctrl+G", "Recording", action::save_last_seconds},
       [](const Act& a) { a.requests.save_animation = true; }},
      {{'P', shift, "Shift+P", "Recording", action::record_panels},
       [](const Act& a) { a.settings.recording.with_panels = !a.settings.recording.with_panels; }},
  };
}

}  // namespace convoscope::ui
