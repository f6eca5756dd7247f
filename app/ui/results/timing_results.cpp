// What the panes' times say about each other: medians with their intervals, and speed-ups only where one was seen.
#include "app/ui/results/timing_results.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/measure/bootstrap.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "kernels/text/number_text.h"

namespace convoscope::ui {
namespace {

// A factor below 1 is turned around: "56× slower".
std::string times_text(double factor) {
  return format_number(factor < 1 ? 1 / factor : factor) + "×  " + (factor < 1 ? "slower" : "faster");
}

// Then a speed-up is no strategy's merit. In a layer all panes have the same bank.
bool is_of_other_filter(const PaneStats& pane, const PaneStats* baseline) {
  return baseline && !pane.wall && !baseline->wall && pane.filter != baseline->filter;
}

// "1.83 to 3.3 times slower", the nearer to 1 first; of an interval on both sides of 1 each end by itself.
std::string interval_text(const Interval& interval) {
  const auto times = [](double factor) { return format_number(factor < 1 ? 1 / factor : factor); };
  const bool slower = interval.high < 1, faster = interval.low >= 1;
  if (!slower && !faster) return "from " + times_text(interval.low) + " to " + times_text(interval.high);
  const double near = slower ? interval.high : interval.low, far = slower ? interval.low : interval.high;
  return times(near) + " to " + times(far) + " times " + (slower ? "slower" : "faster");
}

// What stands at the right of a pane's second line, and its ink.
std::pair<std::string, ImU32> verdict(const PaneStats& pane, const PaneStats* baseline) {
  const Theme& t = theme();
  if (&pane == baseline) return {"baseline", t.faint};
  if (!pane.speed_up) return {"", t.faint};
  const bool other = is_of_other_filter(pane, baseline);
  if (!pane.speed_up->seen) return {other ? "other filter, no difference seen" : "no difference seen", t.dim};
  const std::string text = times_text(pane.speed_up->factor);
  if (other) return {text + ", other filter", t.dim};
  return {text, pane.speed_up->factor < 1 ? t.dim : t.good};
}

// "12 of 30 frames so far": until then no interval is told.
std::string frames_so_far(const RollingTimes& times) {
  return std::to_string(std::min(times.count(), bootstrap_fewest)) + " of " + std::to_string(bootstrap_fewest) +
         " frames so far";
}

std::string explanation(const PaneStats& pane, int number, const PaneStats* base) {
  const std::string baseline = base ? shortened(base->name_and_type(), 60) : "the baseline";
  const RollingTimes& times = pane.kernel;
  std::string text = "Pane " + std::to_string(number) + ", " + counted(times.count(), "time") + ".\n";
  if (pane.doubt() != Doubt::none) text += std::string(why_doubtful(pane.doubt())) + "\n";
  if (pane.median_interval)
    text += "The median lies between " + format_ms(pane.median_interval->low) + " and " +
            format_milliseconds(pane.median_interval->high) + " (95 %, bootstrap of blocks of 10 frames).\n";
  else
    text += "An interval takes " + std::to_string(bootstrap_fewest) + " measured frames; there are " +
            frames_so_far(times) +
            (times.window() < bootstrap_fewest ? ", and the statistics keep " + std::to_string(times.window()) : "") +
            ". First launches, and the frames around a change, are not measured.\n";
  text += "p05 " + format_ms(times.p05()) + ", p95 " + format_ms(times.p95()) + ", p99 " + format_ms(times.p99()) +
          ", min " + format_milliseconds(times.min()) + ".\n";
  if (times.count() > 1) text += "The spread (p95 − p05) is " + format_milliseconds(times.p95() - times.p05()) + ".\n";
  if (pane.speed_up && pane.speed_up->seen)
    text += "Against " + baseline + ": " + times_text(pane.speed_up->factor) + " (" +
            interval_text(pane.speed_up->interval) + ").\n";
  else if (pane.speed_up)
    text +=
        "The intervals overlap, or differ by less than half a microsecond or 0.5 %, so this pane is called neither "
        "faster nor slower than " +
        baseline + ".\n";
  if (pane.speed_up && is_of_other_filter(pane, base))
    text += "The filters differ: " + shortened(pane.filter, 60) + " here, " + shortened(base->filter, 60) +
            " there. So the times compare different work, not strategies.\n";
  return text + (&pane == base ? "Speed-ups are relative to this pane."
                               : "Click to show speed-ups relative to this pane" + keys_of(action::baseline) + ".");
}

void draw_row(const PaneStats& pane, int position, const PaneStats* baseline, bool emulated, Settings& settings) {
  const Theme& t = theme();
  const bool is_baseline = position == settings.group().baseline_pane;
  const float width = std::max(ImGui::GetContentRegionAvail().x, px(40)), height = px(39);
  const std::string id = "baseline/" + std::to_string(position + 1);
  if (ImGui::InvisibleButton(("##" + id).c_str(), {width, height})) settings.group().baseline_pane = position;
  mark_item(id);
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered) list.AddRectFilled(from, to, with_alpha(t.text, 0.06f), px(5));
  if (is_baseline) list.AddRectFilled({from.x, from.y + px(4)}, {from.x + px(3), to.y - px(4)}, t.accent, px(1));
  const float left = from.x + px(10), right = to.x - px(4), first = from.y + px(3), second = from.y + px(21);
  const auto right_text = [&](Font font, float y, ImU32 ink, const std::string& text) {
    const float x = right - text_size(font, text).x;
    draw_text(list, font, {x, y}, ink, text);
    return x;
  };
  const bool doubted = !emulated && pane.doubt() != Doubt::none;
  const float x =
      right_text(Font::strong, first, position == settings.group().active_pane ? t.accent : t.text,
                 emulated ? "not timed" : (doubted ? "? " : "") + format_milliseconds(pane.kernel.median()));
  const std::string name = std::to_string(position + 1) + "  " + pane.name_and_type();
  const std::string name_shown = clipped(Font::body, name, x - left - px(8));
  draw_text(list, Font::body, {left, first}, t.text, name_shown);
  const auto [text, ink] = emulated  ? std::pair(std::string("emulated"), t.dim)
                           : doubted ? std::pair(std::string(), t.dim)
                                     : verdict(pane, baseline);
  const float end = right_text(Font::small, second, ink, text);
  std::string detail = pane.median_interval ? format_interval(pane.median_interval->low, pane.median_interval->high)
                       : emulated           ? ""
                                            : frames_so_far(pane.kernel);
  if (pane.kernel.count() > 1) detail += "   spread " + format_milliseconds(pane.kernel.p95() - pane.kernel.p05());
  if (doubted) detail = why_doubtful(pane.doubt());
  const std::string detail_shown = clipped(Font::small, detail, end - left - px(8));
  draw_text(list, Font::small, {left, second}, doubted ? t.warning : t.dim, detail_shown);
  const std::string tip = !hovered ? std::string() : emulated ? why_untimed : explanation(pane, position + 1, baseline);
  tooltip(with_whole(name, name_shown, with_whole(detail, detail_shown, tip)));
}

}  // namespace

void draw_results(const Stats& stats, Settings& settings) {
  const auto is_timed = [](const PaneStats& pane) { return pane.strategy != "source" && pane.problem.empty(); };
  if (std::none_of(stats.panes.begin(), stats.panes.end(), is_timed)) return;
  const auto base = static_cast<std::size_t>(std::max(settings.group().baseline_pane, 0));
  const PaneStats* const baseline = base < stats.panes.size() ? &stats.panes[base] : nullptr;
  heading("KERNELS, MEDIAN AND ITS 95 % INTERVAL");
  tooltip(
      "The strategies run in a new random order in every frame. First launches, and the frames around a change to any "
      "pane, are left out. The spread is p95 − p05.");
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(2)));
  for (std::size_t i = 0; i < stats.panes.size(); ++i)
    if (const PaneStats& pane = stats.panes[i]; is_timed(pane))
      draw_row(pane, static_cast<int>(i), baseline, is_emulated(stats, pane), settings);
  ImGui::PopStyleVar();
}

}  // namespace convoscope::ui
