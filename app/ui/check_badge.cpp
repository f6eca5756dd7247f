#include "app/ui/check_badge.h"

#include <algorithm>
#include <cmath>

#include "app/ui/format.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {
namespace {

using State = CheckResult::State;

std::string counted(std::int64_t count, const char* one, const char* many) {
  return format_count(count) + " " + (count == 1 ? one : many);
}

std::string error_text(double value, PixelFormat format) {
  if (value == 0) return "0";
  return format_number(value) + (format == PixelFormat::rgba8 ? " of a code value" : "");
}

}  // namespace

std::string check_text(const CheckResult& check, PixelFormat format) {
  const std::string place = "(" + std::to_string(check.x) + ", " + std::to_string(check.y) + ")";
  const std::string checked = counted(check.pixels, "pixel", "pixels") + " of " +
                              counted(check.frames, "frame", "frames") + " compared since the last change.";
  switch (check.state) {
    case State::none:
      return {};
    case State::running:
      return "Being compared with the reference, in double precision and in the background.";
    case State::impossible:
      return "Not compared with the reference: " + check.reason;
    case State::right:
      return "Agrees with the reference. The largest error beyond rounding is " + error_text(check.max_error, format) +
             (check.max_error > 0 ? ", at " + place : "") + "; " + error_text(check.tolerance, format) +
             " is permitted. " + checked;
    case State::wrong:
      return "Wrong at " + place + " of frame " + format_count(check.frame) + ": the reference is " +
             format_number(check.expected, 6) + ", the output " + format_number(check.actual, 6) +
             ". The error beyond rounding is " + error_text(check.max_error, format) + "; " +
             error_text(check.tolerance, format) + " is permitted. " + checked + " Click to go there.";
  }
  return {};
}

void draw_check_badge(const CheckResult& check, PixelFormat format, ImDrawList& list, ImVec2 centre, float size) {
  if (check.state == State::none) return;
  const Theme& t = theme();
  const float radius = size / 2;
  switch (check.state) {
    case State::right:
      list.AddCircleFilled(centre, radius, with_alpha(t.good, 0.22f), 24);
      draw_icon(list, Icon::check, centre, std::round(size * 0.62f), t.good);
      break;
    case State::wrong:
      list.AddCircleFilled(centre, radius, t.error, 24);
      draw_icon(list, Icon::close, centre, std::round(size * 0.5f), t.on_accent);
      break;
    default:
      list.AddCircle(centre, radius - px(1), t.faint, 24, px(1.5f));
      if (check.state == State::impossible)
        list.AddRectFilled({centre.x - radius / 2, centre.y - px(1)}, {centre.x + radius / 2, centre.y + px(1)},
                           t.faint);
  }
  const ImVec2 from{centre.x - radius, centre.y - radius}, to{centre.x + radius, centre.y + radius};
  mark_item("check-badge", from, to);
  const ImGuiIO& io = ImGui::GetIO();
  const bool hovered = !io.WantCaptureMouse && io.MousePos.x >= from.x && io.MousePos.x < to.x &&
                       io.MousePos.y >= from.y && io.MousePos.y < to.y;
  if (!hovered) return;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(11), px(8)));
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(px(320));
  ImGui::TextUnformatted(shortened(check_text(check, format)).c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
  if (check.state == State::wrong) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
}

}  // namespace convoscope::ui
