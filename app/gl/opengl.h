#pragma once
// What windows and offscreen contexts share: loading OpenGL, and ImGui's life.
#include <glad/gl.h>

#include <string>

struct GLFWwindow;

namespace convoscope {

// Before a context is made. Throws Error where so little memory is left that Mesa would end the program: it uses what
// it was not given.
void require_room_to_draw();

// Loads the functions of the current context and, in debug builds, logs what the driver has to say. Throws Error when
// it is older than 4.5.
void load_opengl(GLADloadfunc);

// "OpenGL 4.5 is needed, this machine gives 3.3 (llvmpipe): update the graphics driver." version: GL_VERSION, may be
// empty.
std::string opengl_too_old(const std::string& version, const std::string& renderer);

// Asks the current context through its loader; works for any version, and before load_opengl().
std::string opengl_string(GLADloadfunc, GLenum name);

// ImGui's context and its OpenGL backend; with a window, also the GLFW backend, which keeps the callbacks set before.
class ImGuiSession {
 public:
  explicit ImGuiSession(GLFWwindow*);
  ~ImGuiSession();
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;
  void begin_frame();  // the backends' part, before ImGui::NewFrame()

 private:
  GLFWwindow* window_;
};

}  // namespace convoscope
