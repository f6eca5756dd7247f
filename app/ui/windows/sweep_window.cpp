// The sweep: what to measure, how far it is, its plot, and its files.
#include <imgui.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "app/measure/sweep/sweep_plan.h"
#include "app/state/workbench.h"
#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/window_actions.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/sheets.h"
#include "app/ui/results/sweep_plot.h"
#include "app/ui/windows/pages.h"
#include "kernels/contract/sweep.h"

namespace convoscope::ui {
namespace {

SweepPlans& plans() {
  static SweepPlans all;
  return all;
}

float chips_from = 0;  // of the row that is being drawn: where its lines begin

void begin_chips(const char* label, const std::string& tip) {
  row_label(label, tip);
  chips_from = ImGui::GetCursorPosX();
}

// A choice of many that is on or off; goes to the next line when this one is full.
bool chip(const std::string& id, const std::string& label, bool on, const std::string& tip) {
  const float width = text_size(Font::body, label).x + px(16), height = px(24);
  if (ImGui::GetContentRegionAvail().x < width) {
    ImGui::NewLine();
    ImGui::SetCursorPosX(chips_from);
  }
  const bool clicked = ImGui::InvisibleButton(("##" + id).c_str(), {width, height});
  mark_item(id);
  tooltip(tip);
  const Theme& t = theme();
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, to, on ? t.accent : ImGui::IsItemHovered() ? mix(t.field, t.text, 0.1f) : t.field, px(5));
  draw_text(list, Font::body, {from.x + px(8), from.y + (height - text_size(Font::body, label).y) / 2},
            on ? t.on_accent : t.text, label);
  ImGui::SameLine(0, px(5));
  return clicked;
}

template <class Value>
bool has(const std::vector<Value>& values, const Value& value) {
  return std::ranges::find(values, value) != values.end();
}

// Starts from what is shown as chosen, which may be what is taken for want of a choice.
template <class Value>
void switch_in(std::vector<Value>& chosen, std::vector<Value> shown, const Value& value) {
  if (std::erase(shown, value) == 0) shown.push_back(value);
  chosen = std::move(shown);
}

void end_chips() {
  ImGui::NewLine();
  ImGui::Dummy({0, px(1)});
}

// Which number lies along the axis.
void draw_axis(const Kind& kind, SweepChoices& choices) {
  begin_chips(
      "Along",
      "The number along the horizontal axis of the plot. Of each of the others the plot shows one value at a time.");
  for (const SweepParameter& parameter : kind.parameters)
    if (parameter.words.empty() && chip("sweep-along/" + std::string(parameter.id), std::string(parameter.title),
                                        &parameter == &sweep_axis(kind, choices), std::string(parameter.idea)))
      choices.along = parameter.id;
  end_chips();
}

void draw_values(const SweepPlan& plan, std::size_t place, SweepChoices& choices) {
  const SweepParameter& parameter = plan.start.kind->parameters[place];
  const std::string id(parameter.id);
  const int own = parameter.value(plan.start);
  std::set<int> offered(parameter.offered.begin(), parameter.offered.end());
  offered.insert(own);
  offered.insert(plan.values[place].begin(), plan.values[place].end());
  begin_chips(capitalised(std::string(parameter.title)).c_str(), std::string(parameter.idea));
  for (const int value : offered) {
    const std::string text = value_text(parameter, plan.start, value);
    if (chip("sweep-" + id + "/" + text, value == own ? text + " (now)" : text, has(plan.values[place], value),
             value == own ? "As the active pane has it now" : ""))
      switch_in(choices.values[id], plan.values[place], value);
  }
  end_chips();
}

std::string filter_text(const Settings& settings) {
  const std::string measured = sweep_filter(settings);
  const FilterKind* const kind = find_filter_kind(measured);
  const std::string title = kind ? std::string(kind->title) : measured;
  const FilterSpec& shown = settings.active().filter;
  if (shown.kind == measured) return title;
  return title + ", since " +
         (is_custom(shown) ? "a custom filter has no radius to vary" : display_name(shown) + " has no radius to vary");
}

void draw_choices(const Stats& stats, const SweepPlan& plan, Settings& settings) {
  const Kind& kind = *plan.start.kind;
  SweepChoices choices = sweep_choices(std::as_const(settings));
  if (!kind.problem) {
    row_label("Filter", "What is measured: the active pane's filter if it has a radius to vary, or else a Gaussian.");
    ImGui::AlignTextToFramePadding();
    text_clipped(filter_text(settings), ImGui::GetContentRegionAvail().x, theme().text);
  }
  draw_axis(kind, choices);
  for (std::size_t i = 0; i < kind.parameters.size(); ++i) draw_values(plan, i, choices);
  begin_chips("Strategies", "The strategies to measure. If none is chosen, those of the panes are used.");
  for (const StrategyRow& row : stats.ladder) {
    if (!row.available || row.backend != stats.device.backend || row.strategy->kind != &kind) continue;
    const std::string id(row.strategy->id);
    if (chip("sweep-strategy/" + id, id, has(plan.strategies, id), title_here(stats, row)))
      switch_in(choices.strategies, plan.strategies, id);
  }
  end_chips();
  if (!(choices == sweep_choices(std::as_const(settings)))) sweep_choices(settings) = choices;
}

void draw_start(const std::string& why_not, Requests& requests) {
  ImGui::BeginDisabled(!why_not.empty());
  if (text_button("sweep-start", "Start", "Measure the chosen strategies" + keys_of(action::run_sweep), true))
    requests.start_sweep = true;
  ImGui::EndDisabled();
  if (why_not.empty()) return;
  ImGui::SameLine(0, px(12));
  text_coloured(theme().warning, why_not);
  mark_area("sweep-why-not", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

void draw_progress(const Stats& stats, const SweepPlan& plan, Settings& settings, Requests& requests) {
  const SweepStats& sweep = stats.sweep;
  if (sweep.running) {
    if (text_button("sweep-cancel", "Cancel", "Stop the sweep. What was measured is kept" + keys_of(action::run_sweep)))
      requests.cancel_sweep = true;
    ImGui::SameLine(0, px(12));
    ImGui::AlignTextToFramePadding();
    text_coloured(theme().dim, std::to_string(sweep.done) + " of " + std::to_string(sweep.total) +
                                   ". What is chosen above is for the next sweep.");
    push_font(Font::small);
    text_coloured(theme().dim, sweep.doing);
    pop_font();
  } else {
    draw_start(plan.why_not, requests);
  }
  toggle("sweep-hold", "Hold the picture while a point is measured", &settings.sweep.hold_view,
         "On: nothing else is filtered while a point is measured, and the window draws only 20 times a second, "
         "so the times are steady. Off: the view goes on and shares the device with the sweep.");
}

// At the point, which has a ring then: the mouse may be some way off it.
void explain_point(const SweepPointSeen& seen) {
  if (seen.text.empty()) return;
  const float ring = px(7);
  ImGui::GetWindowDrawList()->AddCircle(seen.at, ring, theme().text, 0, px(1.5f));
  tooltip_at(seen.text, seen.at, ring);
}

// What tells each from the others: "1280×720", "filter width 5, to-input", "depthwise".
std::vector<std::string> view_names(const std::vector<SweepView>& views) {
  std::vector<std::string> names(views.size());
  const auto groups = [](const SweepView& view) { return groups_text(view.like); };
  if (std::ranges::adjacent_find(views, std::not_equal_to(), groups) != views.end())
    for (std::size_t i = 0; i < views.size(); ++i) names[i] = groups(views[i]).empty() ? "one group" : groups(views[i]);
  for (const SweepParameter& parameter : views[0].kind->parameters) {
    const std::string first = value_text(parameter, views[0].like);
    const bool same =
        std::ranges::all_of(views, [&](const SweepView& view) { return value_text(parameter, view.like) == first; });
    if (same || &parameter == views[0].along) continue;
    for (std::size_t i = 0; i < views.size(); ++i)
      names[i] += (names[i].empty() ? "" : ", ") + value_phrase(parameter, views[i].like);
  }
  return names;
}

void draw_files(const Stats& stats, Settings& settings, const std::vector<SweepView>& views) {
  chips_from = ImGui::GetCursorPosX();
  const std::vector<std::string> names = views.size() > 1 ? view_names(views) : std::vector<std::string>();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (chip("sweep-shown/" + names[i], names[i], static_cast<int>(i) == momentary().sweep_shown, "Show this"))
      momentary().sweep_shown = static_cast<int>(i);
  const std::string why_not = why_no_sweep_to_save(stats, settings);
  ImGui::BeginDisabled(!why_not.empty());
  if (text_button("sweep-save", "Save …",
                  why_not.empty()
                      ? "Saves the figures as JSON or CSV, or the plot as a picture" + keys_of(action::save_sweep)
                      : why_not))
    open_save_dialog(Saved::sweep, stats, settings);
  ImGui::EndDisabled();
  ImGui::SameLine(0, px(8));
  if (text_button("sweep-load", "Overlay …",
                  "Draws the curves of a saved sweep as well, dashed" + keys_of(action::overlay_sweep)))
    open_browser(FileBrowser::Purpose::sweep);
}

}  // namespace

void draw_sweep_window(const Stats& stats, Settings& settings, Requests& requests, const Area& sheet) {
  const bool closed = std::exchange(ui_state().sweep_was_open, settings.sweep.open) && !settings.sweep.open;
  if (closed && stats.sweep.running)
    give_feedback("The sweep goes on: F8 shows it again, Shift+F8 cancels it", stats.now);
  if (!settings.sweep.open) return;
  const SweepPlan& plan = plans().of(settings, stats);
  const Kind& kind = *plan.start.kind;
  const std::string title = "Sweep over " + std::string(sweep_axis(kind, sweep_choices(std::as_const(settings))).title);
  if (!begin_sheet("sweep", title.c_str(), sheet, settings.sweep.open,
                   "Close this window. A running sweep continues" + keys_of(action::sweep), settings.workbench))
    return;
  draw_choices(stats, plan, settings);
  draw_progress(stats, plan, settings, requests);
  const bool is_of_another = stats.sweep.running && stats.sweep.kind && stats.sweep.kind != &kind;
  if (is_of_another) {
    text_coloured(theme().text, "The sweep that is running belongs to the " +
                                    std::string(workbench_of(*stats.sweep.kind).title) +
                                    " workbench, which shows its points.");
    mark_item("sweep-elsewhere");
  }
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 extent{ImGui::GetContentRegionAvail().x, std::max(ImGui::GetContentRegionAvail().y - px(44), px(200))};
  ImGui::InvisibleButton("##sweep-plot", extent);
  mark_item("sweep-plot");
  const ImVec2 to{from.x + extent.x, from.y + extent.y};
  const std::vector<SweepView> views = shown_sweeps(stats.sweep, settings, kind);
  const SweepView shown = shown_sweep(views);
  if (!is_of_another || shown.kind) draw_sweep_plot(*ImGui::GetWindowDrawList(), from, to, stats.sweep, shown);
  if (ImGui::IsItemHovered()) explain_point(sweep_point_near(ImGui::GetIO().MousePos, from, to, stats.sweep, shown));
  draw_files(stats, settings, views);
  end_sheet();
}

}  // namespace convoscope::ui
