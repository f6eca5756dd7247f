#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "app/gl/context.h"

namespace convoscope {

void render_ui() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace convoscope
