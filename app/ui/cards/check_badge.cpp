#include "app/ui/cards/check_badge.h"

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"

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

CheckBadge check_badge(const PaneStats* pane) {
  if (!pane) return CheckBadge::none;
  if (pane->check.state == State::right) return CheckBadge::right;
  if (pane->check.state == State::wrong) return CheckBadge::wrong;
  if (pane->check.state == State::impossible) return pane->problem.empty() ? CheckBadge::impossible : CheckBadge::none;
  const bool learns = momentary().learning && pane->wall;
  return learns ? CheckBadge::rests : CheckBadge::none;
}

std::string badge_text(CheckBadge badge, const PaneStats& pane, PixelFormat format) {
  if (badge == CheckBadge::rests)
    return "Checking is paused while the layer learns, because every step changes the weights. It resumes when you "
           "pause.";
  return check_text(pane, format) + (badge == CheckBadge::wrong ? " Click to go there." : "");
}

std::string check_text(const PaneStats& pane, PixelFormat format) {
  const CheckResult& check = pane.check;
  const bool maps = pane.wall.has_value();  // floats, however the picture that shows them is stored
  if (maps) format = PixelFormat::gray32f;
  const std::string place = "(" + std::to_string(check.x) + ", " + std::to_string(check.y) + ")" +
                            (maps ? " of map " + std::to_string(check.channel + 1) : "");
  const std::string checked =
      (maps ? counted(check.pixels, "value", "values") : counted(check.pixels, "pixel", "pixels")) + " of " +
      counted(check.frames, "frame", "frames") + " compared since the last change.";
  switch (check.state) {
    case State::none:
      return {};
    case State::running:
      return "The output is being compared in the background with the reference, which computes in double precision.";
    case State::impossible:
      return "It is not compared with the reference: " + check.reason;
    case State::right:
      return "It agrees with the reference. The largest error beyond rounding is " +
             error_text(check.max_error, format) + (check.max_error > 0 ? ", at " + place : "") + "; " +
             error_text(check.tolerance, format) + " is permitted. " + checked;
    case State::wrong:
      return "It is wrong at " + place + " in frame " + format_count(check.frame) + ": the reference is " +
             with_minus(format_number(check.expected, 6)) + ", the output " +
             with_minus(format_number(check.actual, 6)) + ". The error beyond rounding is " +
             error_text(check.max_error, format) + "; " + error_text(check.tolerance, format) + " is permitted. " +
             checked;
  }
  return {};
}

}  // namespace convoscope::ui
