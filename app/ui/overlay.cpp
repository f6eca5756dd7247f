// The cards on the picture: what each pane's strategy costs. Drawn behind the windows; picture_mouse.cpp has their
// clicks.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/cards.h"
#include "app/ui/check_badge.h"
#include "app/ui/filter_actions.h"
#include "app/ui/format.h"
#include "app/ui/keys.h"
#include "app/ui/pane_actions.h"
#include "app/ui/panels.h"
#include "app/ui/strategy_actions.h"
#include "app/ui/ui_state.h"
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

void draw_title(Pen& pen, Font face, const std::string& title, float reserved, float advance) {
  pen.width -= reserved;
  pen.clipped_line(face, theme().text, title, advance);
  pen.width += reserved;
}

void draw_full(Pen pen, const PaneSettings& pane, const PaneStats* measured, const Stats& stats, float reserved) {
  const Theme& t = theme();
  draw_title(pen, Font::title, title_of(pane, measured, stats), reserved, px(24));
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

void draw_compact(Pen pen, const PaneSettings& pane, const PaneStats* measured, const Stats& stats, float reserved) {
  draw_title(pen, Font::strong, title_of(pane, measured, stats), reserved, px(18));
  const double rate = frames_a_second(stats);
  std::string numbers =
      pane.strategy == "source" || !measured ? "" : "median " + format_milliseconds(measured->kernel.median());
  if (rate > 0) numbers += (numbers.empty() ? "" : "  ·  ") + format_number(rate, 3) + " fps";
  pen.clipped_line(Font::small, theme().dim, numbers, 0);
}

// `tip`: makes the text, when it is wanted.
template <class Tip>
void draw_part(ImDrawList& list, const Area& part, Icon icon, ImU32 ink, const Tip& tip) {
  if (part.width <= 0) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = !ImGui::GetIO().WantCaptureMouse && part.contains(mouse.x, mouse.y);
  if (hovered) {
    list.AddRectFilled(part.from(), part.to(), with_alpha(theme().text, 0.14f), px(4));
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(px(320));
    ImGui::TextUnformatted(tip().c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  draw_icon(list, icon, {part.x + part.width / 2, part.y + part.height / 2}, part.width * 0.62f, ink);
}

void draw_parts(const CardParts& parts, const PaneSettings& pane, const PaneStats* measured, PixelFormat format,
                ImDrawList& list) {
  const Theme& t = theme();
  draw_part(list, parts.close, Icon::close, t.dim, [] { return "Close this pane" + keys_of("Close the pane"); });
  draw_part(list, parts.link, pane.linked ? Icon::link : Icon::link_off, pane.linked ? t.accent : t.faint, [&] {
    return (pane.linked ? "Its filter and border follow the other linked panes. Click to set it free"
                        : "It has a filter and border of its own. Click to link it with the others") +
           keys_of("Link its filter with the others, or not");
  });
  if (!measured) return;
  const bool wrong = measured->check.state == CheckResult::State::wrong;
  draw_part(list, parts.badge, wrong ? Icon::warning : Icon::check, wrong ? t.error : t.good,
            [&] { return check_text(measured->check, format) + (wrong ? " Click to go there." : ""); });
}

void draw_card(int index, const Stats& stats, const Settings& settings, const UiLayout& layout, ImDrawList& list) {
  const Theme& t = theme();
  const CardParts parts = card_parts(stats, settings, layout, index);
  if (parts.card.width <= 0) return;
  const PaneSettings& pane = settings.panes[static_cast<std::size_t>(index)];
  const PaneStats* const measured = stats_of(stats, pane);
  const float padding = px(13);
  const ImVec2 from = parts.card.from(), to = parts.card.to();
  list.AddRectFilled(from, to, t.card, px(9));
  if (settings.panes.size() > 1 && index == settings.active_pane)
    list.AddRectFilled({from.x, from.y + px(9)}, {from.x + px(3), to.y - px(9)}, t.accent);
  list.PushClipRect(from, to, true);
  float first = to.x - padding;  // where the parts begin
  for (const Area* part : {&parts.close, &parts.link, &parts.badge})
    if (part->width > 0) first = std::min(first, part->x - px(4));
  const Pen pen{list, from.x + padding, from.y + px(parts.compact ? 8 : 11), parts.card.width - 2 * padding};
  const float reserved = to.x - padding - first;
  parts.compact ? draw_compact(pen, pane, measured, stats, reserved) : draw_full(pen, pane, measured, stats, reserved);
  draw_parts(parts, pane, measured, settings.format, list);
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

std::string pane_title(const PaneSettings& pane, const Stats& stats) {
  return title_of(pane, stats_of(stats, pane), stats);
}

CardParts card_parts(const Stats& stats, const Settings& settings, const UiLayout& layout, int index) {
  CardParts parts;
  const Area area = room_for_card(settings, layout, index);
  const PaneSettings& pane = settings.panes[static_cast<std::size_t>(index)];
  const PaneStats* const measured = stats_of(stats, pane);
  const float margin = px(12);
  parts.compact = area.width < px(420) || area.height < px(300);
  const bool measured_card = pane.strategy != "source" && measured;
  const float width = std::min(px(parts.compact ? 220 : 318), area.width - 2 * margin);
  const float height = parts.compact ? px(52) : px(measured_card ? 172 : 88);
  if (width < px(70) || area.height < height + 2 * margin) return parts;
  parts.card = {area.x + margin, area.y + margin, width, height};
  const float side = px(22);
  float x = parts.card.x + width - px(7);
  const auto take = [&](Area& part, bool there) {
    if (there && x - side > parts.card.x + px(60)) part = {x -= side, parts.card.y + px(7), side, side};
  };
  const bool several = settings.panes.size() > 1;
  take(parts.close, several);
  take(parts.link, several && pane.strategy != "source");
  take(parts.badge, measured && (measured->check.state == CheckResult::State::right ||
                                 measured->check.state == CheckResult::State::wrong));
  return parts;
}

namespace {

// Where the pane that is being dragged would go.
void draw_dragged_pane(const Stats& stats, const Settings& settings, const UiLayout& layout, ImDrawList& list) {
  const Grip& grip = ui_state().grip;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (grip.kind != Grip::Kind::pane || grip.index < 0 || grip.index >= static_cast<int>(settings.panes.size()) ||
      !ImGui::IsMouseDragging(0, px(4)))
    return;
  const int target = pane_at(settings, layout, mouse.x, mouse.y);
  if (target >= 0 && target != grip.index) {
    const Area area = pane_area(settings, layout, target);
    list.AddRectFilled(area.from(), area.to(), with_alpha(theme().accent, 0.16f));
    list.AddRect(area.from(), area.to(), theme().accent, 0, 0, px(3));
  }
  const std::string title = pane_title(settings.panes[static_cast<std::size_t>(grip.index)], stats);
  const ImVec2 size = text_size(Font::strong, title), from{mouse.x + px(12), mouse.y + px(8)};
  list.AddRectFilled(from, {from.x + size.x + px(18), from.y + size.y + px(10)}, theme().card, px(6));
  draw_text(list, Font::strong, {from.x + px(9), from.y + px(5)}, theme().text, title);
}

void draw_source_label(const UiLayout& layout, ImDrawList& list) {
  const std::string text = "Source, unfiltered";
  const ImVec2 size = text_size(Font::title, text);
  const Area area = picture_area(layout);
  const ImVec2 from{area.x + px(12), area.y + px(12)};
  list.AddRectFilled(from, {from.x + size.x + px(26), from.y + size.y + px(18)}, theme().card, px(9));
  draw_text(list, Font::title, {from.x + px(13), from.y + px(9)}, theme().text, text);
}

}  // namespace

void draw_overlay(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const bool difference = shown_view(settings) == View::difference && settings.panes.size() > 1;
  const Area whole = picture_area(layout);
  list.PushClipRect(whole.from(), whole.to(), true);
  if (settings.show_overlay && difference) draw_difference_card(stats, settings, layout, list);
  if (settings.show_overlay && settings.flick_pane == flick_source) draw_source_label(layout, list);
  list.PopClipRect();
  for (int i = 0; i < static_cast<int>(settings.panes.size()); ++i) {
    const Area area = pane_area(settings, layout, i);
    if (area.width < 1 || area.height < 1) continue;
    list.PushClipRect(area.from(), area.to(), true);
    if (settings.show_overlay && !difference && settings.flick_pane != flick_source)
      draw_card(i, stats, settings, layout, list);
    const PaneStats* const measured = stats_of(stats, settings.panes[static_cast<std::size_t>(i)]);
    if (measured && !measured->problem.empty()) draw_problem(area, measured->problem, list);
    list.PopClipRect();
  }
  draw_dragged_pane(stats, settings, layout, list);
}

}  // namespace convoscope::ui
