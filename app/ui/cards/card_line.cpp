// A card as one line: number, id, title, median with its interval, badge; what has no room is left out, the least
// important first.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/ui/cards/cards.h"
#include "app/ui/keys/pane_actions.h"
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
  if (half >= milliseconds || aside > half / 2) return format_interval(interval.low, interval.high);
  const std::string median = format_ms(milliseconds);
  const std::size_t point = median.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(median.size() - point) - 1;
  char text[64];
  std::snprintf(text, sizeof text, "± %.*f", decimals, half);
  return text;
}

}  // namespace

CardLine card_line(const Stats& stats, const Settings& settings, int index, const Area& room, float pane_pixels) {
  const PaneSettings& pane = settings.panes[static_cast<std::size_t>(index)];
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
  if (measured &&
      (measured->check.state == CheckResult::State::right || measured->check.state == CheckResult::State::wrong)) {
    line.badge = used + line.height <= most;
    if (line.badge) used += line.height;
  }
  const std::string name = measured && measured->strategy == pane.strategy ? measured->name() : pane.strategy;
  if (!take(line.id, strong, name) && !take(line.id, strong, pane.strategy)) {
    const float left = most - used - gap;
    if (left > px(20)) take(line.id, strong, clipped(strong, pane.strategy, left));
  } else if (pane.strategy != "source" && measured) {
    const double median = measured->kernel.median();
    if (median > 0 && take(line.median, body, format_milliseconds(median)) && measured->median_interval)
      take(line.interval, body, spread_of(*measured->median_interval, median));
  }
  const std::string title = pane_title(pane, stats);
  if (line.id == name && title != pane.strategy) take(line.title, body, title);
  line.width = std::ceil(used);
  return line;
}

}  // namespace convoscope::ui
