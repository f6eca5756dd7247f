// Numbers to drag, with our own texts of them: ImGui draws that of a slider where the knob covers it, and a hyphen for
// a minus.
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr float least_value_width = 46;  // so that sliders below each other end at one place

template <class Value>
std::string text_of(const char* format, Value value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return with_minus(text.data());
}

ImGuiID typed_into = 0;  // its text must be seen

// ImGui's control without its text.
template <class Control>
bool without_text(const char* name, Control control) {
  const ImGuiID self = ImGui::GetID(name);
  const bool hidden = typed_into != self;
  if (hidden) ImGui::PushStyleColor(ImGuiCol_Text, static_cast<ImU32>(IM_COL32_BLACK_TRANS));
  const bool changed = control(name);
  if (hidden) ImGui::PopStyleColor();
  const bool typing = ImGui::IsItemActive() && ImGui::GetIO().WantTextInput;
  if (typing)
    typed_into = self;
  else if (typed_into == self)
    typed_into = 0;
  return changed;
}

// As ImGui opens a slider for typing by Ctrl+click, and other numbers by this. The first click has moved the knob: the
// value is again what it was before. True: it has changed by that.
template <class Value>
bool type_on_double_click(ImGuiID self, ImVec2 from, ImVec2 to, Value* value) {
  static ImGuiID clicked = 0;
  static Value before{};
  if (clicked == self && ImGui::IsMouseDragging(0)) clicked = 0;  // who drags it twice means the knob
  const bool able = !(GImGui->CurrentItemFlags & ImGuiItemFlags_Disabled);
  if (!able || !ImGui::IsMouseClicked(0) || typed_into == self || !hovers_window(from, to)) return false;
  if (clicked != self || !ImGui::IsMouseDoubleClicked(0)) {
    clicked = self;
    before = *value;
    return false;
  }
  GImGui->NavActivateInputId = self;
  return std::exchange(*value, before) != before;
}

template <class Value>
bool draw(const char* id, ImGuiDataType type, Value* value, Value low, Value high, const char* format, int flags,
          float width) {
  if (width <= 0) width = ImGui::GetContentRegionAvail().x;
  const float gap = px(8);
  const float widest = std::max({px(least_value_width), text_size(Font::body, text_of(format, low)).x,
                                 text_size(Font::body, text_of(format, high)).x});
  const float track = std::max(width - gap - widest, px(40));
  ImGui::PushID(id);
  ImGui::SetNextItemWidth(track);
  const ImVec2 at = ImGui::GetCursorScreenPos(), end{at.x + track + gap + widest, at.y + ImGui::GetFrameHeight()};
  const bool put_back = type_on_double_click(ImGui::GetID("##slider"), at, end, value);
  const bool moved = without_text("##slider", [&](const char* name) {
    return ImGui::SliderScalar(name, type, value, &low, &high, format, flags | ImGuiSliderFlags_AlwaysClamp);
  });
  ImGui::PopID();
  mark_item(id);
  const std::string text = text_of(format, *value);
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  ImGui::SameLine(0, gap);
  ImGui::Dummy({widest, to.y - from.y});
  tooltip("Double-click to type a number.");
  draw_text(*ImGui::GetWindowDrawList(), Font::body,
            {std::round(to.x + gap + widest - text_size(Font::body, text).x),
             std::round((from.y + to.y - font_size(Font::body)) / 2)},
            ImGui::GetColorU32(theme().text), text);
  return moved || put_back;
}

}  // namespace

bool slider(const char* id, float* value, float low, float high, const char* format, int flags, float width) {
  return draw(id, ImGuiDataType_Float, value, low, high, format, flags, width);
}

bool slider(const char* id, int* value, int low, int high, const char* format, int flags, float width) {
  return draw(id, ImGuiDataType_S32, value, low, high, format, flags, width);
}

bool drag_number(const char* id, float* value, float speed, float low, float high, const char* format) {
  ImGui::PushID(id);
  const bool changed = without_text("##drag", [&](const char* name) {
    return ImGui::DragFloat(name, value, speed, low, high, format, low < high ? ImGuiSliderFlags_AlwaysClamp : 0);
  });
  const bool typing = typed_into == ImGui::GetID("##drag");
  ImGui::PopID();
  mark_item(id);
  if (typing) return changed;
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const std::string text = text_of(format, *value);
  const float room = to.x - from.x - px(4), width = std::min(text_size(Font::body, text).x, room);
  draw_clipped(*ImGui::GetWindowDrawList(), Font::body,
               {std::round((from.x + to.x - width) / 2), std::round((from.y + to.y - font_size(Font::body)) / 2)},
               ImGui::GetColorU32(theme().text), text, room);
  return changed;
}

}  // namespace convoscope::ui
