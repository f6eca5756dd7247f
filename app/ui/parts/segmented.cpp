// One of several choices, side by side; in rows of two where their names would not fit.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

float needed(Font face, const char* label) { return text_size(face, label).x + px(12); }

// How many share a row, and each one's share of the width: alike, else by their names.
struct Rows {
  int each = 0;
  std::vector<float> widths;
};

Rows arrange(std::span<const char* const> labels, float width) {
  const int count = static_cast<int>(labels.size());
  float sum = 0, widest = 0;
  std::vector<float> widths;
  for (const char* const label : labels) {
    widths.push_back(needed(Font::strong, label));
    sum += widths.back();
    widest = std::max(widest, widths.back());
  }
  if (widest * static_cast<float>(count) <= width)
    return {count, std::vector<float>(labels.size(), width / static_cast<float>(count))};
  if (sum <= width) {
    for (float& each : widths) each += (width - sum) / static_cast<float>(count);
    return {count, widths};
  }
  const int each = count <= 2 || 2 * widest > width ? 1 : 2;
  return {each, std::vector<float>(labels.size(), width / static_cast<float>(each))};
}

}  // namespace

bool segmented(const char* id, std::span<const char* const> labels, int* chosen, const std::string& tip, float width,
               const CannotBe& cannot_be) {
  const Theme& t = theme();
  const float height = ImGui::GetFrameHeight();
  if (width <= 0) width = ImGui::GetContentRegionAvail().x;
  width = std::max(width, px(20));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const int count = static_cast<int>(labels.size());
  const Rows arranged = arrange(labels, width);
  const int rows = (count + arranged.each - 1) / arranged.each;
  const float rounding = px(5);
  list.AddRectFilled(from, {from.x + width, from.y + height * static_cast<float>(rows)}, ImGui::GetColorU32(t.field),
                     rounding);
  const int shown_chosen = *chosen;  // through the whole frame: those before the one that is clicked are drawn already
  ImGui::PushID(id);
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  float right = from.x;
  for (int i = 0; i < count; ++i) {
    const char* const label = labels[static_cast<std::size_t>(i)];
    const bool begins = i % arranged.each == 0;
    const float y0 = from.y + height * static_cast<float>(i / arranged.each);
    const float left = begins ? from.x : right;
    right = left + arranged.widths[static_cast<std::size_t>(i)];
    const float x0 = std::floor(left), x1 = std::floor(right);
    if (!begins) ImGui::SameLine(0, 0);
    ImGui::PushID(i);
    const bool able = i != cannot_be.choice;
    ImGui::BeginDisabled(!able);
    if (ImGui::InvisibleButton("##choice", {std::max(x1 - x0, 1.0f), height})) *chosen = i;
    ImGui::PopID();
    mark_item(std::string(id) + "/" + label);
    const bool hovered = ImGui::IsItemHovered();
    const bool on = shown_chosen == i;
    const ImVec2 a{x0 + px(2), y0 + px(2)}, b{x1 - px(2), y0 + height - px(2)};
    if (on)
      list.AddRectFilled(a, b, ImGui::GetColorU32(t.accent), rounding - px(1));
    else if (hovered)
      list.AddRectFilled(a, b, with_alpha(t.text, 0.08f), rounding - px(1));
    const Font face = on ? Font::strong : Font::body;
    const std::string shown = clipped(face, label, b.x - a.x);
    const ImVec2 size = text_size(face, shown);
    draw_text(list, face, {std::max(a.x, std::round((x0 + x1 - size.x) / 2)), std::round(y0 + (height - size.y) / 2)},
              ImGui::GetColorU32(on ? t.on_accent : t.dim), shown);
    tooltip(with_whole(label, shown, able ? tip : cannot_be.why));
    ImGui::EndDisabled();
  }
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  ImGui::PopID();
  return *chosen != shown_chosen;
}

}  // namespace convoscope::ui
