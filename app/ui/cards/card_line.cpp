// A card as one line: number, name of the strategy, filter, median with its interval, badge; of a source and of a
// layer, whose panes share one bank, the strategy's title in place of a filter. Where it is narrow the interval is left
// out first, then the filter is shortened and goes, then why there is no time, then the id is shortened: the time is
// what one looks for. It is never given to a strategy that did not take it, nor to another type: without its own type a
// pane has no time there. Of "separable → constant" what runs is shortened first, then its time goes, and at last what
// was chosen is shortened too; of "auto → constant" the time stays.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/state/workbench.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/cards/check_badge.h"
#include "app/ui/memory/filter_history.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/theme.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

// Half the interval's width with as many decimals as the median has. Of one that is as wide as the median itself, or
// does not lie evenly about it, the ends are told, as the panel tells them.
std::string spread_of(const Interval& interval, double milliseconds) {
  const double half = (interval.high - interval.low) / 2;
  if (!std::isfinite(half) || half < 0) return {};
  const double aside = std::abs((interval.low + interval.high) / 2 - milliseconds);
  if (half >= milliseconds || aside > half / 2 || in_seconds(milliseconds))
    return format_interval(interval.low, interval.high);
  const std::string median = format_ms(milliseconds);
  const std::size_t point = median.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(median.size() - point) - 1;
  char text[64];
  std::snprintf(text, sizeof text, "± %.*f", decimals, half);
  return text;
}

// By name or, where another pane has another of that name, with its parameters; empty where there is none. The source's
// pane counts: the Filter panel shows what it has while it is the active one.
std::string own_filter(const PaneSettings& pane, const Settings& settings) {
  if (pane.strategy == "source" || !has_filter(settings)) return {};
  const std::string name = work_text(pane, settings);
  bool needs_parameters = false, needs_border = false;
  for (const PaneSettings& other : settings.group().panes) {
    if (pane.linked && other.linked) continue;
    const bool same = same_filter(pane.filter, other.filter);
    needs_parameters |= !same && work_text(other, settings) == name;
    needs_border |= pane.border != other.border;
  }
  return (needs_parameters ? spec_text(pane.filter) : name) +
         (needs_border ? ", " + std::string(to_string(pane.border)) : "");
}

}  // namespace

CardLine card_line(const Stats& stats, const Settings& settings, int index, const Area& room, float pane_pixels) {
  const PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(index)];
  const PaneStats* const measured = stats_of(stats, pane);
  CardLine line;
  line.height = px(24);
  const auto budget = [&] { return std::floor(std::min(room.width, largest_card_share * pane_pixels / line.height)); };
  if (budget() < px(150)) {
    line.small = true;
    line.height = px(18);
  }
  const float most = budget(), gap = px(line.small ? 5 : 8);
  const Font strong = line.small ? Font::small : Font::strong, body = line.small ? Font::small : Font::body;
  float used = 2 * gap;
  const auto take = [&](std::string& part, Font face, const std::string& text) {
    const float width = text_size(face, text).x + (used > 2 * gap ? gap : 0);
    if (text.empty() || used + width > most) return false;
    part = text;
    used += width;
    return true;
  };
  if (room.height < line.height || !take(line.number, strong, std::to_string(index + 1))) return {};
  if (check_badge(measured) != CheckBadge::none) {
    line.badge = used + line.height <= most;
    if (line.badge) used += line.height;
  }
  const std::string type = own_type(pane, work_of(settings));
  const bool says_type = type.empty() || take(line.type, strong, type);
  // What learns keeps the cores or the device busy, so that no time counts; that from before is another moment's.
  const bool learns = momentary().learning && has_bank(settings) && measured && pane.strategy != "source";
  const bool timed = says_type && measured && !learns && pane.strategy != "source";
  const double median = timed ? measured->kernel.median() : 0;
  const bool emulated = measured && measured->strategy == pane.strategy && is_emulated(stats, *measured);
  line.doubted = median > 0 && measured->doubt() != Doubt::none;
  std::string time = median > 0 ? (line.doubted ? "? " : "") + format_milliseconds(median)
                     : emulated ? "emulated, not timed"
                     : learns   ? "learns, untimed"
                                : "";
  const auto width_of = [&](const std::string& text) { return text.empty() ? 0 : text_size(body, text).x + gap; };
  const bool is_of_choice = measured && measured->strategy == pane.strategy;
  const std::string name = is_of_choice ? measured->name() : pane.strategy;
  // That there is none is said only beside the name.
  const auto crowds_name_out = [&] { return used + width_of(time) + gap + text_size(strong, name).x > most; };
  for (const char* const shorter : {emulated ? "emulated" : "untimed", ""})
    if (median <= 0 && !time.empty() && crowds_name_out()) time = shorter;
  const float kept = used + width_of(time) <= most ? width_of(time) : 0;  // for the time
  const auto take_name = [&](const std::string& text) {
    return used + kept + gap + text_size(strong, text).x <= most && take(line.id, strong, text);
  };
  const auto take_time = [&] { return kept > 0 && take(line.median, body, time); };
  if (!take_name(name)) {
    const float rest = most - used - gap;
    const bool alone = name == pane.strategy;  // nothing else runs
    const float least = alone ? px(20) : text_size(strong, pane.strategy + " → …").x;
    if (rest - kept >= least) {
      take(line.id, strong, clipped(strong, name, rest - kept));
      take_time();
    } else if (alone) {
      take_time();
    } else if (kept > 0 && measured->substitute.empty()) {  // it chose what runs: the time is its own
      take_name(pane.strategy);
      take_time();
    } else if (rest > px(20)) {
      take(line.id, strong, clipped(strong, measured->substitute.empty() ? pane.strategy : name, rest));
    }
    line.width = std::ceil(used);
    return line;
  }
  const std::string interval =
      median > 0 && measured->median_interval ? spread_of(*measured->median_interval, median) : std::string();
  // What chooses among the others says it by its name already, and by that of the one that runs.
  const StrategyRow* const row = find_row(stats, pane.strategy);
  std::string title = row && row->strategy->chooses ? std::string() : pane_title(pane, stats);
  if (title == pane.strategy) title.clear();
  if (const std::string filter = own_filter(pane, settings); !filter.empty()) title = filter;
  if (median > 0 && !measured->layers.empty())  // what is timed
    title = std::to_string(measured->layers.size()) + " layers";
  const float left = most - used - kept, least = std::min(width_of(title), px(line.small ? 44 : 64));
  const bool shows_interval = kept > 0 && width_of(title) + width_of(interval) <= left;
  const float beside = shows_interval ? width_of(interval) : 0;
  if (least <= left) take(line.title, body, clipped(body, title, left - beside - gap));
  take_time();
  if (shows_interval) take(line.interval, body, interval);
  line.width = std::ceil(used);
  return line;
}

}  // namespace convoscope::ui
