#include "app/gl/draw_list_picture.h"

#include "app/gl/gl_objects.h"
#include "app/gl/imgui_backends.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

void render(ImDrawList& list, int width, int height) {
  ImDrawData data;
  data.Valid = true;
  data.DisplayPos = {0, 0};
  data.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  data.FramebufferScale = {1, 1};
#if IMGUI_VERSION_NUM >= 18980
  data.AddDrawList(&list);
#else
  ImDrawList* lists[] = {&list};
  data.CmdLists = lists;
  data.CmdListsCount = 1;
  data.TotalIdxCount = list.IdxBuffer.Size;
  data.TotalVtxCount = list.VtxBuffer.Size;
#endif
  ImGui_ImplOpenGL3_RenderDrawData(&data);
}

}  // namespace

ReadBack::Pixels draw_list_picture(int width, int height, const std::function<void(ImDrawList&)>& draw) {
  ImDrawList list(ImGui::GetDrawListSharedData());
  list._ResetForNewFrame();
#if IMGUI_VERSION_NUM >= 19200
  list.PushTexture(ImGui::GetIO().Fonts->TexRef);
#else
  list.PushTextureID(ImGui::GetIO().Fonts->TexID);
#endif
  list.PushClipRect({0, 0}, {static_cast<float>(width), static_cast<float>(height)});
  draw(list);

  gl::Texture colour = gl::make_texture();
  glTextureStorage2D(colour.get(), 1, GL_RGBA8, width, height);
  gl::Framebuffer framebuffer = gl::make_framebuffer();
  glNamedFramebufferTexture(framebuffer.get(), GL_COLOR_ATTACHMENT0, colour.get(), 0);
  if (glCheckNamedFramebufferStatus(framebuffer.get(), GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw Error("The graphics driver cannot draw a picture of " + std::to_string(width) + " × " +
                std::to_string(height) + " pixels.");
  GLint bound = 0, viewport[4] = {};
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  glGetIntegerv(GL_VIEWPORT, viewport);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer.get());
  glViewport(0, 0, width, height);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  render(list, width, height);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(bound));
  glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);

  const auto read_back = ReadBack::make(width, height);
  ReadBack::Pixels pixels;
  read_back->request(framebuffer.get(), 0);
  read_back->take_pixels(pixels, true);
  return pixels;
}

}  // namespace convoscope
