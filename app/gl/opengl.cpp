#include "app/gl/opengl.h"

#include "app/files/log.h"
#include "app/files/shortage.h"
#include "app/gl/imgui_backends.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

#ifndef NDEBUG
void GLAPIENTRY log_message(GLenum, GLenum type, GLuint, GLenum severity, GLsizei, const GLchar* text, const void*) {
  if (severity == GL_DEBUG_SEVERITY_NOTIFICATION) return;
  log::say(type == GL_DEBUG_TYPE_ERROR ? log::Level::error : log::Level::debug, std::string("OpenGL: ") + text);
}
#endif

}  // namespace

void require_room_to_draw() {
  constexpr std::size_t least_needed = 800 << 20;       // addresses, by Mesa to draw in software, and what follows
  static const bool there = is_room_for(least_needed);  // before the first context, which takes most of it
  if (!there)
    throw Error(
        "There is not enough memory to draw with OpenGL. Close other programs, or raise the limit (ulimit -v).");
}

std::string opengl_too_old(const std::string& version, const std::string& renderer) {
  if (version.empty())
    return "OpenGL 4.5 is needed, but this machine has none: install the driver of the graphics card, or Mesa (package "
           "libgl1-mesa-dri) to draw in software.";
  return "OpenGL 4.5 is needed, but this machine has " + version.substr(0, version.find(' ')) + " (" + renderer +
         "): update the graphics driver.";
}

std::string opengl_string(GLADloadfunc load, GLenum name) {
  const auto get_string = reinterpret_cast<PFNGLGETSTRINGPROC>(load("glGetString"));
  const GLubyte* text = get_string ? get_string(name) : nullptr;
  return text ? reinterpret_cast<const char*>(text) : "";
}

void load_opengl(GLADloadfunc load) {
  const int version = gladLoadGL(load);
  if (version < GLAD_MAKE_VERSION(4, 5))
    throw Error(opengl_too_old(opengl_string(load, GL_VERSION), opengl_string(load, GL_RENDERER)));
#ifndef NDEBUG
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(log_message, nullptr);
#endif
}

ImGuiSession::ImGuiSession(GLFWwindow* window) : window_(window) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // the settings file is ours
  ImGui::GetIO().LogFilename = nullptr;
  if (window_) ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 450 core");
}

ImGuiSession::~ImGuiSession() {
  ImGui_ImplOpenGL3_Shutdown();
  if (window_) ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

void ImGuiSession::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
#if IMGUI_VERSION_NUM < 19200
  // Later versions upload what changed; this one only the first atlas. The panels build another for another scale.
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  if (!fonts.IsBuilt() || !fonts.TexID) {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
  if (fonts.TexPixelsRGBA32) fonts.ClearTexData();  // the texture has them
#endif
  if (window_) ImGui_ImplGlfw_NewFrame();
}

}  // namespace convoscope
