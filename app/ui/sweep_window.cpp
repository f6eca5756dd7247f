// The sweep: what to measure, how far it is, its plot, and its files.
#include <imgui.h>

#include <algorithm>
#include <cstring>

#include "app/measure/sweep_curves.h"
#include "app/ui/format.h"
#include "app/ui/keys.h"
#include "app/ui/panels.h"
#include "app/ui/sweep_plot.h"
#include "app/ui/ui_state.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {
namespace {

constexpr int offered_radii[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
constexpr PixelAddress offered_sizes[] = {{640, 360}, {1280, 720}, {1920, 1080}, {3840, 2160}};

// A choice of many that is on or off; goes to the next line when this one is full.
bool chip(const std::string& id, const std::string& label, bool on, const std::string& tip) {
  const float width = text_size(Font::body, label).x + px(16), height = px(24);
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  const bool clicked = ImGui::InvisibleButton(("##" + id).c_str(), {width, height});
  mark_item(id);
  tooltip(tip);
  const Theme& t = theme();
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, to,
                     on                       ? t.accent_soft
                     : ImGui::IsItemHovered() ? mix(t.field, t.text, 0.1f)
                                              : t.field,
                     px(5));
  draw_text(list, Font::body, {from.x + px(8), from.y + (height - text_size(Font::body, label).y) / 2},
            on ? t.accent : t.text, label);
  ImGui::SameLine(0, px(5));
  return clicked;
}

template <class Value>
void switch_in(std::vector<Value>& values, const Value& value) {
  const auto found = std::ranges::find(values, value);
  found == values.end() ? void(values.push_back(value)) : void(values.erase(found));
}

void end_chips() {
  ImGui::NewLine();
  ImGui::Dummy({0, px(1)});
}

void draw_choices(const Stats& stats, SweepSettings& sweep) {
  row_label("Radius", "Of the active pane's filter, where it has a radius; else of a Gaussian.");
  for (const int radius : offered_radii)
    if (chip("sweep-radius/" + std::to_string(radius), std::to_string(radius),
             std::ranges::find(sweep.radii, radius) != sweep.radii.end(), ""))
      switch_in(sweep.radii, radius);
  end_chips();
  row_label("Size", "None chosen: the source's.");
  for (const PixelAddress& size : offered_sizes) {
    const std::string text = std::to_string(size.x) + "×" + std::to_string(size.y);
    if (chip("sweep-size/" + text, text, std::ranges::find(sweep.sizes, size) != sweep.sizes.end(), ""))
      switch_in(sweep.sizes, size);
  }
  end_chips();
  row_label("Strategies", "None chosen: those of the panes.");
  for (const StrategyRow& row : stats.ladder) {
    if (!row.available || row.backend != stats.device.backend) continue;
    const std::string id(row.strategy->id);
    if (chip("sweep-strategy/" + id, id, std::ranges::find(sweep.strategies, id) != sweep.strategies.end(),
             std::string(row.strategy->title)))
      switch_in(sweep.strategies, id);
  }
  end_chips();
}

void draw_progress(const SweepStats& sweep, SweepSettings& settings, Requests& requests) {
  if (sweep.running) {
    if (text_button("sweep-cancel", "Cancel", "What was measured stays" + keys_of("Start or cancel the sweep")))
      requests.cancel_sweep = true;
  } else if (text_button("sweep-start", "Start", "Measure" + keys_of("Start or cancel the sweep"), true)) {
    requests.start_sweep = true;
  }
  ImGui::SameLine(0, px(12));
  toggle("sweep-hold", "Hold the picture while a point is measured", &settings.hold_view,
         "On: nothing else is filtered while a point is measured, and the window draws some 20 times a second: quiet "
         "times. Off: the view goes on and shares the device with the sweep.");
  if (!sweep.running) return;
  ImGui::SameLine(0, px(12));
  ImGui::AlignTextToFramePadding();
  text_clipped(std::to_string(sweep.done) + " of " + std::to_string(sweep.total) + "   " + sweep.doing,
               ImGui::GetContentRegionAvail().x, theme().dim);
}

void draw_files(const SweepStats& sweep, SweepSettings& settings, Requests& requests) {
  UiState& state = ui_state();
  const std::vector<PixelAddress> sizes = sweep_sizes(sweep.rows.empty() ? sweep.loaded : sweep.rows);
  for (std::size_t i = 0; sizes.size() > 1 && i < sizes.size(); ++i) {
    const std::string text = std::to_string(sizes[i].x) + "×" + std::to_string(sizes[i].y);
    if (chip("sweep-shown/" + text, text, static_cast<int>(i) == settings.shown_size, "Show this size"))
      settings.shown_size = static_cast<int>(i);
  }
  const float buttons = px(150);
  if (state.focus_sweep_path) ImGui::SetKeyboardFocusHere();
  state.focus_sweep_path = false;
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x - buttons, px(60)));
  const bool entered = text_field(
      "sweep-path", "File (.csv, .json, .png; empty: all three)", state.sweep_path,
      "Save takes the kind from the name. Enter lays over what a sweep or convoscope bench --json has saved.",
      ImGuiInputTextFlags_EnterReturnsTrue);
  const std::string path = state.sweep_path.data();
  ImGui::SameLine(0, px(6));
  if (text_button("sweep-save", "Save", "CSV, JSON and a picture of the plot" + keys_of("Save the sweep")))
    requests.save_sweep = path;
  ImGui::SameLine(0, px(6));
  const bool pressed =
      text_button("sweep-load", "Lay over", "A saved sweep, dashed" + keys_of("Lay a saved sweep over: name it"));
  if ((entered || pressed) && !path.empty()) requests.load_sweep = path;
}

}  // namespace

void draw_sweep_window(const Stats& stats, Settings& settings, Requests& requests, const Area& picture) {
  if (!settings.sweep.open) return;
  const float width = std::min(picture.width - px(24), px(980)), height = std::min(picture.height - px(24), px(700));
  if (width < px(200) || height < px(160)) return;
  ImGui::SetNextWindowPos({picture.x + (picture.width - width) / 2, picture.y + (picture.height - height) / 2});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(9));
  constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavInputs;
  ImGui::Begin("##sweep", nullptr, fixed);
  ImGui::PopStyleVar();
  draw_text(*ImGui::GetWindowDrawList(), Font::title, ImGui::GetCursorScreenPos(), theme().text,
            "Sweep: radius × strategy × size");
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - px(28));
  if (icon_button("sweep-close", Icon::close, "Close; a running sweep goes on" + keys_of("Sweep")))
    settings.sweep.open = false;
  draw_choices(stats, settings.sweep);
  draw_progress(stats.sweep, settings.sweep, requests);
  const float rest = ImGui::GetContentRegionAvail().y - px(40);
  if (rest > px(90)) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 extent{ImGui::GetContentRegionAvail().x, rest};
    ImGui::InvisibleButton("##sweep-plot", extent);
    mark_item("sweep-plot");
    draw_sweep_plot(*ImGui::GetWindowDrawList(), from, {from.x + extent.x, from.y + extent.y}, stats.sweep,
                    shown_sweep_size(stats.sweep, settings.sweep));
  }
  draw_files(stats.sweep, settings.sweep, requests);
  ImGui::End();
}

}  // namespace convoscope::ui
