// What a card says: one line, or all about its pane. Drawn behind the windows; picture_mouse.cpp has the clicks.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/cards/check_badge.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/places/on_screen.h"
#include "app/ui/places/stage_places.h"
#include "app/ui/results/history_graph.h"

namespace convoscope::ui {
namespace {

struct Pen {
  ImDrawList& list;
  float x, y, width;
  void clipped_line(Font face, ImU32 ink, const std::string& text, float advance) {
    draw_clipped(list, face, {x, y}, ink, text, width);
    y += advance;
  }
};

std::string title_of(const PaneSettings& pane, const PaneStats* measured, const Stats& stats) {
  if (pane.strategy == "source") return unfiltered_title(stats.source);
  const StrategyRow* const row = find_row(stats, pane.strategy);
  const bool is_measured = measured && measured->strategy == pane.strategy && !measured->title.empty();
  if (is_measured && (!row || measured->title != row->strategy->title)) return measured->title;
  return row ? title_here(stats, *row) : pane.strategy;
}

std::string filter_text(const PaneSettings& pane, const PaneStats* measured, const Settings& settings,
                        const SampleDepth& depth) {
  if (pane.strategy == "source") {
    const std::string lost = depth_loss(depth);
    return "no filter" + (lost.empty() ? "" : "  ·  " + lost);
  }
  if (has_bank(settings)) return work_text(pane, settings);
  const Filter& f = pane.filter.filter;
  const bool one_frame = !over_frames(work_of(settings));
  const bool told = one_frame && measured && !measured->filter.empty() && pane.filter.kind != "custom";
  return (told ? measured->filter : work_text(pane, settings)) + "  ·  " + std::to_string(f.width) + " × " +
         std::to_string(f.height) + "  ·  " + std::string(to_string(pane.border));
}

// What the model's counts and the measured median give together.
std::string throughput(const PaneStats& pane) {
  const double seconds = pane.kernel.median() * 1e-3;
  if (!(seconds > 0) || !(pane.cost.flop > 0)) return {};
  return format_si(pane.cost.dram_bytes / seconds, "B/s") + "   " + format_si(pane.cost.flop / seconds, "FLOP/s");
}

constexpr float numbers_height = 38, history_height = 40;

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
                                    in_seconds(n.value) ? format_milliseconds(n.value) : format_ms(n.value));
    if (!in_seconds(n.value)) draw_text(pen.list, Font::small, {end + px(3), pen.y + px(16)}, theme().faint, "ms");
    x += each;
  }
  pen.y += px(numbers_height);
}

void draw_full(Pen pen, int index, const Settings& settings, const PaneStats* measured, const Stats& stats,
               float reserved) {
  const Theme& t = theme();
  const PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(index)];
  const std::string number = std::to_string(index + 1);
  pen.width -= reserved;
  pen.clipped_line(Font::title, t.text, number + "  " + pane.strategy, px(24));
  pen.width += reserved;
  const bool is_of_choice = measured && measured->strategy == pane.strategy;
  const std::string name = is_of_choice ? measured->name() : pane.strategy;
  const bool network = is_of_choice && !measured->layers.empty();
  std::string strategy = network                 ? std::to_string(measured->layers.size()) + " layers: " + name
                         : name != pane.strategy ? name
                                                 : title_of(pane, measured, stats);
  if (const std::string type = own_type(pane, work_of(settings)); !type.empty()) strategy += "  ·  " + type;
  pen.clipped_line(Font::small, t.text, strategy, px(16));
  pen.clipped_line(Font::small, t.dim, filter_text(pane, measured, settings, stats.source.depth), px(18));
  if (is_of_choice && is_emulated(stats, *measured)) {
    draw_text(pen.list, Font::body, {pen.x, pen.y}, t.text, wrapped(Font::body, why_untimed, pen.width));
    pen.y += px(numbers_height + history_height);
  } else if (pane.strategy != "source" && measured) {
    draw_numbers(pen, measured->kernel);
    if (const Doubt doubt = measured->doubt(); doubt != Doubt::none)  // what matters more than how they came
      draw_text(pen.list, Font::small, {pen.x, pen.y}, t.warning,
                first_lines(Font::small, wrapped(Font::small, why_doubtful(doubt), pen.width), 2, pen.width));
    else
      draw_history(measured->kernel, pen.list, {pen.x, pen.y}, {pen.x + pen.width, pen.y + px(history_height - 6)});
    pen.y += px(history_height);
  }
  const bool moves = !stats.source.still && !settings.playback.paused;
  const double rate = measured && moves ? measured->pictures_a_second : 0;
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

void draw_line(const Area& card, const CardLine& line, bool active, ImDrawList& list) {
  const Theme& t = theme();
  const Font strong = line.small ? Font::small : Font::strong, body = line.small ? Font::small : Font::body;
  const float gap = px(line.small ? 5 : 8);
  float x = card.x + gap;
  const auto say = [&](Font face, ImU32 ink, const std::string& text) {
    if (text.empty()) return;
    x += gap + draw_text(list, face, {x, std::round(card.y + (card.height - font_size(face)) / 2)}, ink, text);
  };
  say(strong, active ? t.accent : t.dim, line.number);
  say(strong, t.text, line.id);
  say(strong, t.accent, line.type);
  say(body, t.dim, line.title);
  for (const std::string* const shown : {&line.id, &line.title}) watch_tip(*shown);  // the card opens under the mouse
  say(body, line.doubted ? t.warning : t.accent, line.median);
  say(body, t.dim, line.interval);
}

// `tip`: makes the text, when it is wanted.
template <class Tip>
void draw_part(ImDrawList& list, const Area& part, Icon icon, ImU32 ink, const Tip& tip) {
  if (part.width <= 0) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = !ImGui::GetIO().WantCaptureMouse && part.contains(mouse.x, mouse.y);
  if (hovered) {
    list.AddRectFilled(part.from(), part.to(), with_alpha(theme().text, 0.14f), px(4));
    tooltip_beside(tip(), part.from(), part.to());
  }
  draw_icon(list, icon, {part.x + part.width / 2, part.y + part.height / 2}, part.width * 0.62f, ink);
}

void draw_badge(const Area& part, const PaneStats& measured, const Settings& settings, ImDrawList& list) {
  const Theme& t = theme();
  const CheckBadge badge = check_badge(&measured);
  const auto [icon, colour] = badge == CheckBadge::wrong        ? std::pair(Icon::warning, t.error)
                              : badge == CheckBadge::rests      ? std::pair(Icon::pause, t.dim)
                              : badge == CheckBadge::impossible ? std::pair(Icon::information, t.warning)
                                                                : std::pair(Icon::check, t.good);
  draw_part(list, part, icon, colour, [&] { return badge_text(badge, measured, settings.format); });
}

void draw_parts(const CardParts& parts, const PaneSettings& pane, const PaneStats* measured, const Settings& settings,
                ImDrawList& list) {
  const Theme& t = theme();
  draw_part(list, parts.close, Icon::close, t.dim, [] { return "Close this pane" + keys_of(action::close_pane); });
  draw_part(list, parts.hide, Icon::overlay, t.dim, [] { return "Hide this label" + keys_of(action::next_label); });
  const bool kept = pane.card.shape == CardShape::open;
  draw_part(list, parts.fold, kept ? Icon::chevron_down : Icon::chevron_right, kept ? t.accent : t.dim,
            [&] { return (kept ? "Show the short label" : "Keep the full label") + keys_of(action::next_label); });
  draw_part(list, parts.link, pane.linked ? Icon::link : Icon::link_off, pane.linked ? t.accent : t.faint, [&] {
    return (pane.linked ? "Its filter and border follow those of the other linked panes. Click to unlink it."
                        : "It has its own filter and border. Click to link it with the others.") +
           keys_of(action::link_pane);
  });
  if (measured) draw_badge(parts.badge, *measured, settings, list);
}

// `over`: another card that is open and lies over this one. What it covers is out of reach.
void draw_card(int index, const Stats& stats, const Settings& settings, const UiLayout& layout, const Area& over,
               ImDrawList& list) {
  const Theme& t = theme();
  CardParts parts = card_parts(stats, settings, layout, index);
  if (parts.card.width <= 0) return;
  for (Area* const part : {&parts.close, &parts.hide, &parts.fold, &parts.link, &parts.badge})
    if (overlap(*part, over)) *part = {};
  const PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(index)];
  const PaneStats* const measured = stats_of(stats, pane);
  const ImVec2 from = parts.card.from(), to = parts.card.to();
  const bool active = settings.group().panes.size() > 1 && index == settings.group().active_pane;
  const float rounding = px(parts.open ? 9 : 5);
  list.AddRectFilled(from, to, parts.open ? with_alpha(t.card | IM_COL32_A_MASK, 0.94f) : t.card, rounding);
  if (active) list.AddRectFilled({from.x, from.y + rounding}, {from.x + px(3), to.y - rounding}, t.accent);
  list.PushClipRect(from, to, true);
  if (parts.open) {
    const float padding = px(13);
    float first = to.x - padding;  // where the parts begin
    for (const Area* part : {&parts.close, &parts.hide, &parts.fold, &parts.link, &parts.badge})
      if (part->width > 0) first = std::min(first, part->x - px(4));
    const Pen pen{list, from.x + padding, from.y + px(11), parts.card.width - 2 * padding};
    draw_full(pen, index, settings, measured, stats, to.x - padding - first);
  } else {
    draw_line(parts.card, parts.line, active, list);
  }
  draw_parts(parts, pane, measured, settings, list);
  list.PopClipRect();
  const std::string name = "card/" + std::to_string(index + 1);
  take_place(name, parts.card, ui_state().hovered_card.open && ui_state().hovered_card.pane == pane.id);
  const std::pair<const char*, const Area*> named[] = {{"/close", &parts.close},
                                                       {"/hide", &parts.hide},
                                                       {"/fold", &parts.fold},
                                                       {"/link", &parts.link},
                                                       {"/badge", &parts.badge}};
  for (const auto& [part, area] : named)
    if (area->width > 0) mark_item(name + part, area->from(), area->to());
}

}  // namespace

std::string pane_title(const PaneSettings& pane, const Stats& stats) {
  return title_of(pane, stats_of(stats, pane), stats);
}

// An open one lies over its neighbours.
void draw_cards(const Stats& stats, const Settings& settings, const UiLayout& layout, ImDrawList& list) {
  ui_state().before_cards = places_taken();
  ui_state().cards_without_room.clear();
  if (!shows_cards(settings)) return;
  const int count = static_cast<int>(settings.group().panes.size());
  for (int i = 0; i < count; ++i)
    if (!has_room_to_open(stats, settings, layout, i))
      ui_state().cards_without_room.insert(settings.group().panes[static_cast<std::size_t>(i)].id);
  const HoveredCard& hovered = ui_state().hovered_card;
  const auto is_over = [&](int i) {
    return hovered.open && settings.group().panes[static_cast<std::size_t>(i)].id == hovered.pane;
  };
  Area open;
  for (int i = 0; i < count; ++i)
    if (is_over(i)) open = card_parts(stats, settings, layout, i).card;
  for (const bool over : {false, true})
    for (int i = 0; i < count; ++i)
      if (is_over(i) == over) draw_card(i, stats, settings, layout, over ? Area() : open, list);
}

}  // namespace convoscope::ui
