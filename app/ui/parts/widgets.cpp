#include "app/ui/parts/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/parts/lists.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/wrapped_text.h"

namespace convoscope::ui {
namespace {

constexpr float least_label_width = 40, label_width = 92, wide_label_width = 132;
constexpr float largest_label_share = 0.28f;  // of a narrow panel, whose values need the room

}  // namespace

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
  watch_label(label);
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

float text_button_width(const char* label) {
  return std::ceil(text_size(Font::strong, label).x) + 2 * ImGui::GetStyle().FramePadding.x;  // as ImGui rounds it
}

bool text_field(const char* id, const char* hint, std::span<char> text, const std::string& tip, int flags) {
  ImGui::PushID(id);
  const bool done = ImGui::InputTextWithHint("##text", hint, text.data(), text.size(), flags);
  ImGui::PopID();
  mark_item(id);
  tooltip(tip);
  return done;
}

bool begin_combo(const char* id, const std::string& preview, float width, Font face) {
  width = std::max(width > 0 ? width : ImGui::GetContentRegionAvail().x, px(20));
  const float height = ImGui::GetFrameHeight();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::SetNextItemWidth(width);
  mark_item(std::string(id).substr(2), from, {from.x + width, from.y + height});  // before the popup is the window
  // The preview is drawn here: a font pushed around BeginCombo would have to be popped inside of the open popup, which
  // ImGui's stack checks forbid.
  const bool open = ImGui::BeginCombo(id, "", ImGuiComboFlags_NoArrowButton | ImGuiComboFlags_HeightLargest);
  const float padding = ImGui::GetStyle().FramePadding.x;
  const std::string shown = clipped(face, preview, combo_text_width(width));
  draw_text(list, face, {from.x + padding, std::round(from.y + (height - font_size(face)) / 2)},
            ImGui::GetColorU32(theme().text), shown);
  tooltip_of_cut(list, shown, preview, from, {from.x + width, from.y + height});
  draw_icon(list, Icon::chevron_down, {from.x + width - height / 2, from.y + height / 2}, px(11),
            ImGui::GetColorU32(theme().dim));
  // That it is open, also when nothing in it has a mark. It covers nothing, so that what has none is found.
  if (open) {
    mark_area(std::string(id).substr(2) + "/list", ImGui::GetWindowPos(), ImGui::GetWindowPos());
    begin_list();
  }
  return open;
}

float combo_text_width(float width) { return width - ImGui::GetFrameHeight() - ImGui::GetStyle().FramePadding.x; }

float toggle_width(const char* label) { return px(30) + px(8) + text_size(Font::body, label).x; }

void beside(float width) {
  const float gap = px(24), right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (ImGui::GetItemRectMax().x + gap + width <= right) ImGui::SameLine(0, gap);
}

bool toggle(const char* id, const char* label, bool* value, const std::string& tip) {
  watch_label(label);
  const Theme& t = theme();
  const float height = ImGui::GetFrameHeight(), track = px(30), knob = px(16);
  const ImVec2 label_size = text_size(Font::body, label);
  const bool clicked = ImGui::InvisibleButton(id, {toggle_width(label), height});
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

void row_label(const char* label, const std::string& tip, float widest) {
  watch_label(label);
  const float start = ImGui::GetCursorPosX();
  const float share = std::floor(ImGui::GetContentRegionAvail().x * largest_label_share);
  const float usual = std::clamp(share, px(least_label_width), px(label_width));
  const float column = std::max(usual, std::min(widest + px(8), std::floor(ImGui::GetContentRegionAvail().x / 2)));
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, theme().dim);
  const std::string shown = clipped(label, column - px(6));
  ImGui::TextUnformatted(shown.c_str());
  ImGui::PopStyleColor();
  watch_text(*ImGui::GetWindowDrawList(), ImGui::GetItemRectMin(), ImGui::GetItemRectSize(), shown);
  tooltip(with_whole(label, shown, tip));
  ImGui::SameLine(start + column);
  ImGui::SetNextItemWidth(-FLT_MIN);
}

void value_row(const char* label, const std::string& value, const std::string& tip, float widest, float indent) {
  const float start = ImGui::GetCursorPosX();
  // The value begins where those above do, unless only a little further left all of it is seen.
  const float least = indent + ImGui::CalcTextSize(label).x + px(8);
  const float whole = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(value.c_str()).x;
  const float usual = px(wide_label_width);
  const float column =
      widest > 0 ? std::max(widest + px(8), usual) : std::max(least, std::min(usual, std::floor(whole)));
  ImGui::SetCursorPosX(start + indent);
  ImGui::PushStyleColor(ImGuiCol_Text, theme().dim);
  ImGui::TextUnformatted(label);
  ImGui::PopStyleColor();
  tooltip(tip);
  ImGui::SameLine(start + column);
  text_clipped(value, ImGui::GetContentRegionAvail().x, theme().text);
}

void text_coloured(ImU32 ink, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ink);
  const float room = std::max(ImGui::GetContentRegionAvail().x, px(40));
  ImGui::TextUnformatted(wrapped(shortened(text), room).c_str());
  ImGui::PopStyleColor();
  watch_text(*ImGui::GetWindowDrawList(), ImGui::GetItemRectMin(), ImGui::GetItemRectSize(), text);
}

void text_dim(const std::string& text) { text_coloured(theme().dim, text); }

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

namespace {

template <class Measure>
std::string clipped_by(const Measure& measure, std::string_view text, float width) {
  if (text.size() > 2000) text = text.substr(0, 2000);  // wider than any line; spares measuring the rest
  if (measure(text) <= width) return std::string(text);
  const float room = width - measure("…");
  std::size_t low = 0, high = text.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    measure(text.substr(0, middle)) <= room ? low = middle : high = middle - 1;
  }
  std::string shown = shortened(text, low);
  watch_cut(shown);
  return shown;
}

}  // namespace

std::string clipped(std::string_view text, float width) {
  return clipped_by([](std::string_view s) { return ImGui::CalcTextSize(s.data(), s.data() + s.size()).x; }, text,
                    width);
}

std::string clipped(Font face, std::string_view text, float width) {
  return clipped_by([face](std::string_view s) { return text_size(face, s).x; }, text, width);
}

void text_clipped(const std::string& text, float width, ImU32 ink) {
  const std::string shown = clipped(text, width);
  ImGui::PushStyleColor(ImGuiCol_Text, ink);
  ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
  ImGui::PopStyleColor();
  watch_text(*ImGui::GetWindowDrawList(), ImGui::GetItemRectMin(), ImGui::GetItemRectSize(), shown);
  if (shown == text) return;
  watch_tip(shown);
  tooltip(text);
}

float draw_clipped(ImDrawList& list, Font face, ImVec2 position, ImU32 ink, const std::string& text, float width,
                   const ItemRectangle* beside) {
  const std::string shown = clipped(face, text, width);
  const float drawn = draw_text(list, face, position, ink, shown);
  tooltip_of_cut(list, shown, text, position, {position.x + drawn, position.y + font_size(face)}, beside);
  return drawn;
}

std::string with_whole(const std::string& whole, std::string_view shown, const std::string& tip) {
  if (shown == whole) return tip;
  watch_tip(shown);
  return tip.empty() ? whole : whole + "\n" + tip;
}

void end_inner_list() {
  const float wheel = ImGui::GetIO().MouseWheel, at = ImGui::GetScrollY();
  // For a while ImGui leaves the wheel to where it began to turn, whatever comes under the mouse.
  const bool has_the_wheel = wheel != 0 && ImGui::GetScrollMaxY() > 0 && !ImGui::GetIO().KeyCtrl &&
                             GImGui->WheelingWindow == ImGui::GetCurrentWindow();
  const float before = std::exchange(*ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("##scrolled-to"), at), at);
  ImGui::EndChild();
  const float notch = std::min(5 * ImGui::GetFontSize(), 0.67f * ImGui::GetWindowHeight());  // as ImGui scrolls
  if (has_the_wheel && at == before) ImGui::SetScrollY(ImGui::GetScrollY() - wheel * notch);
}

void heading(const char* text) {
  push_font(Font::small);
  text_clipped(text, ImGui::GetContentRegionAvail().x + 1, theme().faint);
  pop_font();
}

float draw_text(ImDrawList& list, Font which, ImVec2 position, ImU32 ink, std::string_view text) {
  list.AddText(font(which), font_size(which), position, ink, text.data(), text.data() + text.size());
  const ImVec2 size = text_size(which, text);
  watch_text(list, position, size, text);
  return size.x;
}

ImVec2 text_size(Font which, std::string_view text) {
  return font(which)->CalcTextSizeA(font_size(which), FLT_MAX, 0, text.data(), text.data() + text.size());
}

}  // namespace convoscope::ui
