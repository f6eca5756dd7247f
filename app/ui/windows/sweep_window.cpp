// The sweep: what to measure, how far it is, its plot, and its files.
#include <imgui.h>

#include <algorithm>
#include <cstring>

#include "app/measure/sweep.h"
#include "app/measure/sweep_curves.h"
#include "app/ui/keys/filter_actions.h"
#include "app/ui/keys/keys.h"
#include "app/ui/keys/workbench_actions.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/ui_state.h"
#include "app/ui/windows/sheets.h"
#include "app/ui/windows/sweep_plot.h"

namespace convoscope::ui {
namespace {

constexpr int offered_radii[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
constexpr PixelAddress offered_sizes[] = {{640, 360}, {1280, 720}, {1920, 1080}, {3840, 2160}};

SweepStrategies& strategies_now() {
  static SweepStrategies strategies;
  return strategies;
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

std::string size_text(const PixelAddress& size) { return std::to_string(size.x) + "×" + std::to_string(size.y); }

void draw_sizes(const Stats& stats, Settings& settings) {
  begin_chips("Size", "The picture sizes to measure. If none is chosen, the source's size is used.");
  const PixelAddress source{stats.source.width, stats.source.height};
  std::vector<PixelAddress> offered(std::begin(offered_sizes), std::end(offered_sizes));
  if (source.x > 0 && source.y > 0 && !has(offered, source)) offered.insert(offered.begin(), source);
  const std::vector<PixelAddress> shown = sweep_picture_sizes(settings, stats);
  for (const PixelAddress& size : offered) {
    const bool is_source = size == source;
    if (chip("sweep-size/" + size_text(size), size_text(size) + (is_source ? " (source)" : ""), has(shown, size),
             is_source ? "The source's own size" : ""))
      switch_in(settings.sweep.sizes, shown, size);
  }
  end_chips();
}

std::string filter_text(const Settings& settings) {
  const std::string measured = sweep_filter(settings);
  const FilterKind* const kind = find_filter_kind(measured);
  const std::string title = kind ? std::string(kind->title) : measured;
  const FilterSpec& shown = settings.active().filter;
  if (shown.kind == measured) return title;
  return title + ", since " + (is_custom(shown) ? "a custom filter" : display_name(shown)) + " has no radius to vary";
}

void draw_choices(const Stats& stats, Settings& settings) {
  SweepSettings& sweep = settings.sweep;
  row_label("Filter", "What is measured: the active pane's filter if it has a radius to vary, or else a Gaussian.");
  ImGui::AlignTextToFramePadding();
  text_clipped(filter_text(settings), ImGui::GetContentRegionAvail().x, theme().text);
  begin_chips("Radius", "The radii at which that filter is measured.");
  for (const int radius : offered_radii)
    if (chip("sweep-radius/" + std::to_string(radius), std::to_string(radius), has(sweep.radii, radius), ""))
      switch_in(sweep.radii, sweep.radii, radius);
  end_chips();
  draw_sizes(stats, settings);
  begin_chips("Strategies", "The strategies to measure. If none is chosen, those of the panes are used.");
  const std::vector<std::string> shown = strategies_now().of(settings, stats);
  for (const StrategyRow& row : stats.ladder) {
    if (!row.available || row.backend != stats.device.backend) continue;
    const std::string id(row.strategy->id);
    if (chip("sweep-strategy/" + id, id, has(shown, id), std::string(row.strategy->title)))
      switch_in(sweep.strategies, shown, id);
  }
  end_chips();
}

void draw_start(const Stats& stats, const Settings& settings, Requests& requests) {
  const std::string why_not = why_no_sweep(settings, stats, strategies_now().of(settings, stats));
  ImGui::BeginDisabled(!why_not.empty());
  if (text_button("sweep-start", "Start", "Measure the chosen strategies" + keys_of("Start or cancel the sweep"), true))
    requests.start_sweep = true;
  ImGui::EndDisabled();
  if (why_not.empty()) return;
  ImGui::SameLine(0, px(12));
  text_coloured(theme().warning, why_not);
  mark_area("sweep-why-not", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

void draw_progress(const Stats& stats, Settings& settings, Requests& requests) {
  const SweepStats& sweep = stats.sweep;
  if (sweep.running) {
    if (text_button("sweep-cancel", "Cancel",
                    "Stop the sweep. What was measured is kept" + keys_of("Start or cancel the sweep")))
      requests.cancel_sweep = true;
    ImGui::SameLine(0, px(12));
    ImGui::AlignTextToFramePadding();
    text_clipped(std::to_string(sweep.done) + " of " + std::to_string(sweep.total) + "   " + sweep.doing,
                 ImGui::GetContentRegionAvail().x, theme().dim);
  } else {
    draw_start(stats, settings, requests);
  }
  toggle("sweep-hold", "Hold the picture while a point is measured", &settings.sweep.hold_view,
         "On: nothing else is filtered while a point is measured, and the window draws only 20 times a second, "
         "so the times are steady. Off: the view goes on and shares the device with the sweep.");
}

void draw_files(const Stats& stats, Settings& settings) {
  const SweepStats& sweep = stats.sweep;
  const std::vector<PixelAddress> sizes = sweep_sizes(sweep.rows.empty() ? sweep.loaded : sweep.rows);
  chips_from = ImGui::GetCursorPosX();
  for (std::size_t i = 0; sizes.size() > 1 && i < sizes.size(); ++i) {
    const std::string text = size_text(sizes[i]);
    if (chip("sweep-shown/" + text, text, static_cast<int>(i) == settings.sweep.shown_size, "Show this size"))
      settings.sweep.shown_size = static_cast<int>(i);
  }
  if (text_button("sweep-save", "Save …",
                  "Saves the figures as JSON or CSV, or the plot as a picture" + keys_of("Save the sweep")))
    open_save_dialog(Saved::sweep, stats, settings);
  ImGui::SameLine(0, px(8));
  if (text_button("sweep-load", "Overlay …",
                  "Draws the curves of a saved sweep as well, dashed" + keys_of("Overlay a saved sweep")))
    open_browser(FileBrowser::Purpose::sweep);
}

}  // namespace

void draw_sweep_window(const Stats& stats, Settings& settings, Requests& requests, const Area& sheet) {
  if (!shows_sweep(settings)) return;
  if (!begin_sheet("sweep", "Sweep: radius × strategy × size", sheet, settings.sweep.open,
                   "Close this window. A running sweep continues" + keys_of("Sweep")))
    return;
  draw_choices(stats, settings);
  draw_progress(stats, settings, requests);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 extent{ImGui::GetContentRegionAvail().x, std::max(ImGui::GetContentRegionAvail().y - px(44), px(200))};
  ImGui::InvisibleButton("##sweep-plot", extent);
  mark_item("sweep-plot");
  const ImVec2 to{from.x + extent.x, from.y + extent.y};
  const PixelAddress shown = shown_sweep_size(stats.sweep, settings.sweep);
  draw_sweep_plot(*ImGui::GetWindowDrawList(), from, to, stats.sweep, shown);
  if (ImGui::IsItemHovered()) tooltip(sweep_point_near(ImGui::GetIO().MousePos, from, to, stats.sweep, shown));
  draw_files(stats, settings);
  end_sheet();
}

}  // namespace convoscope::ui
