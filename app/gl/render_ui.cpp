#include "app/gl/context.h"
#include "app/gl/imgui_backends.h"

namespace convoscope {

void render_ui() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace convoscope
