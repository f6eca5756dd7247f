#include <algorithm>
#include <string_view>

#include "app/gl/imgui_backends.h"
#include "app/gl/window/context.h"

namespace convoscope {
namespace {

// The draw lists of these windows, or of all the others.
void draw_lists(std::span<const std::string_view> names, bool named) {
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
    const std::string_view owner = list->_OwnerName ? list->_OwnerName : "";
    const auto is_its = [&](std::string_view name) { return owner.starts_with(name); };
    if (std::ranges::any_of(names, is_its) != named) continue;
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

void render_ui(std::span<const std::string_view> without) {
  ImGui::Render();
  if (without.empty())
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  else
    draw_lists(without, false);
}

void render_ui_windows(std::span<const std::string_view> named) { draw_lists(named, true); }

}  // namespace convoscope
