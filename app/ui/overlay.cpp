// The cards on the picture: what each pane's strategy costs. Drawn behind the windows, and they take no clicks.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/filter_actions.h"
#include "app/ui/format.h"
#include "app/ui/panels.h"
#include "app/ui/strategy_actions.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {
namespace {

struct Pen {
  ImDrawList& list;
  float x, y, width;
  void clipped_line(Font face, ImU32 ink, const std::string& text, float advance) {
    push_font(face);
    const std::string shown = clipped(text, width);
    pop_font();
    draw_text(list, face, {x, y}, ink, shown);
    y += advance;
  }
};

std::string title_of(const PaneSettings& pane, const PaneStats* measured, const Stats& stats) {
  if (pane.strategy == "source") return "Source, unfiltered";
  if (measured && measured->strategy == pane.strategy && !measured->title.empty()) return measured->title;
  const StrategyRow* const row = find_row(stats, pane.strategy);
  return row ? std::string(row->strategy->title) : pane.strategy;
}

std::string filter_text(const PaneSettings& pane, const PaneStats* measured) {
  if (pane.strategy == "source") return "no filter";
  const Filter& f = pane.filter.filter;
  const bool told = measured && !measured->filter.empty() && pane.filter.kind != "custom";
  return (told ? measured->filter : display_name(pane.filter)) + "  ·  " + std::to_string(f.width) + " × " +
         std::to_string(f.height) + "  ·  " + std::string(to_string(pane.border));
}

// What the model's counts and the measured median give together.
std::string throughput(const PaneStats& pane) {
  const double seconds = pane.kernel.median() * 1e-3;
  if (!(seconds > 0) || !(pane.cost.flop > 0)) return {};
  return format_si(pane.cost.dram_bytes / seconds, "B/s") + "   " + format_si(pane.cost.flop / seconds, "FLOP/s");
}

void draw_numbers(Pen& pen, const RollingTimes& times) {
  struct Number {
    const char* name;
    double value;
  };
  const Number numbers[] = {
      {"last", times.last()}, {"median", times.median()}, {"p95", times.p95()}, {"min", times.min()}};
  const float each = pen.width / 4;
  float x = pen.x;
  for (const Number& n : numbers) {
    const bool main = n.value == numbers[1].value && &n == &numbers[1];
    draw_text(pen.list, Font::small, {x, pen.y}, theme().dim, n.name);
    const float end = x + draw_text(pen.list, Font::strong, {x, pen.y + px(14)}, main ? theme().accent : theme().text,
                                    format_ms(n.value));
    draw_text(pen.list, Font::small, {end + px(3), pen.y + px(16)}, theme().faint, "ms");
    x += each;
  }
  pen.y += px(38);
}

void draw_full(Pen pen, const PaneSettings& pane, const PaneStats* measured, const Stats& stats) {
  const Theme& t = theme();
  pen.clipped_line(Font::title, t.text, title_of(pane, measured, stats), px(24));
  pen.clipped_line(Font::small, t.dim, filter_text(pane, measured), px(20));
  if (pane.strategy != "source" && measured) {
    draw_numbers(pen, measured->kernel);
    draw_history(measured->kernel, pen.list, {pen.x, pen.y}, {pen.x + pen.width, pen.y + px(40)});
    pen.y += px(46);
  }
  const double rate = frames_a_second(stats);
  const std::string left = rate > 0 ? format_number(rate, rate < 100 ? 3 : 4) + " fps" : "";
  draw_text(pen.list, Font::strong, {pen.x, pen.y}, t.text, left);
  if (!measured || pane.strategy == "source") return;
  const std::string work = throughput(*measured);
  if (work.empty()) return;
  const std::string tag = "  model";
  const float tag_width = text_size(Font::small, tag).x, work_width = text_size(Font::body, work).x;
  const float x = pen.x + pen.width - tag_width - work_width;
  draw_text(pen.list, Font::body, {x, pen.y}, t.text, work);
  draw_text(pen.list, Font::small, {x + work_width, pen.y + px(2)}, t.faint, tag);
}

void draw_compact(Pen pen, const PaneSettings& pane, const PaneStats* measured, const Stats& stats) {
  pen.clipped_line(Font::strong, theme().text, title_of(pane, measured, stats), px(18));
  const double rate = frames_a_second(stats);
  std::string numbers =
      pane.strategy == "source" || !measured ? "" : "median " + format_milliseconds(measured->kernel.median());
  if (rate > 0) numbers += (numbers.empty() ? "" : "  ·  ") + format_number(rate, 3) + " fps";
  pen.clipped_line(Font::small, theme().dim, numbers, 0);
}

void draw_card(const Area& area, int index, const Stats& stats, const Settings& settings, ImDrawList& list) {
  const Theme& t = theme();
  const PaneSettings& pane = settings.panes[static_cast<std::size_t>(index)];
  const PaneStats* const measured =
      static_cast<std::size_t>(index) < stats.panes.size() ? &stats.panes[static_cast<std::size_t>(index)] : nullptr;
  const float margin = px(12), padding = px(13);
  const bool compact = area.width < px(420) || area.height < px(300);
  const bool measured_card = pane.strategy != "source" && measured;
  const float width = std::min(px(compact ? 220 : 318), area.width - 2 * margin);
  const float height = compact ? px(52) : px(measured_card ? 172 : 88);
  if (width < px(70) || area.height < height + 2 * margin) return;
  const ImVec2 from{area.x + margin, area.y + margin}, to{from.x + width, from.y + height};
  list.AddRectFilled(from, to, t.card, px(9));
  if (settings.panes.size() > 1 && index == settings.active_pane)
    list.AddRectFilled({from.x, from.y + px(9)}, {from.x + px(3), to.y - px(9)}, t.accent);
  list.PushClipRect(from, to, true);
  const Pen pen{list, from.x + padding, from.y + px(compact ? 8 : 11), width - 2 * padding};
  compact ? draw_compact(pen, pane, measured, stats) : draw_full(pen, pane, measured, stats);
  list.PopClipRect();
}

// A pane that cannot run says so in its middle, where the picture would be looked for.
void draw_problem(const Area& area, const std::string& whole_problem, ImDrawList& list) {
  const std::string problem = shortened(whole_problem, 600);
  const Theme& t = theme();
  const float width = std::min(px(420), area.width - px(24)), padding = px(14);
  if (width < px(80)) return;
  const float wrap = width - 2 * padding - px(26), size = font_size(Font::body);
  const ImVec2 extent = font(Font::body)->CalcTextSizeA(size, FLT_MAX, wrap, problem.c_str());
  const float height = extent.y + 2 * padding;
  const ImVec2 from{std::round(area.x + (area.width - width) / 2), std::round(area.y + (area.height - height) / 2)};
  list.AddRectFilled(from, {from.x + width, from.y + height}, t.card, px(9));
  draw_icon(list, Icon::warning, {from.x + padding + px(8), from.y + padding + size * 0.6f}, px(17), t.warning);
  list.AddText(font(Font::body), size, {from.x + padding + px(26), from.y + padding}, t.text, problem.c_str(), nullptr,
               wrap);
}

}  // namespace

void draw_history(const RollingTimes& times, ImDrawList& list, ImVec2 from, ImVec2 to) {
  const Theme& t = theme();
  list.AddRectFilled(from, to, with_alpha(t.text, 0.06f), px(4));
  const int count = times.count();
  if (count < 2) return;
  const float median = static_cast<float>(times.median());
  // A single outlier must not flatten the rest: it leaves the graph at the top.
  const float top = static_cast<float>(std::max({times.p95() * 1.3, static_cast<double>(median) * 1.5, 1e-6}));
  const float width = to.x - from.x, height = to.y - from.y - px(4);
  const auto y_of = [&](float ms) { return to.y - px(2) - std::clamp(ms / top, 0.0f, 1.0f) * height; };
  const float step = width / static_cast<float>(count - 1);
  list.PushClipRect(from, to, true);
  for (int i = 0; i + 1 < count; ++i) {
    const float x0 = from.x + step * static_cast<float>(i), x1 = x0 + step;
    const float y0 = y_of(times.at(i)), y1 = y_of(times.at(i + 1));
    list.AddQuadFilled({x0, y0}, {x1, y1}, {x1, to.y}, {x0, to.y}, with_alpha(t.accent, 0.16f));
  }
  for (int i = 0; i < count; ++i) list.PathLineTo({from.x + step * static_cast<float>(i), y_of(times.at(i))});
  list.PathStroke(t.accent, 0, std::max(1.0f, px(1.25f)));
  const float y = std::round(y_of(median));
  for (float x = from.x; x < to.x; x += px(7))
    list.AddRectFilled({x, y}, {x + px(3), y + 1}, with_alpha(t.text, 0.55f));
  list.PopClipRect();
}

void draw_overlay(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  for (int i = 0; i < static_cast<int>(settings.panes.size()); ++i) {
    const Area area = pane_area(settings, layout, i);
    if (area.width < 1 || area.height < 1) continue;
    list.PushClipRect(area.from(), area.to(), true);
    if (settings.show_overlay) draw_card(area, i, stats, settings, list);
    if (const auto index = static_cast<std::size_t>(i);
        index < stats.panes.size() && !stats.panes[index].problem.empty())
      draw_problem(area, stats.panes[index].problem, list);
    list.PopClipRect();
  }
}

}  // namespace convoscope::ui
