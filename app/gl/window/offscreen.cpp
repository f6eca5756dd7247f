// OpenGL without a display: an EGL context with no surface, drawing into a framebuffer object.
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <algorithm>
#include <optional>

#include "app/files/log.h"
#include "app/gl/gl_objects.h"
#include "app/gl/imgui_backends.h"
#include "app/gl/opengl.h"
#include "app/gl/window/context.h"
#include "kernels/text/error.h"

#ifndef EGL_CUDA_DEVICE_NV
#define EGL_CUDA_DEVICE_NV 0x323A
#endif

namespace convoscope {
namespace {

bool has_extension(const char* list, const char* name) {
  const std::string padded = " " + std::string(list ? list : "") + " ";
  return padded.find(" " + std::string(name) + " ") != std::string::npos;
}

template <class Function>
Function egl_function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

GLADapiproc load_function(const char* name) { return reinterpret_cast<GLADapiproc>(eglGetProcAddress(name)); }

struct Candidate {
  EGLDisplay display;
  std::string description;
};

struct EglDevice {
  EGLDeviceEXT handle;
  int cuda_ordinal = -1;
  bool software = false;
};

std::vector<EglDevice> egl_devices() {
  const auto query_devices = egl_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  const auto query_string = egl_function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
  const auto query_attribute = egl_function<PFNEGLQUERYDEVICEATTRIBEXTPROC>("eglQueryDeviceAttribEXT");
  EGLint count = 0;
  if (!query_devices || !query_devices(0, nullptr, &count)) return {};
  std::vector<EGLDeviceEXT> handles(static_cast<std::size_t>(count));
  if (!query_devices(count, handles.data(), &count)) return {};
  std::vector<EglDevice> devices;
  for (EGLint i = 0; i < count; ++i) {
    EglDevice device{handles[static_cast<std::size_t>(i)]};
    const char* extensions = query_string ? query_string(device.handle, EGL_EXTENSIONS) : nullptr;
    device.software = has_extension(extensions, "EGL_MESA_device_software");
    EGLAttrib ordinal = 0;
    if (has_extension(extensions, "EGL_NV_device_cuda") && query_attribute &&
        query_attribute(device.handle, EGL_CUDA_DEVICE_NV, &ordinal))
      device.cuda_ordinal = static_cast<int>(ordinal);
    devices.push_back(device);
  }
  return devices;
}

// In the order to try them: the GPU that computes, any GPU, software, whatever the default is.
std::vector<Candidate> candidates(int cuda_device) {
  std::vector<Candidate> list;
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const auto get_display = egl_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  if (get_display && has_extension(client, "EGL_EXT_platform_device")) {
    std::vector<EglDevice> devices = egl_devices();
    std::stable_sort(devices.begin(), devices.end(), [&](const EglDevice& a, const EglDevice& b) {
      const auto rank = [&](const EglDevice& d) {
        return cuda_device >= 0 && d.cuda_ordinal == cuda_device ? 0 : d.software ? 2 : 1;
      };
      return rank(a) < rank(b);
    });
    for (const EglDevice& device : devices)
      list.push_back({get_display(EGL_PLATFORM_DEVICE_EXT, device.handle, nullptr),
                      device.cuda_ordinal >= 0 ? "EGL device of CUDA device " + std::to_string(device.cuda_ordinal)
                                               : "EGL device"});
  }
  if (get_display && has_extension(client, "EGL_MESA_platform_surfaceless"))
    list.push_back({get_display(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr), "surfaceless EGL"});
  list.push_back({eglGetDisplay(EGL_DEFAULT_DISPLAY), "default EGL display"});
  return list;
}

// A current context with nothing to draw into. Displays belong to the process and are left initialised.
class EglContext {
 public:
  explicit EglContext(int cuda_device) {
    require_room_to_draw();
    std::string old_version, old_renderer;
    for (const Candidate& candidate : candidates(cuda_device)) {
      if (candidate.display == EGL_NO_DISPLAY || !eglInitialize(candidate.display, nullptr, nullptr)) continue;
      display_ = candidate.display;
      if (create(true)) {
        log::debug("Offscreen: " + candidate.description);
        return;
      }
      if (old_version.empty() && create(false)) {
        old_version = opengl_string(load_function, GL_VERSION);
        old_renderer = opengl_string(load_function, GL_RENDERER);
      }
      destroy();
    }
    throw Error(opengl_too_old(old_version, old_renderer));
  }
  ~EglContext() { destroy(); }
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

 private:
  bool create(bool core_4_5) {
    destroy();
    if (!eglBindAPI(EGL_OPENGL_API)) return false;
    const EGLint config_wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint configs = 0;
    const bool has_config = eglChooseConfig(display_, config_wanted, &config, 1, &configs) && configs > 0;
    const char* extensions = eglQueryString(display_, EGL_EXTENSIONS);
    if (!has_config && !has_extension(extensions, "EGL_KHR_no_config_context")) return false;
    constexpr EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION,
                               4,
                               EGL_CONTEXT_MINOR_VERSION,
                               5,
                               EGL_CONTEXT_OPENGL_PROFILE_MASK,
                               EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
#ifndef NDEBUG
                               EGL_CONTEXT_OPENGL_DEBUG,
                               EGL_TRUE,
#endif
                               EGL_NONE};
    constexpr EGLint any[] = {EGL_NONE};
    context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, core_4_5 ? core : any);
    if (context_ == EGL_NO_CONTEXT) return false;
    if (has_config && !has_extension(extensions, "EGL_KHR_surfaceless_context")) {
      constexpr EGLint one_pixel[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
      surface_ = eglCreatePbufferSurface(display_, config, one_pixel);
    }
    return eglMakeCurrent(display_, surface_, surface_, context_);
  }
  void destroy() {
    if (context_ != EGL_NO_CONTEXT) {
      eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      eglDestroyContext(display_, context_);
    }
    if (surface_ != EGL_NO_SURFACE) eglDestroySurface(display_, surface_);
    context_ = EGL_NO_CONTEXT;
    surface_ = EGL_NO_SURFACE;
  }

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  EGLSurface surface_ = EGL_NO_SURFACE;
};

class Offscreen final : public Context {
 public:
  explicit Offscreen(const ContextSettings& settings) : egl_(settings.egl_device) {
    load_opengl(load_function);
    renderer_ = opengl_string(load_function, GL_RENDERER);
    set_size(settings.width, settings.height);
    imgui_.emplace(nullptr);
  }

  bool offscreen() const override { return true; }
  void begin_ui_frame() override {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
    glViewport(0, 0, width_, height_);
    imgui_->begin_frame();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(width_), static_cast<float>(height_));
    io.DisplayFramebufferScale = ImVec2(1, 1);
    io.DeltaTime = 1.0f / 60.0f;  // the same pictures however fast the machine is
  }
  InputEvents take_events() override { return {}; }
  unsigned framebuffer() const override { return framebuffer_.get(); }
  int width() const override { return width_; }
  int height() const override { return height_; }
  float content_scale() const override { return 1; }
  // A display would hold the next frame back until this one is drawn. Without that the frames queue up on the device,
  // and the strategies of the next would share their time with the drawing of the last.
  void swap() override { glFinish(); }
  void set_size(int width, int height) override {
    if (width == width_ && height == height_) return;
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (width < 1 || height < 1 || width > largest || height > largest)
      throw Error("A picture of " + std::to_string(width) + " × " + std::to_string(height) +
                  " pixels cannot be drawn here: choose a width and height from 1 to " + std::to_string(largest) + ".");
    gl::Texture colour = gl::make_texture();
    glTextureStorage2D(colour.get(), 1, GL_RGBA8, width, height);
    if (!framebuffer_) framebuffer_ = gl::make_framebuffer();
    glNamedFramebufferTexture(framebuffer_.get(), GL_COLOR_ATTACHMENT0, colour.get(), 0);
    if (glCheckNamedFramebufferStatus(framebuffer_.get(), GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      throw Error("The graphics driver cannot draw a picture of " + std::to_string(width) + " × " +
                  std::to_string(height) + " pixels. Choose a smaller size.");
    colour_ = std::move(colour);
    width_ = width;
    height_ = height;
  }
  void set_vsync(bool) override {}
  void set_fullscreen(bool) override {}
  void set_title(const std::string&) override {}
  std::string renderer() const override { return renderer_; }

 private:
  EglContext egl_;
  std::string renderer_;
  int width_ = 0, height_ = 0;
  gl::Texture colour_;
  gl::Framebuffer framebuffer_;
  std::optional<ImGuiSession> imgui_;
};

}  // namespace

std::unique_ptr<Context> make_offscreen(const ContextSettings& settings) {
  return std::make_unique<Offscreen>(settings);
}

}  // namespace convoscope
