// A GLFW window with an OpenGL 4.5 core context.
#include <glad/gl.h>
// GLFW brings OpenGL's old header unless told not to.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "app/gl/context.h"
#include "app/gl/imgui_backends.h"
#include "app/gl/key_queue.h"
#include "app/gl/opengl.h"
#include "app/gl/window_icon.h"
#include "kernels/error.h"

namespace convoscope {
namespace {

constexpr int smallest_width = 640, smallest_height = 400;
constexpr bool imgui_orders_keys = IMGUI_VERSION_NUM >= 18700;  // itself, and asks GLFW which modifiers are down

// GLFW's last words. Probing asks for them; otherwise they go to the log.
std::string last_glfw_error;
bool probing = false;

// While it lives: what fails is told by an Error's sentence, not by the log.
struct Probing {
  Probing() { probing = true; }
  ~Probing() { probing = false; }
};

void on_glfw_error(int code, const char* text) {
  constexpr int feature_unavailable = 0x1000C;  // GLFW 3.4: Wayland keeps window positions and icons to itself
  last_glfw_error = text ? text : "";
  if (!probing && code != feature_unavailable)
    spdlog::warn("GLFW: {} ({:#x})", last_glfw_error, static_cast<unsigned>(code));
}

// GLFW stays until the program ends: terminating it unloads the graphics driver, whose memory is then lost (Mesa's is
// reported as leaked), and the next window would load it again.
void start_glfw() {
  glfwSetErrorCallback(on_glfw_error);
  last_glfw_error.clear();
  if (!glfwInit()) throw Error("The display cannot be opened: " + last_glfw_error + ".");
}

struct DestroyWindow {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowHandle = std::unique_ptr<GLFWwindow, DestroyWindow>;

WindowHandle create_hidden(int width, int height, const char* title, bool core_4_5) {
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
};

Area window_area(GLFWwindow* window) {
  Area area;
  glfwGetWindowPos(window, &area.x, &area.y);
  glfwGetWindowSize(window, &area.width, &area.height);
  return area;
}

// The monitor that shows most of the window; null when there is none.
GLFWmonitor* monitor_of(GLFWwindow* window) {
  const Area area = window_area(window);
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  int most = 0;
  for (int i = 0; i < count; ++i) {
    Area screen;
    glfwGetMonitorPos(monitors[i], &screen.x, &screen.y);
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    if (!mode) continue;
    const int across = std::min(area.x + area.width, screen.x + mode->width) - std::max(area.x, screen.x);
    const int down = std::min(area.y + area.height, screen.y + mode->height) - std::max(area.y, screen.y);
    const int shared = std::max(across, 0) * std::max(down, 0);
    if (shared > most) {
      most = shared;
      best = monitors[i];
    }
  }
  return best;
}

class Window final : public Context {
 public:
  explicit Window(const ContextSettings& settings) {
    open(settings);
    glfwMakeContextCurrent(window_.get());
    load_opengl(glfwGetProcAddress);
    renderer_ = opengl_string(glfwGetProcAddress, GL_RENDERER);
    glfwSetWindowSizeLimits(window_.get(), smallest_width, smallest_height, GLFW_DONT_CARE, GLFW_DONT_CARE);
    fit_on_monitor();
    set_icon();
    listen();
    imgui_.emplace(window_.get());
    listen_to_keys();
    glfwSwapInterval(settings.vsync ? 1 : 0);
    vsync_ = settings.vsync;
    glfwShowWindow(window_.get());
    set_fullscreen(settings.fullscreen);
  }
  ~Window() override { imgui_.reset(); }

  bool offscreen() const override { return false; }
  void begin_ui_frame() override {
    if (glfwGetWindowAttrib(window_.get(), GLFW_ICONIFIED))
      glfwWaitEventsTimeout(0.02);  // nothing paces the swap of a minimised window
    else
      glfwPollEvents();
    pass_on_keys();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, width(), height());
    imgui_->begin_frame();
  }
  InputEvents take_events() override { return std::exchange(events_, {}); }
  unsigned framebuffer() const override { return 0; }
  int width() const override { return framebuffer_size().first; }
  int height() const override { return framebuffer_size().second; }
  float content_scale() const override {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_.get(), &x, &y);
    return x;
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
    if (fullscreen == windowed_.has_value()) return;
    if (!fullscreen) {
      glfwSetWindowMonitor(window_.get(), nullptr, windowed_->x, windowed_->y, windowed_->width, windowed_->height, 0);
      windowed_.reset();
    } else if (GLFWmonitor* monitor = monitor_of(window_.get())) {
      windowed_ = window_area(window_.get());
      const GLFWvidmode* mode = glfwGetVideoMode(monitor);
      glfwSetWindowMonitor(window_.get(), monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }
    glfwSwapInterval(vsync_ ? 1 : 0);  // some drivers forget it with the mode
  }
  void set_title(const std::string& title) override { glfwSetWindowTitle(window_.get(), title.c_str()); }
  std::string renderer() const override { return renderer_; }

 private:
  std::pair<int, int> framebuffer_size() const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_.get(), &width, &height);
    return {width, height};
  }

  void open(const ContextSettings& settings) {
    const Probing quiet;
    start_glfw();
    window_ = create_hidden(settings.width, settings.height, settings.title.c_str(), true);
    if (!window_) throw Error(why_no_context());
  }

  // The size asked for, or what the monitor has room for, in its middle.
  void fit_on_monitor() {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    if (!monitor) return;
    Area room, area = window_area(window_.get());
    glfwGetMonitorWorkarea(monitor, &room.x, &room.y, &room.width, &room.height);
    if (room.width < smallest_width || room.height < smallest_height) return;
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

  // Before ImGui's backend, which calls these after it has looked at an event.
  void listen() {
    glfwSetWindowUserPointer(window_.get(), this);
    static constexpr auto of = [](GLFWwindow* window) { return &this_of(window)->events_; };
    glfwSetScrollCallback(window_.get(), [](GLFWwindow* window, double, double y) { of(window)->wheel += y; });
    glfwSetDropCallback(window_.get(), [](GLFWwindow* window, int count, const char** paths) {
      for (int i = 0; i < count; ++i) of(window)->dropped_files.emplace_back(paths[i]);
    });
    glfwSetWindowCloseCallback(window_.get(), [](GLFWwindow* window) {
      of(window)->close_requested = true;
      glfwSetWindowShouldClose(window, GLFW_FALSE);  // the program decides
    });
  }

  // After ImGui's backend, in its place: it is given them from the queue.
  void listen_to_keys() {
    glfwSetKeyCallback(window_.get(), [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
      if (imgui_orders_keys) ImGui_ImplGlfw_KeyCallback(window, key, scancode, action, modifiers);
      this_of(window)->keys_.add({key, scancode, action, modifiers, 0});
    });
    glfwSetCharCallback(window_.get(), [](GLFWwindow* window, unsigned character) {
      if (imgui_orders_keys) ImGui_ImplGlfw_CharCallback(window, character);
      this_of(window)->keys_.add({0, 0, 0, 0, character});
    });
  }

  void pass_on_keys() {
    keys_.give_out(ImGui::GetIO().WantTextInput, [this](const KeyInput& input) {
      const auto& [key, scancode, action, modifiers, character] = input;
      if (character != 0) {
        if (!imgui_orders_keys) ImGui_ImplGlfw_CharCallback(window_.get(), character);
        return;
      }
      if (!imgui_orders_keys) ImGui_ImplGlfw_KeyCallback(window_.get(), key, scancode, action, modifiers);
      events_.keys.push_back({key, modifiers, action != GLFW_RELEASE, action == GLFW_REPEAT});
    });
  }

  static Window* this_of(GLFWwindow* window) { return static_cast<Window*>(glfwGetWindowUserPointer(window)); }

  WindowHandle window_;
  InputEvents events_;
  KeyQueue keys_;
  std::string renderer_;
  std::optional<Area> windowed_;  // where to return to; set while full screen
  bool vsync_ = true;
  std::optional<ImGuiSession> imgui_;
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
