#include "app/ui/widgets.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace convoscope::ui {
namespace {

bool watching = false;
std::map<std::string, ItemRectangle, std::less<>> items;

constexpr float label_width = 92;
constexpr float tooltip_width = 320;

}  // namespace

void watch_items(bool on) {
  watching = on;
  items.clear();
}

void mark_item(std::string_view id, ImVec2 from, ImVec2 to) {
  if (watching) items[std::string(id)] = {from, to};
}

void mark_item(std::string_view id) {
  if (watching) mark_item(id, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

const ItemRectangle* item_rectangle(std::string_view id) {
  const auto found = items.find(id);
  return found == items.end() ? nullptr : &found->second;
}

void tooltip(const std::string& text) {
  if (text.empty() || ImGui::IsMouseDown(0) || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(11), px(8)));
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1.0f);  // also for a disabled item: it says why
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(px(tooltip_width));
  ImGui::TextUnformatted(shortened(text).c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar(2);
}

bool icon_button(const char* id, Icon icon, const std::string& tip, bool on, float size) {
  const float side = px(size);
  const bool clicked = ImGui::InvisibleButton(id, {side, side});
  mark_item(id);
  const bool hovered = ImGui::IsItemHovered(), pressed = ImGui::IsItemActive();
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Theme& t = theme();
  const ImU32 back = pressed ? with_alpha(t.text, 0.18f) : hovered ? with_alpha(t.text, 0.10f) : on ? t.accent_soft : 0;
  if (back) list.AddRectFilled(from, to, back, px(5));
  const ImU32 ink = ImGui::GetColorU32(on ? t.accent : hovered ? t.text : t.dim);
  draw_icon(list, icon, {(from.x + to.x) / 2, (from.y + to.y) / 2}, std::round(side * 0.5f), ink);
  tooltip(tip);
  return clicked;
}

bool text_button(const char* id, const char* label, const std::string& tip, bool primary) {
  const Theme& t = theme();
  if (primary) {
    ImGui::PushStyleColor(ImGuiCol_Button, t.accent);
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, mix(t.accent, t.text, 0.15f));
    ImGui::PushStyleColor(ImGuiCol_ButtonActive, mix(t.accent, t.text, 0.3f));
    ImGui::PushStyleColor(ImGuiCol_Text, t.on_accent);
  }
  push_font(Font::strong);
  ImGui::PushID(id);
  const bool clicked = ImGui::Button(label);
  ImGui::PopID();
  pop_font();
  if (primary) ImGui::PopStyleColor(4);
  mark_item(id);
  tooltip(tip);
  return clicked;
}

bool text_field(const char* id, const char* hint, std::span<char> text, const std::string& tip, int flags) {
  ImGui::PushID(id);
  const bool done = ImGui::InputTextWithHint("##text", hint, text.data(), text.size(), flags);
  ImGui::PopID();
  mark_item(id);
  tooltip(tip);
  return done;
}

bool begin_combo(const char* id, const std::string& preview, float width) {
  width = std::max(width > 0 ? width : ImGui::GetContentRegionAvail().x, px(20));
  const float height = ImGui::GetFrameHeight();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::SetNextItemWidth(width);
  const std::string shown = clipped(preview, width - height - px(10));
  const bool open = ImGui::BeginCombo(id, shown.c_str(), ImGuiComboFlags_NoArrowButton | ImGuiComboFlags_HeightLarge);
  mark_item(std::string(id).substr(2), from, {from.x + width, from.y + height});
  draw_icon(list, Icon::chevron_down, {from.x + width - height / 2, from.y + height / 2}, px(11),
            ImGui::GetColorU32(theme().dim));
  return open;
}

bool toggle(const char* id, const char* label, bool* value, const std::string& tip) {
  const Theme& t = theme();
  const float height = ImGui::GetFrameHeight(), track = px(30), knob = px(16);
  const ImVec2 label_size = text_size(Font::body, label);
  const bool clicked = ImGui::InvisibleButton(id, {track + px(8) + label_size.x, height});
  mark_item(id);
  if (clicked) *value = !*value;
  const ImVec2 from = ImGui::GetItemRectMin();
  const float middle = from.y + height / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 back = *value ? t.accent : mix(t.field, t.text, ImGui::IsItemHovered() ? 0.22f : 0.12f);
  list.AddRectFilled({from.x, middle - knob / 2}, {from.x + track, middle + knob / 2}, ImGui::GetColorU32(back),
                     knob / 2);
  const float x = *value ? from.x + track - knob / 2 : from.x + knob / 2;
  list.AddCircleFilled({x, middle}, knob / 2 - px(2), ImGui::GetColorU32(*value ? t.on_accent : t.dim), 24);
  draw_text(list, Font::body, {from.x + track + px(8), middle - label_size.y / 2}, ImGui::GetColorU32(t.text), label);
  tooltip(tip);
  return clicked;
}

bool segmented(const char* id, std::span<const char* const> labels, int* chosen, const std::string& tip, float width) {
  const Theme& t = theme();
  const float height = ImGui::GetFrameHeight();
  if (width <= 0) width = ImGui::GetContentRegionAvail().x;
  width = std::max(width, px(20));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = px(5), each = width / static_cast<float>(labels.size());
  list.AddRectFilled(from, {from.x + width, from.y + height}, ImGui::GetColorU32(t.field), rounding);
  bool changed = false;
  ImGui::PushID(id);
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, ImGui::GetStyle().ItemSpacing.y));
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const char* const label = labels[static_cast<std::size_t>(i)];
    const float x0 = std::floor(from.x + each * static_cast<float>(i));
    const float x1 = std::floor(from.x + each * static_cast<float>(i + 1));
    if (i > 0) ImGui::SameLine();
    ImGui::PushID(i);
    if (ImGui::InvisibleButton("##choice", {std::max(x1 - x0, 1.0f), height}) && *chosen != i) {
      *chosen = i;
      changed = true;
    }
    ImGui::PopID();
    if (watching) mark_item(std::string(id) + "/" + label);
    const bool hovered = ImGui::IsItemHovered();
    tooltip(tip);
    const bool on = *chosen == i;
    const ImVec2 a{x0 + px(2), from.y + px(2)}, b{x1 - px(2), from.y + height - px(2)};
    if (on)
      list.AddRectFilled(a, b, ImGui::GetColorU32(t.accent), rounding - px(1));
    else if (hovered)
      list.AddRectFilled(a, b, with_alpha(t.text, 0.08f), rounding - px(1));
    const Font face = on ? Font::strong : Font::body;
    const ImVec2 size = text_size(face, label);
    list.PushClipRect(a, b, true);
    draw_text(list, face,
              {std::max(a.x, std::round((x0 + x1 - size.x) / 2)), std::round(from.y + (height - size.y) / 2)},
              ImGui::GetColorU32(on ? t.on_accent : t.dim), label);
    list.PopClipRect();
  }
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  ImGui::PopID();
  return changed;
}

void row_label(const char* label, const std::string& tip) {
  const float start = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, theme().dim);
  ImGui::TextUnformatted(clipped(label, px(label_width) - px(6)).c_str());
  ImGui::PopStyleColor();
  tooltip(tip);
  ImGui::SameLine(start + px(label_width));
  ImGui::SetNextItemWidth(-FLT_MIN);
}

void value_row(const char* label, const std::string& value, const std::string& tip) {
  const float start = ImGui::GetCursorPosX();
  ImGui::PushStyleColor(ImGuiCol_Text, theme().dim);
  ImGui::TextUnformatted(label);
  ImGui::PopStyleColor();
  tooltip(tip);
  ImGui::SameLine(start + px(label_width + 40));
  text_clipped(value, ImGui::GetContentRegionAvail().x, theme().text);
}

void text_coloured(ImU32 ink, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ink);
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(shortened(text).c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

void text_dim(const std::string& text) { text_coloured(theme().dim, text); }

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

std::string clipped(std::string_view text, float width) {
  const auto measure = [](std::string_view s) { return ImGui::CalcTextSize(s.data(), s.data() + s.size()).x; };
  if (text.size() > 2000) text = text.substr(0, 2000);  // wider than any line; spares measuring the rest
  if (measure(text) <= width) return std::string(text);
  const float room = width - measure("…");
  std::size_t low = 0, high = text.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    measure(text.substr(0, middle)) <= room ? low = middle : high = middle - 1;
  }
  return shortened(text, low);
}

void text_clipped(const std::string& text, float width, ImU32 ink) {
  const std::string shown = clipped(text, width);
  ImGui::PushStyleColor(ImGuiCol_Text, ink);
  ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
  ImGui::PopStyleColor();
  if (shown != text) tooltip(text);
}

void heading(const char* text) {
  push_font(Font::small);
  ImGui::PushStyleColor(ImGuiCol_Text, theme().faint);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
  pop_font();
}

float draw_text(ImDrawList& list, Font which, ImVec2 position, ImU32 ink, std::string_view text) {
  list.AddText(font(which), font_size(which), position, ink, text.data(), text.data() + text.size());
  return text_size(which, text).x;
}

ImVec2 text_size(Font which, std::string_view text) {
  return font(which)->CalcTextSizeA(font_size(which), FLT_MAX, 0, text.data(), text.data() + text.size());
}

}  // namespace convoscope::ui
