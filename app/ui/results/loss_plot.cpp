#include "app/ui/results/loss_plot.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr double most_decades = 12;  // below them all is one line

struct LossAxes {
  ImVec2 from, to;
  double low = 0.1, high = 1;  // whole powers of ten
  std::size_t points = 0;

  ImVec2 at(std::size_t i, double loss) const {
    const double part = loss > low ? std::log(loss / low) / std::log(high / low) : 0;
    return {from.x + share(i) * (to.x - from.x), to.y - static_cast<float>(part) * (to.y - from.y)};
  }
  std::size_t nearest(float x) const {
    const float part = std::clamp((x - from.x) / std::max(to.x - from.x, 1.0f), 0.0f, 1.0f);
    return static_cast<std::size_t>(std::lround(part * static_cast<float>(points - 1)));
  }

 private:
  float share(std::size_t i) const {
    return points > 1 ? static_cast<float>(i) / static_cast<float>(points - 1) : 0.0f;
  }
};

bool is_known(float loss) { return std::isfinite(loss) && loss >= 0; }

LossAxes loss_axes(const std::vector<float>& loss, ImVec2 from, ImVec2 to) {
  LossAxes axes{.from = from, .to = to, .points = loss.size()};
  double least = 0, most = 0;
  for (const float each : loss) {
    if (!is_known(each) || each == 0) continue;
    least = least > 0 ? std::min<double>(least, each) : each;
    most = std::max<double>(most, each);
  }
  if (!(most > 0)) return axes;
  const double top = std::ceil(std::log10(most));
  const double bottom = std::clamp(std::floor(std::log10(least)), top - most_decades, top - 1);
  axes.low = std::pow(10, bottom);
  axes.high = std::pow(10, top);
  return axes;
}

int exponent_of(double power) { return static_cast<int>(std::lround(std::log10(power))); }

// "0.01", or "10⁻²" where one of the axis cannot be written out.
std::string power_text(double power, bool is_written_out) {
  const int exponent = exponent_of(power);
  if (is_written_out || exponent == 0) return format_number(power, 4);
  return with_power("e" + std::to_string(exponent)).substr(std::string_view(" × ").size());
}

void draw_loss_axes(const LossAxes& axes, std::int64_t steps, ImDrawList& list) {
  const Theme& t = theme();
  list.AddRectFilled(axes.from, axes.to, with_alpha(t.text, 0.05f), px(4));
  const float line = font_size(Font::small);
  float free_above = axes.to.y + line;  // nothing is written higher than this
  const int decades = exponent_of(axes.high / axes.low);
  const bool is_written_out = std::max(std::abs(exponent_of(axes.low)), std::abs(exponent_of(axes.high))) <= 3;
  for (int i = 0; i <= decades; ++i) {
    const double power = axes.low * std::pow(10, i);
    const float y = std::round(axes.at(0, power).y);
    list.AddLine({axes.from.x, y}, {axes.to.x, y}, with_alpha(t.text, 0.12f));
    for (const int within : {2, 5})
      if (decades <= 2 && i < decades) {
        const float between = std::round(axes.at(0, power * within).y);
        list.AddLine({axes.from.x, between}, {axes.to.x, between}, with_alpha(t.text, 0.06f));
      }
    if (y + line / 2 > free_above) continue;
    const std::string text = power_text(power, is_written_out);
    draw_text(list, Font::small, {axes.from.x - px(4) - text_size(Font::small, text).x, std::round(y - line / 2)},
              t.faint, text);
    free_above = y - line;
  }
  const float below = axes.to.y + px(3);
  draw_text(list, Font::small, {axes.from.x, below}, t.faint, "0");
  const std::string last = format_count(steps) + (steps == 1 ? " step" : " steps");
  draw_text(list, Font::small, {axes.to.x - text_size(Font::small, last).x, below}, t.faint, last);
}

// Where another method was chosen on the way; in words where they have room beside the line.
void draw_marks(const LossAxes& axes, const std::vector<std::size_t>& marks, ImDrawList& list) {
  const char* const text = "method";
  const float width = text_size(Font::small, text).x;
  float free_from = axes.from.x;
  for (const std::size_t mark : marks) {
    const float x = std::round(axes.at(std::min(mark, axes.points - 1), axes.high).x);
    list.AddLine({x, axes.from.y}, {x, axes.to.y}, theme().warning, std::max(1.0f, px(1)));
    const float left = x + px(3) + width <= axes.to.x ? x + px(3) : x - px(3) - width;
    if (left < free_from) continue;
    draw_text(list, Font::small, {left, axes.from.y}, theme().faint, text);
    free_from = left + width;
  }
}

void draw_loss_line(const LossAxes& axes, const std::vector<float>& loss, ImDrawList& list) {
  const ImU32 ink = theme().accent;
  for (std::size_t i = 0; i + 1 < loss.size(); ++i)
    if (is_known(loss[i]) && is_known(loss[i + 1]))
      list.AddLine(axes.at(i, loss[i]), axes.at(i + 1, loss[i + 1]), ink, std::max(1.0f, px(1.5f)));
  if (!loss.empty() && is_known(loss.back()))
    list.AddCircleFilled(axes.at(loss.size() - 1, loss.back()), px(2.5f), ink);
}

}  // namespace

std::string loss_text(const LearnStats& learn, std::size_t point) {
  const std::size_t last = learn.loss.size() - 1;
  const double share = last > 0 ? static_cast<double>(point) / static_cast<double>(last) : 1;
  const auto step = std::llround(static_cast<double>(learn.steps) * share);
  return "Step " + format_count(step) + "\nLoss " + with_power(format_number(static_cast<double>(learn.loss[point])));
}

void draw_loss(const LearnStats& learn) {
  heading("LOSS");
  tooltip(
      "The mean squared difference between what the layer makes and what it should make, where values go from 0 to 1. "
      "Each horizontal line is a tenth of the one above it.");
  const float width = std::max(ImGui::GetContentRegionAvail().x, px(100)), height = px(132);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##loss", {width, height});
  mark_item("loss");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const LossAxes axes =
      loss_axes(learn.loss, {at.x + px(40), at.y + px(8)}, {at.x + width - px(4), at.y + height - px(20)});
  draw_loss_axes(axes, learn.steps, list);
  if (learn.loss.empty()) {
    const std::string text = "No steps yet.";
    const float room = axes.to.x - axes.from.x - px(8);
    const ImVec2 size = text_size(Font::small, text);
    draw_clipped(list, Font::small,
                 {std::round((axes.from.x + axes.to.x - std::min(size.x, room)) / 2),
                  std::round((axes.from.y + axes.to.y - size.y) / 2)},
                 theme().faint, text, room);
    return;
  }
  draw_marks(axes, learn.marks, list);
  draw_loss_line(axes, learn.loss, list);
  if (!ImGui::IsItemHovered()) return;
  const std::size_t i = axes.nearest(ImGui::GetIO().MousePos.x);
  if (is_known(learn.loss[i])) {
    const ImVec2 point = axes.at(i, learn.loss[i]);
    list.AddLine({point.x, axes.from.y}, {point.x, axes.to.y}, with_alpha(theme().text, 0.25f));
    list.AddCircleFilled(point, px(3.5f), theme().accent);
  }
  tooltip(loss_text(learn, i));
}

}  // namespace convoscope::ui
