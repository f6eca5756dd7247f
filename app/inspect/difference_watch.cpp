#include "app/inspect/difference_watch.h"

#include <limits>
#include <vector>

#include "app/state/difference.h"
#include "app/ui/ui.h"

namespace convoscope {
namespace {

constexpr int most_compared_on_gpu = 1 << 28, most_compared_in_software = 250'000;  // pixels a frame
constexpr double look_pause_seconds = 0.25;
// A result may come some frames after the change that asked for it: a picture that rests is compared more than once.
constexpr int times_for_a_picture_at_rest = 8;

// Of two panes that do not show one frame.
int pane_waited_for(const ComparedPanes& compared, const std::vector<PaneStats>& panes) {
  const PaneStats& first = panes[static_cast<std::size_t>(compared.first)];
  const PaneStats& second = panes[static_cast<std::size_t>(compared.second)];
  if (first.stands_in || second.stands_in) return second.stands_in ? compared.second : compared.first;
  const auto lag = [](const PaneStats& pane) {
    return pane.frames_behind < 0 ? std::numeric_limits<std::int64_t>::max() : pane.frames_behind;
  };
  if (lag(first) == lag(second)) return -1;
  return lag(second) > lag(first) ? compared.second : compared.first;
}

}  // namespace

void DifferenceWatch::observe(std::span<const PaneTexture> textures, PaneSet& panes, const Settings& settings,
                              Stats& stats) {
  DifferenceStats& difference = stats.difference;
  const int count = static_cast<int>(settings.group().panes.size());
  const bool wanted = !failed_ && shown_view(settings) == View::difference && settings.show_overlay && count > 1 &&
                      count <= static_cast<int>(textures.size()) && count <= panes.size();
  if (meter_ && under_way_ && meter_->take_difference(difference.found, false)) {
    under_way_ = false;
    found_of_ = asked_;
    difference.first = asked_.first;
    difference.second = asked_.second;
    difference.frame = asked_.frame;
    difference.format = settings.format;
  }
  difference.awaited = false;
  difference.waits_for = -1;
  if (!wanted) {
    difference.first = difference.second = -1;
    times_asked_ = 0;
    return;
  }
  const ComparedPanes compared = compared_panes(settings.difference, count);
  if (difference.first != compared.first || difference.second != compared.second || !difference.shown)
    difference.first = difference.second = -1;  // figures of other panes, or of what has gone, are not shown
  // Slow panes on cores are shown as they are done: for a while one is of a later frame. The figures before stay.
  if (!difference.shown || !panes.show_one_frame(compared.first, compared.second)) {
    difference.waits_for = pane_waited_for(compared, stats.panes);
    return;
  }
  const Subject now{compared.first, compared.second, panes.runner(compared.first).version(),
                    panes.runner(compared.second).version(), panes.generation(), stats.frames_shown,
                    // Of the pictures: after a jump the source is elsewhere for a while.
                    stats.panes[static_cast<std::size_t>(compared.first)].frame_number};
  if (now != asked_) times_asked_ = 0;
  difference.awaited = !found_of_.shows_the_same(now);
  if (under_way_ || times_asked_ >= times_for_a_picture_at_rest || stats.now - asked_at_ < look_pause_seconds) return;
  const bool software = stats.renderer.find("llvmpipe") != std::string::npos;
  failed_ = true;  // until the request has passed
  if (!meter_) meter_ = DifferenceMeter::make();
  under_way_ = meter_->request(textures[static_cast<std::size_t>(compared.first)],
                               textures[static_cast<std::size_t>(compared.second)],
                               software ? most_compared_in_software : most_compared_on_gpu);
  failed_ = false;
  asked_ = now;
  asked_at_ = stats.now;
  ++times_asked_;
}

}  // namespace convoscope
