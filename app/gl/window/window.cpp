// A GLFW window with an OpenGL 4.5 core context.
#include <glad/gl.h>
// GLFW brings OpenGL's old header unless told not to.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "app/files/log.h"
#include "app/gl/imgui_backends.h"
#include "app/gl/opengl.h"
#include "app/gl/window/context.h"
#include "app/gl/window/display_loss.h"
#include "app/gl/window/stale_manager.h"
#include "app/gl/window/window_icon.h"
#include "app/gl/window/window_input.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int smallest_width = 640, smallest_height = 400;

// GLFW's last words. Probing asks for them; otherwise they go to the log.
std::string last_glfw_error;
bool probing = false;

// While it lives: what fails is told by an Error's sentence, not by the log.
class Probing {
 public:
  Probing() : before_(std::exchange(probing, true)) {}
  ~Probing() { probing = before_; }

 private:
  const bool before_;
};

void on_glfw_error(int code, const char* text) {
  constexpr int feature_unavailable = 0x1000C;  // GLFW 3.4: Wayland keeps window positions and icons to itself
  constexpr int format_unavailable = 0x10009;   // the clipboard holds no text, which whoever pastes is told
  last_glfw_error = text ? text : "";
  if (!probing && code != feature_unavailable && code != format_unavailable) {
    char number[16];
    std::snprintf(number, sizeof(number), " (%#x)", static_cast<unsigned>(code));
    log::warn("GLFW: " + last_glfw_error + number);
  }
}

// 0 where windows are not X11's. Asked for by name: a GLFW without X11 does not have it.
template <class Result, class... Arguments>
Result ask_glfw(const char* function, Arguments... arguments) {
  const Probing quiet;
  auto* const ask = reinterpret_cast<Result (*)(Arguments...)>(dlsym(RTLD_DEFAULT, function));
  return ask ? ask(arguments...) : Result{};
}

// GLFW stays until the program ends: terminating it unloads the graphics driver, whose memory is then lost (Mesa's is
// reported as leaked), and the next window would load it again.
void start_glfw() {
  glfwSetErrorCallback(on_glfw_error);
  last_glfw_error.clear();
  forget_a_manager_that_is_gone();
  if (!glfwInit()) throw Error("The display cannot be opened: " + last_glfw_error + ".");
  watch_connection(ask_glfw<void*>("glfwGetX11Display"));
}

struct DestroyWindow {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowHandle = std::unique_ptr<GLFWwindow, DestroyWindow>;

WindowHandle create_hidden(int width, int height, const char* title, bool core_4_5) {
  require_room_to_draw();
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  if (core_4_5) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  }
  glfwWindowHint(GLFW_SRGB_CAPABLE, GLFW_FALSE);  // pixels are code values: shown as they are
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
#ifndef NDEBUG
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
#endif
  return WindowHandle(glfwCreateWindow(width, height, title, nullptr, nullptr));
}

// After a 4.5 context was refused: what is there instead.
std::string why_no_context() {
  const std::string refusal = last_glfw_error;
  const WindowHandle old = create_hidden(64, 64, "", false);
  if (!old) return opengl_too_old("", "") + " (" + refusal + ")";
  GLFWwindow* current = glfwGetCurrentContext();
  glfwMakeContextCurrent(old.get());
  const std::string sentence =
      opengl_too_old(opengl_string(glfwGetProcAddress, GL_VERSION), opengl_string(glfwGetProcAddress, GL_RENDERER));
  glfwMakeContextCurrent(current);
  return sentence;
}

struct Area {
  int x = 0, y = 0, width = 0, height = 0;
  bool begins_at(const Area& other) const { return x == other.x && y == other.y; }
};

Area window_area(GLFWwindow* window) {
  Area area;
  glfwGetWindowPos(window, &area.x, &area.y);
  glfwGetWindowSize(window, &area.width, &area.height);
  return area;
}

// Empty where the monitor is none any more.
Area area_of(GLFWmonitor* monitor) {
  Area screen;
  const GLFWvidmode* mode = glfwGetVideoMode(monitor);
  if (!mode) return screen;
  glfwGetMonitorPos(monitor, &screen.x, &screen.y);
  screen.width = mode->width;
  screen.height = mode->height;
  return screen;
}

// The monitor that shows most of the window; null when there is none.
GLFWmonitor* monitor_of(GLFWwindow* window) {
  const Area area = window_area(window);
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  std::int64_t most = 0;
  for (int i = 0; i < count; ++i) {
    const Area screen = area_of(monitors[i]);
    const auto shared = [](std::int64_t a, int length, std::int64_t b, int other_length) {
      return std::max<std::int64_t>(std::min(a + length, b + other_length) - std::max(a, b), 0);
    };
    const std::int64_t pixels =
        shared(area.x, area.width, screen.x, screen.width) * shared(area.y, area.height, screen.y, screen.height);
    if (pixels > most) {
      most = pixels;
      best = monitors[i];
    }
  }
  return best;
}

// Without docks and bars; empty where there is no monitor.
Area work_area(GLFWmonitor* monitor) {
  Area room;
  if (monitor) glfwGetMonitorWorkarea(monitor, &room.x, &room.y, &room.width, &room.height);
  return room;
}

class Window final : public Context {
 public:
  explicit Window(const ContextSettings& settings) {
    open(settings);
    survive_refused_requests();
    watch_window(ask_glfw<unsigned long>("glfwGetX11Window", window_.get()));
    glfwMakeContextCurrent(window_.get());
    load_opengl(glfwGetProcAddress);
    renderer_ = opengl_string(glfwGetProcAddress, GL_RENDERER);
    fit_on_monitor();
    set_icon();
    imgui_.emplace(window_.get());
    input_.emplace(window_.get());
    glfwSwapInterval(settings.vsync ? 1 : 0);
    vsync_ = settings.vsync;
    if (!settings.hidden) show();
    set_fullscreen(settings.fullscreen);
  }
  ~Window() override {
    imgui_.reset();
    watch_window(0);
  }

  bool offscreen() const override { return false; }
  void begin_ui_frame() override {
    if (glfwGetWindowAttrib(window_.get(), GLFW_ICONIFIED))
      glfwWaitEventsTimeout(0.02);  // nothing paces the swap of a minimised window
    else
      glfwPollEvents();
    input_->pass_on();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, width(), height());
    ImGuiIO& io = ImGui::GetIO();
    const ImVec2 size = io.DisplaySize, scale = io.DisplayFramebufferScale;
    imgui_->begin_frame();
    if (window_is_destroyed()) {
      io.DisplaySize = {std::max(size.x, 1.0f), std::max(size.y, 1.0f)};  // −1 before the first frame
      io.DisplayFramebufferScale = scale;
    }
    input_->place_mouse();
  }
  bool wait_events(double seconds) override {
    if (input_->waits()) return true;
    const double end = glfwGetTime() + seconds;
    woken_ = false;
    glfwWaitEventsTimeout(seconds);
    return glfwGetTime() < end && !woken_;
  }
  void wake() override {
    woken_ = true;
    glfwPostEmptyEvent();
  }
  InputEvents take_events() override {
    InputEvents events = input_->take_events();
    events.window_destroyed = window_is_destroyed();
    return events;
  }
  bool input_waits() const override { return input_->waits(); }
  bool quit_waits() const override { return input_->quit_waits(); }
  unsigned framebuffer() const override { return 0; }
  int width() const override { return framebuffer_size().first; }
  int height() const override { return framebuffer_size().second; }
  float content_scale() const override {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_.get(), &x, &y);
    return x;
  }
  ScreenRoom room_on_screen() const override {
    const Area room = work_area(monitor_of(window_.get())), area = window_area(window_.get());
    const auto [pixels_x, pixels_y] = framebuffer_size();
    if (area.width < 1 || area.height < 1 || window_is_destroyed()) return {};
    return {room.width * pixels_x / area.width, room.height * pixels_y / area.height};
  }
  void swap() override { glfwSwapBuffers(window_.get()); }
  void set_size(int width, int height) override {
    const auto [pixels_x, pixels_y] = framebuffer_size();
    const Area area = window_area(window_.get());  // in screen units, which may be larger than pixels
    const int units_x = pixels_x > 0 ? width * area.width / pixels_x : width;
    const int units_y = pixels_y > 0 ? height * area.height / pixels_y : height;
    glfwSetWindowSize(window_.get(), units_x, units_y);
  }
  void set_vsync(bool vsync) override {
    if (vsync == vsync_) return;
    vsync_ = vsync;
    glfwSwapInterval(vsync ? 1 : 0);
  }
  void set_fullscreen(bool fullscreen) override {
    if (fullscreen == windowed_.has_value() || window_is_destroyed()) return;
    if (!fullscreen) {
      glfwSetWindowMonitor(window_.get(), nullptr, windowed_->x, windowed_->y, windowed_->width, windowed_->height, 0);
      windowed_.reset();
    } else if (GLFWmonitor* monitor = monitor_of(window_.get())) {
      windowed_ = window_area(window_.get());
      const GLFWvidmode* mode = glfwGetVideoMode(monitor);
      glfwSetWindowMonitor(window_.get(), monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
      // Where nothing tells it of monitors (no libXrandr, an X server without outputs) nor manages windows, GLFW 3.3
      // moves the window to a place that nothing has set. A window manager may not have moved it yet.
      const Area screen = area_of(monitor), now = window_area(window_.get());
      if (!screen.begins_at(now) && !windowed_->begins_at(now))
        glfwSetWindowMonitor(window_.get(), nullptr, screen.x, screen.y, screen.width, screen.height, 0);
    }
    glfwSwapInterval(vsync_ ? 1 : 0);  // some drivers forget it with the mode
  }
  void set_title(const std::string& title) override { glfwSetWindowTitle(window_.get(), title.c_str()); }
  std::string renderer() const override { return renderer_; }

 private:
  std::pair<int, int> framebuffer_size() const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_.get(), &width, &height);
    if (!window_is_destroyed()) framebuffer_size_ = {width, height};
    return framebuffer_size_;
  }

  void open(const ContextSettings& settings) {
    const Probing quiet;
    start_glfw();
    window_ = create_hidden(settings.width, settings.height, settings.title.c_str(), true);
    if (!window_) throw Error(why_no_context());
  }

  // Showing an X11 window, GLFW 3.3 waits for ever if another program destroys it in that moment.
  void show() {
    if (!map_watched_window(ask_glfw<void*>("glfwGetX11Display"))) return glfwShowWindow(window_.get());
    constexpr double patience = 0.2;  // for a window manager
    const double end = glfwGetTime() + patience;
    while (!glfwGetWindowAttrib(window_.get(), GLFW_VISIBLE) && !window_is_destroyed() && glfwGetTime() < end)
      glfwWaitEventsTimeout(0.01);
    if (!window_is_destroyed()) glfwFocusWindow(window_.get());
  }

  // The size asked for, or what the monitor has room for, in its middle.
  void fit_on_monitor() {
    const Area room = work_area(glfwGetPrimaryMonitor());
    const auto least = [](int wanted, int there) { return there > 0 ? std::min(wanted, there) : wanted; };
    glfwSetWindowSizeLimits(window_.get(), least(smallest_width, room.width), least(smallest_height, room.height),
                            GLFW_DONT_CARE, GLFW_DONT_CARE);
    if (room.width < 1 || room.height < 1) return;
    Area area = window_area(window_.get());
    area.width = std::min(area.width, room.width);
    area.height = std::min(area.height, room.height);
    glfwSetWindowSize(window_.get(), area.width, area.height);
    glfwSetWindowPos(window_.get(), room.x + (room.width - area.width) / 2, room.y + (room.height - area.height) / 2);
  }

  void set_icon() {
    std::vector<unsigned char> small = draw_window_icon(16), medium = draw_window_icon(32),
                               large = draw_window_icon(64);
    const GLFWimage images[] = {{16, 16, small.data()}, {32, 32, medium.data()}, {64, 64, large.data()}};
    glfwSetWindowIcon(window_.get(), 3, images);
  }

  WindowHandle window_;
  mutable std::pair<int, int> framebuffer_size_;  // as last seen
  std::string renderer_;
  std::optional<Area> windowed_;  // where to return to; set while full screen
  bool vsync_ = true;
  std::atomic<bool> woken_ = false;  // by another thread: no event
  std::optional<ImGuiSession> imgui_;
  std::optional<WindowInput> input_;
};

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

}  // namespace

std::string why_no_display() {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
    return "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set.";
  const Probing quiet;
  try {
    start_glfw();
    return create_hidden(64, 64, "", true) ? "" : why_no_context();
  } catch (const Error& error) {
    return error.what();
  }
}

std::unique_ptr<Context> make_window(const ContextSettings& settings) { return std::make_unique<Window>(settings); }

}  // namespace convoscope
