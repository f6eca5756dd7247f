#pragma once
// The panels: immediate mode, reading Stats and writing Settings and Requests. Nothing of media or gl.
#include "app/settings.h"
#include "app/stats.h"

namespace convoscope {

struct UiLayout {
  float picture_x = 0, picture_y = 0, picture_width = 0, picture_height = 0;  // what the panels leave, in pixels
};

struct UiKey {
  int key = 0, modifiers = 0;  // GLFW's codes
  bool repeated = false;
};

void setup_ui_style(const Settings&, float scale);  // fonts, colours, spacing; after ImGui::CreateContext, and on change
// Where the panels will lie for this window; the compositor draws the panes into the rest before the panels.
UiLayout layout_ui(const Settings&, float width, float height);
void draw_ui(const Stats&, Settings&, Requests&, const UiLayout&);  // between ImGui::NewFrame and Render
bool handle_key(const UiKey&, const Stats&, Settings&, Requests&);  // true when the key meant something
void handle_wheel(float wheel, float mouse_x, float mouse_y, const UiLayout&, const Stats&, Settings&);  // zoom
void handle_drag(float dx, float dy, const UiLayout&, const Stats&, Settings&);                          // pan

// One row of the cheat sheet; the same table drives handle_key and the F1 screen.
struct KeyBinding {
  int key, modifiers;
  const char* keys;    // "Ctrl+O"
  const char* group;   // "Playback"
  const char* action;  // "Step one frame forward"
};
const std::vector<KeyBinding>& key_bindings();

}  // namespace convoscope
