#pragma once
// A place to draw: a GLFW window or a surfaceless EGL context. OpenGL 4.5 core, current on the calling thread.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

// A key press or release in GLFW's codes (offscreen contexts produce none).
struct KeyEvent {
  int key = 0, modifiers = 0;
  bool pressed = false, repeated = false;
  unsigned character = 0;  // that it typed, if any
};

struct InputEvents {
  std::vector<KeyEvent> keys;
  std::vector<std::string> dropped_files;
  double wheel = 0;
  bool any = false;  // also of those that ImGui alone is told of
  bool close_requested = false;
  bool window_destroyed = false;  // by another program: it stays so
};

struct ContextSettings {
  int width = 1600, height = 900;
  std::string title = "Convoscope";
  bool vsync = true;
  bool fullscreen = false;
  bool hidden = false;  // a window that is only there to be asked what it can do
  int egl_device = -1;  // offscreen: the EGL device that belongs to this CUDA device; -1: a GPU if any, else software
};

// What a window can have of its monitor, in pixels of the framebuffer; 0: unknown.
struct ScreenRoom {
  int width = 0, height = 0;
};

class Context {
 public:
  virtual ~Context() = default;
  virtual bool offscreen() const = 0;
  // Polls events, binds framebuffer() with a viewport of all of it, starts an ImGui frame's platform part. Uploads the
  // font atlas when it was built anew since the last frame: setup_ui_style() comes before this.
  virtual void begin_ui_frame() = 0;
  // Until there is an event, the time has passed or another thread calls wake(). True: the user, or the window system,
  // has done something. Offscreen there is nobody to wait for: returns at once.
  virtual bool wait_events(double seconds) {
    static_cast<void>(seconds);
    return false;
  }
  virtual void wake() {}
  virtual InputEvents take_events() = 0;              // since the last call
  virtual bool input_waits() const { return false; }  // more has come than the frame at hand may be given
  virtual bool quit_waits() const { return false; }   // Ctrl+Q is among that
  virtual unsigned framebuffer() const = 0;           // GL name to draw into; 0 for a window
  virtual int width() const = 0;                      // of the framebuffer, pixels
  virtual int height() const = 0;
  virtual float content_scale() const = 0;  // 1 at 96 dpi
  virtual ScreenRoom room_on_screen() const { return {}; }
  virtual void swap() = 0;                           // shows the frame; offscreen: waits until it is drawn
  virtual void set_size(int width, int height) = 0;  // in pixels; a window manager may decide otherwise
  virtual void set_vsync(bool) = 0;                  // this and the next may be called every frame
  virtual void set_fullscreen(bool) = 0;
  virtual void set_title(const std::string&) = 0;
  virtual std::string renderer() const = 0;  // "NVIDIA …", "llvmpipe …"
};

// ImGui::Render() and its draw data into the bound framebuffer; between begin_ui_frame() and swap(). `without`: windows
// whose names begin so, which render_ui_windows() then draws on top.
void render_ui(std::span<const std::string_view> without = {});
void render_ui_windows(std::span<const std::string_view> named);

std::string why_no_display();  // empty when a window can be opened; else a plain sentence
// Both create ImGui's context too (without an ini file) and destroy it with theirs. One window at a time.
std::unique_ptr<Context> make_window(const ContextSettings&);     // throws Error
std::unique_ptr<Context> make_offscreen(const ContextSettings&);  // throws Error

}  // namespace convoscope
