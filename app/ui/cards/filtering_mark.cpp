#include "app/ui/cards/filtering_mark.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/state/difference.h"
#include "app/state/workbench.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/stage_places.h"

namespace convoscope::ui {
namespace {

constexpr double worth_saying = 0.3;  // seconds: until then it would only flicker over a picture that is filtered

constexpr int worth_counting = 10;  // frames behind: until then, too

constexpr const char* what_the_time_is =
    "How long the next picture of this pane has been computing. Panes are filtered one after another, so this one may "
    "be waiting for its turn. The time on the label is what this strategy takes by itself.";
constexpr const char* what_is_behind =
    "Behind the newest frame that any pane shows: a pane that takes longer shows fewer frames, and the others do not "
    "wait for it. Once the source is paused, all panes show the same frame.";
constexpr const char* what_the_filter_is =
    "The filter was changed, and this pane takes longer than the others. Its picture, and the values of its pixels, "
    "are still those of the previous filter.";
constexpr const char* what_is_older =
    "The other panes show what came after a jump to another place or to another source. This one takes longer, and "
    "they do not wait for it. Once the source is paused, all panes show the same frame.";

// At the foot of the pane, on the left, where nothing of the picture's middle is hidden; above what lies there already.
std::optional<Area> place_mark(const Settings& settings, const UiLayout& layout, int pane, ImVec2 size, float least) {
  const Area whole = pane_area(settings, layout, pane);
  const float margin = px(12);
  for (float top = whole.y + whole.height - margin - size.y; top >= whole.y; top -= size.y / 2) {
    const Area row = row_of_pane(settings, layout, pane, top, size.y);
    const Area area{row.x + margin, top, std::min(size.x, row.width - 2 * margin), size.y};
    if (area.width >= least && is_free(area)) return area;
  }
  return {};
}

constexpr const char* computing = "Computing";

std::string frames_behind_text(const PaneStats& stats) {
  return stats.frames_behind == 1 ? "1 frame behind" : format_count(stats.frames_behind) + " frames behind";
}

bool is_unfiltered(const PaneStats& stats) { return stats.stands_in && stats.filtering_seconds > 0; }

bool is_behind(const PaneStats& stats) { return stats.frames_behind < 0 || stats.frames_behind >= worth_counting; }

// From the longest to the shortest, of which the first that has room is taken.
std::vector<std::string> wordings(const PaneStats& stats, bool in_difference) {
  const double seconds = stats.filtering_seconds;
  const std::string time =
      seconds >= worth_saying ? format_number(seconds, seconds < 10 ? 2 : 3) + " s" : std::string();
  const std::string for_time = time.empty() ? "" : " (" + time + ")";
  const auto and_time = [&](const std::string& text) { return text + (time.empty() ? "" : ", " + time); };
  if (stats.stands_in && !in_difference)
    return {computing + for_time + "; unfiltered meanwhile", "Unfiltered" + for_time, and_time("Unfiltered"), time};
  const bool filter = stats.of_filter_before;
  if (stats.frames_behind == 0 && !filter) return {computing + for_time, and_time(computing), time};
  const std::string lag = stats.of_source_before     ? "Still the previous source"
                          : stats.frames_behind < 0  ? "Still at frame " + format_count(stats.frame_number + 1)
                          : stats.frames_behind == 0 ? "Still the previous filter"
                                                     : frames_behind_text(stats);
  const std::string both = lag + (filter && stats.frames_behind != 0 ? " with the previous filter" : "");
  return {both + (time.empty() ? "" : ", computing" + for_time), both, lag};
}

void put_mark(const std::vector<std::string>& texts, const char* tip, ImU32 ink, const char* name,
              const Settings& settings, const UiLayout& layout, int pane, ImDrawList& list) {
  const float padding = px(8);
  std::string shown;
  std::optional<Area> area;
  for (std::size_t i = 0; i < texts.size() && !area; ++i) {
    if (texts[i].empty()) continue;
    const ImVec2 extent = text_size(Font::small, texts[i]);
    const ImVec2 size{std::ceil(extent.x) + 2 * padding, std::ceil(extent.y) + padding};
    area = place_mark(settings, layout, pane, size, size.x);
    if (area) shown = texts[i];
  }
  if (!area) return;
  list.AddRectFilled(area->from(), area->to(), theme().card, px(4));
  draw_text(list, Font::small, {area->x + padding, area->y + padding / 2}, ink, shown);
  tooltip_of_cut(list, shown, (shown == texts[0] ? "" : texts[0] + "\n") + tip, area->from(), area->to());
  take_place(name + std::string("/") + std::to_string(pane + 1), *area);
}

void draw_mark(const PaneStats& stats, const Settings& settings, const UiLayout& layout, int pane, ImDrawList& list) {
  if (stats.filtering_seconds < worth_saying && !is_unfiltered(stats) && !is_behind(stats)) return;
  const char* const tip = stats.frames_behind < 0   ? what_is_older
                          : stats.frames_behind > 0 ? what_is_behind
                          : stats.of_filter_before  ? what_the_filter_is
                                                    : what_the_time_is;
  const bool in_difference = shown_view(settings) == View::difference && settings.group().panes.size() > 1;
  put_mark(wordings(stats, in_difference), tip, theme().text, "filtering", settings, layout, pane, list);
}

constexpr const char* what_the_frames_are =
    "A filter over time needs later frames, too. The picture shows the frame in their middle, while the counter below "
    "is at the newest.";
constexpr const char* what_stands_in =
    "A filter over time needs the frames around the one it filters. At the start and after a jump, copies of the first "
    "one stand in for those that have not been shown.";
constexpr const char* what_was_skipped =
    "The source plays faster than this can be filtered, so frames are skipped, and the filter reaches over a longer "
    "time than its number of frames says. Once the source is paused, the true neighbours are filtered.";

// Which frame a picture is of where several go into it, and which those are.
void draw_frames_mark(const PaneStats& stats, const Settings& settings, const UiLayout& layout, int pane,
                      ImDrawList& list) {
  const FramesSeen& seen = stats.frames;
  if (seen.count < 2 || stats.stands_in || stats.strategy == "source") return;
  const int others = seen.count - seen.same;
  const std::string frame = "Frame " + format_count(seen.middle + 1), last = format_count(seen.last + 1),
                    copies = seen.same > 1 ? " (" + std::to_string(seen.same) + " times)" : "",
                    first = format_count(seen.first + 1) + copies, count = std::to_string(others + 1);
  if (others == 0)
    return put_mark({frame + ", " + std::to_string(seen.same) + " times: no others have been shown yet", frame},
                    what_stands_in, theme().text, "frames", settings, layout, pane, list);
  if (!seen.whole && seen.last - seen.first >= seen.count)
    return put_mark(
        {frame + (copies.empty() ? ", from " + count + " between " : ", from ") + first + " and " + last +
             ": frames are skipped",
         count + " of " + format_count(seen.last - seen.first + 1) + " frames: some are skipped", "Frames are skipped"},
        what_was_skipped, theme().warning, "frames", settings, layout, pane, list);
  put_mark({frame + ", from " + first + " to " + last, frame}, copies.empty() ? what_the_frames_are : what_stands_in,
           theme().text, "frames", settings, layout, pane, list);
}

// Panes whose difference is shown share one picture, which comes with the slower one.
bool speaks(const Stats& stats, const Settings& settings, int pane) {
  if (shown_view(settings) != View::difference || settings.group().panes.size() < 2) return true;
  const ComparedPanes compared = compared_panes(settings.difference, static_cast<int>(settings.group().panes.size()));
  const auto seconds = [&](int i) {
    const PaneStats* const of = stats_of(stats, settings.group().panes[static_cast<std::size_t>(i)]);
    return of ? of->filtering_seconds : 0;
  };
  return pane == (seconds(compared.second) > seconds(compared.first) ? compared.second : compared.first);
}

// In the middle of a stage that has nothing to show.
void draw_mark_of_empty_stage(const Area& stage, ImDrawList& list) {
  const ImVec2 size = text_size(Font::body, computing);
  draw_text(list, Font::body, {stage.x + (stage.width - size.x) / 2, stage.y + (stage.height - size.y) / 2},
            theme().dim, computing);
}

}  // namespace

std::string what_is_old(const Stats& stats, const Settings& settings, std::size_t pane) {
  const PaneStats* const of =
      pane < settings.group().panes.size() ? stats_of(stats, settings.group().panes[pane]) : nullptr;
  if (!of) return {};
  if (is_unfiltered(*of)) return "unfiltered";
  if (is_behind(*of)) return of->of_source_before ? "source before" : "older frame";
  return of->of_filter_before && of->filtering_seconds >= worth_saying ? "previous filter" : "";
}

std::string what_difference_awaits(const Stats& stats, const Settings& settings) {
  const int pane = stats.difference.waits_for;
  const PaneStats* const of = pane < 0 || pane >= static_cast<int>(settings.group().panes.size())
                                  ? nullptr
                                  : stats_of(stats, settings.group().panes[static_cast<std::size_t>(pane)]);
  if (!of || !(of->stands_in || of->of_source_before || of->frames_behind != 0))
    return "The difference is being measured.";
  const std::string waits = "Waits for pane " + std::to_string(pane + 1) + ", ";
  if (stats.sweep.measuring && settings.sweep.hold_view) return waits + "until the sweep has measured.";
  if (of->stands_in) return waits + "which has no filtered picture yet.";
  if (of->of_source_before) return waits + "which still shows the previous source.";
  if (of->frames_behind < 0) return waits + "which is still at frame " + format_count(of->frame_number + 1) + ".";
  return waits + "which is " + frames_behind_text(*of) + ".";
}

void draw_filtering_marks(const Stats& stats, const Settings& settings, const UiLayout& layout) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  if (stats.seconds_without_picture >= worth_saying) return draw_mark_of_empty_stage(picture_area(layout), list);
  for (int i = 0; i < static_cast<int>(settings.group().panes.size()); ++i) {
    const Area area = pane_area(settings, layout, i);
    const PaneStats* const measured = stats_of(stats, settings.group().panes[static_cast<std::size_t>(i)]);
    if (!measured || area.width < 1 || area.height < 1 || !speaks(stats, settings, i)) continue;
    list.PushClipRect(area.from(), area.to(), true);
    if (over_frames(work_of(settings))) draw_frames_mark(*measured, settings, layout, i, list);
    draw_mark(*measured, settings, layout, i, list);
    list.PopClipRect();
  }
}

}  // namespace convoscope::ui
