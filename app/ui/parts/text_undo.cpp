#include "app/ui/parts/text_undo.h"

#include <imgui.h>
#include <imgui_internal.h>

namespace convoscope::ui {

void forget_text_undo() {
#if IMGUI_VERSION_NUM < 18900
  auto& undo = ImGui::GetCurrentContext()->InputTextState.Stb.undostate;
  undo.undo_point = undo.undo_char_point = 0;
  undo.redo_point = STB_TEXTEDIT_UNDOSTATECOUNT;
  undo.redo_char_point = STB_TEXTEDIT_UNDOCHARCOUNT;
#endif
}

void forget_left_text_undo() {
#if IMGUI_VERSION_NUM < 18900
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  if (context.ActiveId != context.InputTextState.ID) forget_text_undo();
#endif
}

}  // namespace convoscope::ui
