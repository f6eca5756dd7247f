#include <glad/gl.h>

#include "app/gl/context.h"
#include "app/gl/imgui_backends.h"

namespace convoscope {
namespace {

// Before 1.92, ImGui's renderer uploads the font atlas once. When the panels have built it anew since (another scale or
// theme), there is no RGBA copy of it yet; the texture keeps its name, which the draw lists already hold.
void refresh_font_texture() {
#if IMGUI_VERSION_NUM < 19200
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  if (fonts.TexPixelsRGBA32) return;
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  fonts.GetTexDataAsRGBA32(&pixels, &width, &height);
  GLint bound = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<intptr_t>(fonts.TexID)));
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
#endif
}

}  // namespace

void render_ui() {
  ImGui::Render();
  refresh_font_texture();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace convoscope
