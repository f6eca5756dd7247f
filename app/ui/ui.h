#pragma once
// The panels: immediate mode, reading Stats and writing Settings and Requests. Nothing of media or gl.
#include <array>
#include <string_view>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

// In ImGui's pixels. layout_ui() fills the picture; whoever composes the picture fills the panes, so that cards and
// clicks land where the panes are seen.
struct UiLayout {
  float picture_x = 0, picture_y = 0, picture_width = 0, picture_height = 0;  // what the panels leave
  struct Pane {
    float x = 0, y = 0, width = 0, height = 0;
  };
  std::vector<Pane> pictures;  // of each pane where its whole picture lies, also beyond what is seen, and behind
                               // them that of the source while it is shown alone; empty: not known
  std::vector<Pane> panes;  // the visible part of each (Compositor's visible_rectangle); empty: a plain grid is assumed
  Pane fitted;              // Compositor's fitted_rectangle; without width: all that the panels leave
};

// The view on screen: that of a key that is held, else the chosen one.
View shown_view(const Settings&);
// What only speaks to whoever watches: drawn on screen but not into pictures that are saved. The card of a running
// render takes all clicks; feedback lies over everything.
inline constexpr const char* render_window = "##render";
inline constexpr const char* message_window = "##message";  // followed by a number
inline constexpr std::array<std::string_view, 4> spoken_windows{message_window, "##Foreground", "##Tooltip",
                                                                render_window};

struct UiKey {
  int key = 0, modifiers = 0;  // GLFW's codes
  bool repeated = false;
  bool pressed = true;     // false: let go
  unsigned character = 0;  // that it typed, if any
};

// Fonts, colours, spacing, between frames. Settings::ui_scale wins over the monitor's scale. Cheap when nothing
// changed, so it may be called before every frame. True: the font atlas was rebuilt, and the renderer's font texture
// must be made anew (ImGui_ImplOpenGL3_DestroyFontsTexture and …CreateFontsTexture) before the next NewFrame.
bool setup_ui_style(const Settings&, float monitor_scale, float window_width);
// The scale that setup_ui_style() makes of them: larger for a projector, no larger than the window has room for.
float ui_scale_of(const Settings&, float monitor_scale, float window_width);
// Where the panels will lie for this window; the compositor draws the panes into the rest before the panels.
UiLayout layout_ui(const Settings&, float width, float height);
// Between ImGui::NewFrame and Render. A click on the picture also picks its pane, a double click goes full screen.
void draw_ui(const Stats&, Settings&, Requests&, const UiLayout&);
// For every key press and release between take_events and draw_ui, also while text is being typed: then it leaves alone
// what belongs to the text field. True when the key meant something. A release ends what was shown while the key was
// held.
bool handle_key(const UiKey&, const Stats&, Settings&, Requests&);
// The window's close button while a rendering runs: as Ctrl+Q, it asks first.
void close_while_rendering(const Stats&, Requests&);
// Zoom about the cursor and pan, in pixels, for a mouse that no panel wants (ImGui's WantCaptureMouse).
void handle_wheel(float wheel, float mouse_x, float mouse_y, const UiLayout&, const Stats&, Settings&);
void handle_drag(float dx, float dy, const UiLayout&, const Stats&, Settings&);

// One row of the cheat sheet; the same table drives handle_key and the F1 screen.
struct KeyBinding {
  int key, modifiers;
  const char* keys;    // "Ctrl+O"
  const char* group;   // "Playback"
  const char* action;  // "Step one frame forward"
};
const std::vector<KeyBinding>& key_bindings();

}  // namespace convoscope
