// Numbers to drag, with our own texts of them: ImGui draws that of a slider where the knob covers it, and a hyphen for
// a minus.
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "app/ui/memory/ui_state.h"
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

constexpr const char* only_numbers = "Only a number can be typed here.";

// ImGui drops a comma, so that "1,5" would be fifteen, and letters, as if nothing had been typed.
void take_commas_as_points() {
  ui_state().typed_number.refused |= answer_letters();
  std::ranges::replace(ImGui::GetIO().InputQueueCharacters, ',', '.');
}

std::string pasted;  // what the control is given of the clipboard

// What is pasted has a point for a comma too.
class PointsInClipboard {
 public:
  PointsInClipboard() {
#if IMGUI_VERSION_NUM >= 19110
    auto& read = ImGui::GetPlatformIO().Platform_GetClipboardTextFn;
    given() = read;
    if (read) read = [](ImGuiContext* context) { return with_points(given()(context)); };
#else
    auto& read = ImGui::GetIO().GetClipboardTextFn;
    given() = read;
    if (read) read = [](void* user) { return with_points(given()(user)); };
#endif
  }
  ~PointsInClipboard() {
#if IMGUI_VERSION_NUM >= 19110
    ImGui::GetPlatformIO().Platform_GetClipboardTextFn = given();
#else
    ImGui::GetIO().GetClipboardTextFn = given();
#endif
  }
  PointsInClipboard(const PointsInClipboard&) = delete;
  PointsInClipboard& operator=(const PointsInClipboard&) = delete;

 private:
#if IMGUI_VERSION_NUM >= 19110
  using Read = const char* (*)(ImGuiContext*);
#else
  using Read = const char* (*)(void*);
#endif
  static Read& given() {
    static Read function = nullptr;
    return function;
  }
  static const char* with_points(const char* text) {
    if (!text) return nullptr;
    pasted = with_point(text);
    return pasted.c_str();
  }
};

// What was typed lies beyond what the control can be: it is the nearest that it can, and says so.
void tell_of_limit(double low, double high) {
  TypedNumber& typed = ui_state().typed_number;
  if (!std::isfinite(typed.value) || !(low < high) || (typed.value >= low && typed.value <= high)) return;
  constexpr int figures = 6;
  const bool above = typed.value > high;
  typed.remark = with_minus(format_number(typed.value, figures)) + " is " +
                 (above ? "above the maximum: " : "below the minimum: ") +
                 with_minus(format_number(above ? high : low, figures)) + " is used.";
}

// The number as it is typed: ImGui would forget it for the nearest that the control can be. What is typed is drawn by
// `control`.
template <class Control>
bool type_number(ImGuiID self, double& value, double low, double high, Control control) {
  TypedNumber& typed = ui_state().typed_number;
  const int now = ImGui::GetFrameCount();
  const bool goes_on = typed.control == self && typed.frame + 1 >= now;
  if (!ImGui::TempInputIsActive(self)) {
    if (goes_on && typed.refused) typed.remark = only_numbers;  // whose letters left the number as it was
    if (goes_on) tell_of_limit(low, high);
    if (typed.control == self) typed.control = 0;
    return false;
  }
  if (!goes_on) {
    typed.value = value;
    typed.refused = false;
  }
  typed.control = self;
  typed.frame = now;
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) typed.refused = false;  // was not meant
  const double before = typed.value;
  control(&typed.value);
  if (typed.value != before) value = low < high ? std::clamp(typed.value, low, high) : typed.value;
  return true;
}

// ImGui's control without its text.
template <class Value, class Control>
void without_text(const char* name, Value* value, Control control) {
  const ImGuiID self = ImGui::GetID(name);
  const Value before = *value;
  const bool typed = typed_into == self;
  const PointsInClipboard points;
  if (typed)
    take_commas_as_points();
  else
    ImGui::PushStyleColor(ImGuiCol_Text, static_cast<ImU32>(IM_COL32_BLACK_TRANS));
  control(name);
  if (!typed) ImGui::PopStyleColor();
  const bool typing = ImGui::IsItemActive() && ImGui::GetIO().WantTextInput;
  SliderClick& click = ui_state().slider_click;
  if (typing && !typed) click.typed_over = before;
  // ImGui would return to the text of the number, which is rounded.
  if (typed && !typing && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) {
    *value = static_cast<Value>(click.typed_over);
    click.taken_back = true;
  }
  if (typing)
    typed_into = self;
  else if (typed)
    typed_into = 0;
}

// As ImGui opens a slider for typing by Ctrl+click, and other numbers by this. The first click has moved the knob: the
// value is again what it was before.
template <class Value>
void type_on_double_click(ImGuiID self, ImVec2 from, ImVec2 to, Value* value) {
  SliderClick& click = ui_state().slider_click;
  // Who drags it twice means the knob.
  if (click.slider == self && ImGui::IsMouseDragging(0)) click.slider = 0;
  const bool able = !(GImGui->CurrentItemFlags & ImGuiItemFlags_Disabled);
  if (!able || !ImGui::IsMouseClicked(0) || typed_into == self || !hovers_window(from, to)) return;
  if (click.slider != self || !ImGui::IsMouseDoubleClicked(0)) {
    click.slider = self;
    click.since = ImGui::GetTime();
    click.frame = ImGui::GetFrameCount();
    click.before = *value;
    return;
  }
  GImGui->NavActivateInputId = self;
  *value = static_cast<Value>(click.before);
  click.taken_back = true;
}

template <class Value>
void imgui_slider(const char* name, Value* value, Value low, Value high, const char* format, int flags) {
  constexpr bool whole = std::is_same_v<Value, int>;
  // What is typed into a whole number wraps, and ImGui drops its point and its exponent.
  double typed = *value;
  const double least = low, most = high;
  const bool typing = type_number(ImGui::GetID(name), typed, least, most, [&](double* number) {
    ImGui::SliderScalar(name, ImGuiDataType_Double, number, &least, &most, whole ? "%.0f" : format, flags);
  });
  if (typing) {
    if (std::isfinite(typed)) *value = whole ? static_cast<Value>(std::lround(typed)) : static_cast<Value>(typed);
    return;
  }
  ImGui::SliderScalar(name, whole ? ImGuiDataType_S32 : ImGuiDataType_Float, value, &low, &high, format,
                      flags | ImGuiSliderFlags_AlwaysClamp);
}

template <class Value>
bool draw(const char* id, Value* value, Value low, Value high, const char* format, int flags, float width) {
  const Value given = *value;
  if (width <= 0) width = ImGui::GetContentRegionAvail().x;
  const float gap = px(8);
  const float widest = std::max({px(least_value_width), text_size(Font::body, text_of(format, low)).x,
                                 text_size(Font::body, text_of(format, high)).x});
  const float track = std::max(width - gap - widest, px(40));
  ImGui::PushID(id);
  ImGui::SetNextItemWidth(track);
  const ImVec2 at = ImGui::GetCursorScreenPos(), end{at.x + track + gap + widest, at.y + ImGui::GetFrameHeight()};
  type_on_double_click(ImGui::GetID("##slider"), at, end, value);
  without_text("##slider", value, [&](const char* name) { imgui_slider(name, value, low, high, format, flags); });
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
  return std::isfinite(*value) && *value != given;
}

// What a click does not type into: an arrow at either end, where the number leaves room, and the mouse's cursor.
void show_that_it_is_dragged(ImVec2 from, ImVec2 to, float width) {
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  const float side = px(4), margin = px(6), middle = (from.y + to.y) / 2;
  if (width + 2 * (2 * margin + side) > to.x - from.x) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 ink = ImGui::GetColorU32(theme().faint);
  for (const float direction : {-1.0f, 1.0f}) {
    const float tip = direction < 0 ? from.x + margin : to.x - margin;
    list.AddTriangleFilled({tip, middle}, {tip - direction * side, middle + direction * side},
                           {tip - direction * side, middle - direction * side}, ink);
  }
}

}  // namespace

bool answer_letters() {
  constexpr std::string_view of_numbers = "0123456789.,+-*/eE ";
  const bool some = std::ranges::any_of(ImGui::GetIO().InputQueueCharacters, [of_numbers](ImWchar letter) {
    return letter >= ' ' && (letter > '~' || of_numbers.find(static_cast<char>(letter)) == std::string_view::npos);
  });
  if (some) ui_state().typed_number.remark = only_numbers;
  return some;
}

// ImGui's own limit says nothing before the second click: the window sets it for each press, by when that came. Frames
// that take longer have one press or release each, so that the second click may come with the third.
bool slider_awaits_click() {
  constexpr double double_click = 0.3;  // seconds
  constexpr int frames = 3;
  const SliderClick& click = ui_state().slider_click;
  const double left = double_click - (ImGui::GetTime() - click.since);
  if (click.slider == 0 || (left < 0 && ImGui::GetFrameCount() > click.frame + frames)) return false;
  draw_again_in(std::max(left, 0.0) + 0.01);
  return true;
}

bool slider(const char* id, float* value, float low, float high, const char* format, int flags, float width) {
  return draw(id, value, low, high, format, flags, width);
}

bool slider(const char* id, int* value, int low, int high, const char* format, int flags, float width) {
  return draw(id, value, low, high, format, flags, width);
}

bool drag_number(const char* id, float* value, float speed, float low, float high, const char* format) {
  const float given = *value;
  ImGui::PushID(id);
  without_text("##drag", value, [&](const char* name) {
    double typed = *value;
    const double least = low, most = high;
    const bool typing = type_number(ImGui::GetID(name), typed, least, most, [&](double* number) {
      ImGui::DragScalar(name, ImGuiDataType_Double, number, speed, &least, &most, format);
    });
    if (typing)
      *value = static_cast<float>(typed);
    else
      ImGui::DragFloat(name, value, speed, low, high, format, low < high ? ImGuiSliderFlags_AlwaysClamp : 0);
    if (!std::isfinite(*value)) *value = given;
  });
  const bool changed = std::isfinite(*value) && *value != given;
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
  show_that_it_is_dragged(from, to, width);
  return changed;
}

}  // namespace convoscope::ui
