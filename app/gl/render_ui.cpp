#include <string_view>

#include "app/gl/imgui_backends.h"
#include "app/gl/window/context.h"

namespace convoscope {
namespace {

// The draw lists of one window, or of all the others.
void draw_lists(std::string_view name, bool named) {
  const ImDrawData& all = *ImGui::GetDrawData();
  ImDrawData part = all;
#if IMGUI_VERSION_NUM >= 18971
  part.CmdLists.resize(0);
#else
  ImVector<ImDrawList*> lists;
#endif
  part.TotalIdxCount = part.TotalVtxCount = 0;
  for (int i = 0; i < all.CmdListsCount; ++i) {
    ImDrawList* list = all.CmdLists[i];
    if ((list->_OwnerName && list->_OwnerName == name) != named) continue;
#if IMGUI_VERSION_NUM >= 18971
    part.CmdLists.push_back(list);
#else
    lists.push_back(list);
#endif
    part.TotalIdxCount += list->IdxBuffer.Size;
    part.TotalVtxCount += list->VtxBuffer.Size;
  }
#if IMGUI_VERSION_NUM >= 18971
  part.CmdListsCount = part.CmdLists.Size;
#else
  part.CmdLists = lists.Data;
  part.CmdListsCount = lists.Size;
#endif
  ImGui_ImplOpenGL3_RenderDrawData(&part);
}

}  // namespace

void render_ui(const char* without) {
  ImGui::Render();
  if (without)
    draw_lists(without, false);
  else
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void render_ui_window(const char* name) { draw_lists(name, true); }

}  // namespace convoscope
