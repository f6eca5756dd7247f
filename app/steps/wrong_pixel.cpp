#include "app/steps/wrong_pixel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "app/state/workbench.h"
#include "app/ui/places/zoom.h"

namespace convoscope {
namespace {

// A pane that should show the same as this one, to compare with; −1: none. Of a layer first of all one of the same
// type: others round otherwise, and so differ where nothing is wrong.
int pane_like(const Settings& settings, int pane) {
  const auto work = [&](int i) {
    return problem_of(settings.group().panes[static_cast<std::size_t>(i)], work_of(settings), 1, 1, settings.format);
  };
  const Problem own = work(pane);
  int near = -1;
  for (int i = 0; i < static_cast<int>(settings.group().panes.size()); ++i) {
    if (i == pane || settings.group().panes[static_cast<std::size_t>(i)].strategy == "source") continue;
    const Problem other = work(i);
    if (other.border != own.border || other.filter != own.filter) continue;
    if (other.layer == own.layer) return i;
    if (near < 0) near = i;
  }
  return near;
}

constexpr bool is_on(const Wall& wall, const WallPixel& at) { return at.x < wall.width && at.y < wall.height; }

// Where a pane shows that place: of a layer that of its map, which is then shown alone if it has to be.
PixelAddress shown_at(const CheckResult& check, std::optional<Wall> wall, WallSettings& settings) {
  if (!wall) return {check.x, check.y};
  if (wall->frames) {
    wall->frames = settings.frames = false;
    wall->maps = check.channel + 1;
    wall->alone = settings.map = check.channel;
  }
  if ((wall->alone >= 0 && wall->alone != check.channel) ||
      !is_on(*wall, pixel_on_wall(*wall, check.channel, check.x, check.y)))
    wall->alone = settings.map = check.channel;
  const WallPixel at = pixel_on_wall(*wall, check.channel, check.x, check.y);
  return {at.x, at.y};
}

// After "wrong at (x, y)".
std::string which_channel(const CheckResult& check, const PaneStats& pane, PixelFormat format) {
  if (pane.wall) return fmt::format(" of map {}", check.channel + 1);
  constexpr const char* names[] = {"red", "green", "blue", "alpha"};
  return format == PixelFormat::gray32f ? "" : std::string(" in ") + names[std::clamp(check.channel, 0, 3)];
}

}  // namespace

void show_wrong_pixel(int pane, const Stats& stats, Settings& settings, const MessagePoster& poster) {
  if (pane < 0 || pane >= static_cast<int>(stats.panes.size()) ||
      pane >= static_cast<int>(settings.group().panes.size()))
    return;
  const PaneStats& row = stats.panes[static_cast<std::size_t>(pane)];
  const CheckResult& check = row.check;
  if (check.state != CheckResult::State::wrong) return;
  settings.group().active_pane = pane;
  if (const int like_it = pane_like(settings, pane); like_it >= 0) {
    settings.group().view = View::difference;
    settings.difference.first = pane;
    settings.difference.second = like_it;
  } else {
    settings.group().view = View::single;
  }
  ui::look_at_pixel(shown_at(check, row.wall, settings.wall), stats, settings);
  poster.post(MessageLevel::warning,
              fmt::format("{} is wrong at ({}, {}){}: the reference is {:.6g}, the output {:.6g}, {:.3g} more than the "
                          "rounding that is permitted.",
                          row.title, check.x, check.y, which_channel(check, row, settings.format), check.expected,
                          check.actual, check.max_error - check.tolerance));
}

}  // namespace convoscope
