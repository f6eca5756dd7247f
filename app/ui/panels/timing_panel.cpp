#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/panes/shown_pictures.h"
#include "app/state/workbench.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/frame_budget.h"
#include "app/ui/results/timing_results.h"
#include "app/ui/ui.h"

namespace convoscope::ui {
namespace {

struct Step {
  const char* name;
  const char* tip;
  double median, p95, min;
  ImU32 colour;
  bool in_budget;  // of what takes longest of a frame; decoding runs beside it
};

Step step(const char* name, const char* tip, const RollingTimes& times, ImU32 ink, bool in_budget) {
  return {name, tip, times.median(), times.p95(), times.min(), ink, in_budget};
}

using Steps = std::array<Step, 8>;

double median_of(const Step& s) { return std::isfinite(s.median) ? s.median : 0; }

double sum_of(const Steps& steps) {
  double sum = 0;
  for (const Step& s : steps)
    if (s.in_budget) sum += median_of(s);
  return sum;
}

// A GPU does one step after another. On the CPU a thread converts and filters beside the window's: whichever takes
// longer says how long a frame takes.
void choose_budget(Steps& steps) {
  auto& [decode, upload, convert, kernel, map, draw, not_measured, waiting] = steps;
  const bool filters = median_of(convert) + median_of(kernel) > median_of(upload) + median_of(map) + median_of(draw);
  for (Step* const s : {&convert, &kernel}) s->in_budget = filters;
  for (Step* const s : {&upload, &map, &draw}) s->in_budget = !filters;
}

double picture_ms(const PaneStats& pane) { return std::max(pane.kernel.median(), pane.filtering_seconds * 1000); }

// On the CPU: the frames go on without a pane that takes longer than the others, which then makes fewer pictures. Its
// time counts as well: once the source stands still, a slow pane's pictures are remembered longest.
bool runs_beside(const PaneStats& pane, const PaneStats* quickest) {
  return quickest && pane.pictures_a_second < quickest->pictures_a_second / 2 &&
         picture_ms(pane) > picture_ms(*quickest);
}

// Of the panes that are computed, that which has had most pictures lately; null: none is.
const PaneStats* quickest_pane(const Stats& stats) {
  const PaneStats* quickest = nullptr;
  for (const PaneStats& pane : stats.panes)
    if (pane.strategy != "source" && (!quickest || pane.pictures_a_second > quickest->pictures_a_second))
      quickest = &pane;
  return quickest;
}

// Whose times the sum leaves out; empty: nobody's.
std::string what_runs_beside(const Stats& stats, const Settings& settings) {
  const PaneStats* const quickest = quickest_pane(stats);
  const View view = shown_view(settings);
  std::string numbers;
  int count = 0;
  for (std::size_t i = 0; i < stats.panes.size(); ++i) {
    if (!is_seen(settings, view, static_cast<int>(i), flick_pane(settings)) || stats.panes[i].strategy == "source")
      continue;
    if (!runs_beside(stats.panes[i], quickest)) continue;
    numbers += (count++ ? ", " : "") + std::to_string(i + 1);
  }
  if (count == 0) return {};
  return (count == 1 ? "Pane " + numbers + " takes longer than a frame and runs beside them: its time is"
                     : "Panes " + numbers + " take longer than a frame and run beside them: their times are") +
         std::string(" not included here.");
}

// A GPU computes every pane for each frame. On the CPU a frame waits for none that the view does not show.
Step kernel_step(const Stats& stats, const Settings& settings, bool gpu) {
  Step kernel{"Kernel",
              gpu ? "The time of all kernels of all panes."
                  : "The time of the panes that are shown and keep up with the frames, one after another, on a thread "
                    "of their own.",
              0,
              0,
              0,
              theme().accent,
              true};
  const View view = shown_view(settings);
  const PaneStats* const quickest = quickest_pane(stats);
  for (std::size_t i = 0; i < stats.panes.size(); ++i) {
    if (!gpu && !is_seen(settings, view, static_cast<int>(i), flick_pane(settings))) continue;
    if (!gpu && runs_beside(stats.panes[i], quickest)) continue;
    const RollingTimes& times = stats.panes[i].kernel;
    kernel.median += times.median();
    kernel.p95 += times.p95();
    kernel.min += times.min();
  }
  return kernel;
}

Steps steps_of(const Stats& stats, const Settings& settings) {
  const Theme& t = theme();
  const StepTimes& s = stats.steps;
  const bool gpu = stats.device.backend == Backend::cuda;
  const Step kernel = kernel_step(stats, settings, gpu);
  // The emulator converts too, thread by thread, while the window is drawn many times.
  const Step convert = stats.device.backend == Backend::emulated
                           ? Step{"Convert", why_untimed, 0, 0, 0, t.shade[2], true}
                           : step("Convert", "The time to convert the stream's colours to rgba8 or gray32f.", s.convert,
                                  t.shade[2], true);
  Steps steps{
      step("Decode", "The time of decoding, on a thread of its own.", s.decode, t.shade[0], false),
      step("Upload", "The time to copy frames to the device if they were decoded in software.", s.upload, t.shade[1],
           true),
      convert,
      kernel,
      step("Interop",
           "The time to take the textures from OpenGL, copy the panes into them and give them back. It includes "
           "waiting for OpenGL to finish drawing the last frame; without vsync that is most of it.",
           s.interop, t.shade[1], true),
      step("Draw", "The time to draw the picture and these panels.", s.draw, t.shade[3], true),
      {"Other",
       gpu ? "The time that no step accounts for: what this thread does for input, taking frames, inspection, "
             "learning, recording and drawing."
           : "The time that no step accounts for: input, taking frames, inspection, learning and recording. "
             "Conversion and kernels run on a thread beside the one that maps and draws; the budget is of the one "
             "that takes longer.",
       0, 0, 0, t.faint, true},
      {"Waiting", "The time spent waiting for the display or for the next frame, less what the steps do meanwhile.", 0,
       0, 0, with_alpha(t.faint, 0.4f), true}};
  if (!gpu) choose_budget(steps);
  const FrameBudget budget = frame_budget(sum_of(steps), s);
  steps[6].median = budget.not_measured;
  steps[7].median = budget.waiting;
  return steps;
}

// The steps overlap, as where quick panes go on to newer frames beside a slow one, or the window is drawn several
// times while a picture is filtered: then what they take together is not the time from one frame to the next.
bool do_overlap(const Stats& stats, double together) {
  const double frame = stats.steps.frame.median();
  return frame > 0 && together > frame && format_ms(together) != format_ms(frame);
}

std::string what_overlaps(double together) {
  return "A new picture in all panes that are shown takes " + format_milliseconds(together) +
         " of work. Parts of it overlap, because the window is drawn beside it and quick panes go on to newer frames.";
}

constexpr double much_longer = 1.5;  // times the frame: a line that comes and goes with each figure would not be read
constexpr double longer = 1.05;      // the same of the kernels alone: their row is seen beside the frame's
constexpr double late_from = 1.1;    // times the budget: a display's pace is never exactly the source's

double budget_ms(const Stats& stats) { return stats.source.rate > 1 ? 1000.0 / stats.source.rate : 1000.0 / 60.0; }

// The steps one after another on a scale whose end is the time that a frame may take.
void draw_budget(const Stats& stats, const Steps& steps) {
  const Theme& t = theme();
  const double budget = budget_ms(stats);
  const double work = sum_of(steps), used = work - steps.back().median;
  const bool overlap = do_overlap(stats, work);
  const double frame = overlap ? stats.steps.frame.median() : work;
  const bool late = frame > budget * late_from;
  const double full = std::max(budget, frame);
  const std::string may = "A frame may take " + format_milliseconds(budget) +
                          (stats.source.rate > 1 ? ", the source's pace. " : ", for 60 a second. ");
  const std::string tip = may + (overlap ? "It is " + format_milliseconds(frame) +
                                               " from one frame on the screen to the next. " + what_overlaps(work)
                                         : "It takes " + format_milliseconds(used) +
                                               ", what is not measured included; with waiting it is " +
                                               format_milliseconds(frame) + " from one to the next.");
  heading("TIME FOR A FRAME, ms");
  tooltip(tip);
  const float width = std::max(ImGui::GetContentRegionAvail().x, px(10)), height = px(14);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##budget", {width, height});
  mark_item("budget");
  tooltip(tip);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = px(4);
  list.AddRectFilled(from, {from.x + width, from.y + height}, t.field, rounding);
  float x = from.x;
  for (const Step& s : steps) {
    if (!s.in_budget || !(s.median > 0)) continue;
    const float w = static_cast<float>(s.median / work * frame / full) * width;  // their shares, where they overlap
    list.AddRectFilled({x, from.y}, {x + std::max(w - 1, 1.0f), from.y + height}, s.colour,
                       w > 2 * rounding && x == from.x ? rounding : 0, ImDrawFlags_RoundCornersLeft);
    x += w;
  }
  const float mark = from.x + static_cast<float>(budget / full) * width;
  if (late) {
    list.AddRectFilled({mark - px(1), from.y - px(3)}, {mark + px(1), from.y + height + px(3)}, t.error);
  }
  // Each label at what it names: the budget at its mark, a late frame at the end of the bar.
  const std::string budget_text = format_ms(budget) + " budget",
                    time = overlap || late ? format_ms(frame) + " in all" : format_ms(used) + " used";
  push_font(Font::small);
  const float start = ImGui::GetCursorPosX(), budget_width = text_size(Font::small, budget_text).x,
              time_width = text_size(Font::small, time).x, gap = px(8);
  if (late) {
    const float last = std::max(width - time_width - gap - budget_width, 0.0f);
    const float at = std::clamp(mark - from.x - budget_width / 2, 0.0f, last);
    ImGui::SetCursorPosX(start + at);
    text_clipped(budget_text, budget_width + 1, t.dim);
    const float after = std::max(width - time_width, at + budget_width + gap);
    ImGui::SameLine(start + after);
    text_clipped(time, width - after + 1, t.error);
  } else {
    text_clipped(time, width - budget_width - gap, t.dim);
    ImGui::SameLine(start + std::max(width - budget_width, 0.0f));
    text_clipped(budget_text, budget_width + 1, t.dim);
  }
  pop_font();
}

void draw_note(const char* mark, const std::string& text) {
  push_font(Font::small);
  text_coloured(theme().dim, text);
  mark_item(mark);
  pop_font();
}

// Under the bar, where it is in sight in the smallest window, too.
void draw_overlap(const Stats& stats, const Steps& steps) {
  const double together = sum_of(steps), frame = stats.steps.frame.median();
  const bool is_much = together > much_longer * frame || median_of(steps[3]) > longer * frame;
  if (do_overlap(stats, together) && is_much) draw_note("steps-overlap", what_overlaps(together));
}

void draw_table(const Stats& stats, const Steps& steps) {
  if (!ImGui::BeginTable("##steps", 4, ImGuiTableFlags_None)) return;
  ImGui::TableSetupColumn("Step", ImGuiTableColumnFlags_WidthStretch, 1.4f);
  for (const char* const name : {"median", "p95", "min"})
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, 1.0f);
  const auto number = [](double ms, ImU32 ink) {
    ImGui::TableNextColumn();
    const std::string text = format_ms(ms);
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(room - ImGui::CalcTextSize(text.c_str()).x, 0.0f));
    text_coloured(ink, text);
  };
  const auto caption = [](const char* text, bool right_aligned, const char* tip) {
    ImGui::TableNextColumn();
    if (right_aligned) {
      const float room = ImGui::GetContentRegionAvail().x;
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(room - text_size(Font::small, text).x, 0.0f));
    }
    heading(text);
    tooltip(tip);
  };
  caption("STEP, ms", false, "");
  caption("MEDIAN", true, "Half of the frames took less time than this.");
  caption("P95", true, "95 of 100 frames took no longer than this.");
  caption("MIN", true, "The time of the fastest of the recent frames.");
  const auto row = [&](const Step& s, bool swatch) {
    const ImU32 ink = s.colour == theme().accent ? theme().accent : theme().text;
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float middle = at.y + ImGui::GetTextLineHeight() / 2, side = px(8);
    if (swatch)
      ImGui::GetWindowDrawList()->AddRectFilled({at.x, middle - side / 2}, {at.x + side, middle + side / 2}, s.colour,
                                                px(2));
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(15));
    text_coloured(swatch ? theme().text : theme().dim, s.name);
    tooltip(s.tip);
    number(s.median, ink);
    number(s.p95, theme().dim);
    number(s.min, theme().dim);
  };
  for (const Step& s : steps) row(s, true);
  row(step("Frame", "The time from one frame on the screen to the next.", stats.steps.frame, theme().text, false),
      false);
  ImGui::EndTable();
}

// "Measure strategies over radius, size, and plot their times".
std::string what_is_swept(const Settings& settings) {
  std::string numbers;
  for (const SweepParameter& parameter : work_of(settings).kind->parameters)
    if (parameter.words.empty()) numbers += (numbers.empty() ? "" : ", ") + std::string(parameter.title);
  return "Measure strategies over " + numbers + ", and plot their times";
}

void draw_timing_panel(const Stats& stats, Settings& settings, Requests& requests) {
  const Steps steps = steps_of(stats, settings);
  draw_budget(stats, steps);
  draw_overlap(stats, steps);
  draw_table(stats, steps);
  const std::string beside = stats.device.backend == Backend::cuda ? std::string() : what_runs_beside(stats, settings);
  if (!beside.empty()) draw_note("runs-beside", beside);
  ImGui::Dummy({0, px(2)});
  draw_results(stats, settings);
  draw_health(stats);
  draw_roofline(stats, settings, requests);
  const std::int64_t shown = stats.frames_shown - stats.frames_shown_before,
                     dropped = stats.frames_dropped - stats.frames_dropped_before;
  ImGui::AlignTextToFramePadding();
  const float right = text_button_width("Clear");
  text_clipped(format_count(shown) + " shown  ·  " + format_count(dropped) + " dropped",
               ImGui::GetContentRegionAvail().x - right - ImGui::GetStyle().ItemSpacing.x,
               dropped > 0 ? theme().warning : theme().dim);
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(ImGui::GetContentRegionAvail().x - right, 0.0f));
  if (text_button("clear-timings", "Clear", "Start the statistics again" + keys_of(action::clear_timings)))
    requests.reset_statistics = true;
  if (text_button("open-sweep", "Sweep", what_is_swept(settings) + keys_of(action::sweep)))
    settings.sweep.open = !settings.sweep.open;
  if (!stats.sweep.running) return;
  ImGui::SameLine(0, px(12));
  ImGui::AlignTextToFramePadding();
  text_clipped(std::to_string(stats.sweep.done) + " of " + std::to_string(stats.sweep.total) + " points measured",
               ImGui::GetContentRegionAvail().x, theme().dim);
}

constexpr Control timing_controls[] = {
    {"Clear"},
    {"Sweep"},
};

}  // namespace

extern const Panel timing_panel{
    .id = "timing",
    .title = "Timing",
    .key = key::f(5),
    .keys = "F5",
    .action = "Timing panel",
    .draw = draw_timing_panel,
    .summary =
        [](const Stats& stats, const Settings& s) {
          const PaneStats* const pane = active_stats(stats, s);
          return pane ? format_milliseconds(pane->kernel.median()) : std::string();
        },
    .controls = timing_controls,
};

}  // namespace convoscope::ui
