#include "app/ui/files/path_field.h"

#include <imgui.h>

#include <algorithm>
#include <cstdio>

#include "app/files/paths.h"
#include "app/ui/parts/text_undo.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

int put_replacement(ImGuiInputTextCallbackData* data) {
  auto& field = *static_cast<PathField*>(data->UserData);
  if (!field.replacement) return 0;
  if (data->EventFlag != ImGuiInputTextFlags_CallbackAlways) return 0;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, field.replacement->c_str());
  data->ClearSelection();
  forget_text_undo();
  field.replacement.reset();
  return 0;
}

}  // namespace

bool draw_path_field(const char* id, const char* hint, PathField& field, const std::string& tip,
                     const std::string& at_rest) {
  if (field.replacement && !field.active) {
    std::snprintf(field.text.data(), field.text.size(), "%s", field.replacement->c_str());
    field.replacement.reset();
  }
  if (field.focus) ImGui::SetKeyboardFocusHere();
  field.focus = false;
  // Asking for completion keeps Tab from leaving the field; what it does comes with the other keys.
  constexpr ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll |
                                        ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackCompletion;
  const bool rests = !at_rest.empty() && !field.active && !field.replacement;
  ImGui::PushID(id);
  if (rests) ImGui::PushStyleColor(ImGuiCol_Text, 0);
  const bool entered =
      ImGui::InputTextWithHint("##text", hint, field.text.data(), field.text.size(), flags, put_replacement, &field);
  if (rests) ImGui::PopStyleColor();
  ImGui::PopID();
  if (rests && !ImGui::IsItemActive()) {
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax(), padding = ImGui::GetStyle().FramePadding;
    const std::string shown = clipped(Font::body, at_rest, to.x - from.x - 2 * padding.x);
    draw_text(*ImGui::GetWindowDrawList(), Font::body, {from.x + padding.x, from.y + padding.y}, theme().text, shown);
    watch_tip(shown);  // the whole path is in the tooltip
  }
  mark_item(id);
  field.active = ImGui::IsItemActive();
  if (!field.active) tooltip(tip);
  return entered;
}

std::string completed(const std::string& typed, const std::string& base, const FolderListing& listing) {
  const TypedPath path = split_typed(typed, base);
  if (listing.question.folder != path.folder) return typed;
  std::string common;
  int found = 0;
  bool folder = false;
  for (const FileEntry& entry : listing.entries) {
    if (!entry.name.starts_with(path.rest)) continue;
    folder = entry.kind == FileKind::folder;
    if (found++ == 0) {
      common = entry.name;
      continue;
    }
    const auto end = std::mismatch(common.begin(), common.end(), entry.name.begin(), entry.name.end()).first;
    common.erase(end, common.end());
  }
  // Half a character is no use; and a line cannot hold a line break.
  if (found == 0 || common.size() < path.rest.size() || printable(common) != common) return typed;
  return typed.substr(0, typed.size() - path.rest.size()) + common + (found == 1 && folder ? "/" : "");
}

}  // namespace convoscope::ui
