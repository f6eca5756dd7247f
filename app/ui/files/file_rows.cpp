#include "app/ui/files/file_rows.h"

#include <imgui.h>

#include <algorithm>
#include <ctime>

#include "app/files/paths.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr float row_height = 48, picture_width = 72, picture_height = 40;

std::string date_text(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  localtime_r(&time, &parts);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

Icon icon_of(FileKind kind) {
  switch (kind) {
    case FileKind::folder:
      return Icon::folder;
    case FileKind::video:
      return Icon::play;
    case FileKind::sound:
      return Icon::sound;
    case FileKind::picture:
      return Icon::camera;
    case FileKind::data:
      return Icon::copy;
    case FileKind::other:
      break;
  }
  return Icon::information;
}

// The thumbnail, or a sign of what the file is.
void draw_picture(ImDrawList& list, const FileEntry& entry, const ThumbnailPlace* thumbnail, unsigned texture,
                  ImVec2 from) {
  const ImVec2 extent{px(picture_width), px(picture_height)};
  const ImVec2 centre{from.x + extent.x / 2, from.y + extent.y / 2};
  if (thumbnail && thumbnail->width > 0 && thumbnail->height > 0 && texture != 0) {
    const float scale =
        std::min(extent.x / static_cast<float>(thumbnail->width), extent.y / static_cast<float>(thumbnail->height));
    const float x = static_cast<float>(thumbnail->width) * scale / 2,
                y = static_cast<float>(thumbnail->height) * scale / 2;
    list.AddRectFilled(from, {from.x + extent.x, from.y + extent.y}, theme().field, px(3));
    list.AddImage(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(texture)), {centre.x - x, centre.y - y},
                  {centre.x + x, centre.y + y}, {thumbnail->left, thumbnail->top},
                  {thumbnail->right, thumbnail->bottom});
    return;
  }
  if (entry.kind != FileKind::folder)
    list.AddRectFilled(from, {from.x + extent.x, from.y + extent.y}, theme().field, px(3));
  draw_icon(list, icon_of(entry.kind), centre, px(18), entry.kind == FileKind::folder ? theme().accent : theme().faint);
}

}  // namespace

int draw_file_rows(FileBrowser& browser, const FolderListing* listing, const Stats& stats, Requests& requests) {
  if (!listing) {
    text_dim("Reading the folder …");
    return -1;
  }
  if (!listing->problem.empty()) {
    text_coloured(theme().error, listing->problem);
    return -1;
  }
  const int count = static_cast<int>(listing->entries.size());
  if (count == 0) {
    text_dim(listing->question.contains.empty() ? listing->question.endings.empty()
                                                      ? "This folder is empty."
                                                      : "There is no folder here and no file of this kind."
                                                : "No name here contains “" + printable(listing->question.contains) +
                                                      "”. Enter opens what you typed.");
    return -1;
  }
  browser.chosen = std::clamp(browser.chosen, 0, count - 1);
  const float height = px(row_height);
  if (browser.reveal) {
    const float top = static_cast<float>(browser.chosen) * height, scroll = ImGui::GetScrollY();
    const float room = ImGui::GetWindowHeight();
    if (top < scroll) ImGui::SetScrollY(top);
    if (top + height > scroll + room) ImGui::SetScrollY(top + height - room);
    browser.reveal = false;
  }
  int taken = -1;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGuiListClipper clipper;
  clipper.Begin(count, height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const FileEntry& entry = listing->entries[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0f);
      if (ImGui::InvisibleButton("##row", {width, height})) browser.chosen = i, browser.walked = true;
      ImGui::PopID();
      const std::string shown = printable(entry.name);
      mark_item("file/" + shown);
      const bool hovered = ImGui::IsItemHovered();
      if (hovered && ImGui::IsMouseDoubleClicked(0)) taken = i;
      const ImVec2 from = ImGui::GetItemRectMin();
      ImDrawList& list = *ImGui::GetWindowDrawList();
      if (i == browser.chosen || hovered)
        list.AddRectFilled(from, {from.x + width, from.y + height - px(2)},
                           i == browser.chosen ? theme().accent_soft : with_alpha(theme().text, 0.07f), px(5));
      const std::string path = join(listing->question.folder, entry.name);
      const ThumbnailPlace* thumbnail = nullptr;
      if (entry.kind == FileKind::video || entry.kind == FileKind::picture) {
        requests.files.thumbnails.push_back(path);
        const auto found = stats.files.thumbnails.find(path);
        if (found != stats.files.thumbnails.end()) thumbnail = &found->second;
      }
      draw_picture(list, entry, thumbnail, stats.files.thumbnail_texture, {from.x + px(4), from.y + px(3)});
      const float left = from.x + px(picture_width + 16), room = from.x + width - left - px(8);
      const std::string name = clipped(Font::body, shown, room);
      const ImU32 ink = entry.kind == FileKind::other ? theme().dim : theme().text;  // it may not open
      draw_text(list, Font::body, {left, from.y + px(6)}, ink, name);
      const std::string about =
          (entry.kind == FileKind::folder ? "" : format_bytes(static_cast<double>(entry.bytes)) + "  ·  ") +
          date_text(entry.changed);
      const std::string about_shown = clipped(Font::small, about, room);
      draw_text(list, Font::small, {left, from.y + px(26)}, theme().dim, about_shown);
      tooltip(with_whole(shown, name, with_whole(about, about_shown, "")));
    }
  }
  ImGui::PopStyleVar();
  return taken;
}

}  // namespace convoscope::ui
