// What belongs to the chosen view: the wipe's angle, how the difference is shown, the pace of blinking.
#include <imgui.h>

#include <algorithm>

#include "app/state/difference.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

void range_slider(const char* id, double& value, const Range& range, const char* format) {
  auto shown = static_cast<float>(value);
  if (slider(id, &shown, static_cast<float>(range.low), static_cast<float>(range.high), format,
             ImGuiSliderFlags_Logarithmic))
    value = std::clamp<double>(shown, range.low, range.high);
}

void draw_split(Settings& settings) {
  row_label("Wipe",
            "The angle of the lines, clockwise. On the picture, drag a line to move it; drag it near its end, or with "
            "Ctrl, to turn it." +
                keys_of(action::split_right));
  auto angle = static_cast<float>(settings.split.angle);
  const float gap = px(6);
  const float width = std::max(ImGui::GetContentRegionAvail().x - text_button_width("Even") - gap, px(20));
  if (slider("split-angle", &angle, -180, 180, "%.0f°", 0, width)) settings.split.angle = angle;
  ImGui::SameLine(0, gap);
  if (text_button("split-reset", "Even", "Makes the lines upright and evenly spaced" + keys_of(action::split_evenly)))
    settings.split = {};
}

void choose_pane(const char* id, const Settings& settings, int& chosen, int shown, float width) {
  const auto name = [&](int i) {
    return std::to_string(i + 1) + "  " + settings.group().panes[static_cast<std::size_t>(i)].strategy;
  };
  const bool is_there = shown < static_cast<int>(settings.group().panes.size());
  if (!begin_combo(id, is_there ? name(shown) : "–", width)) return;
  for (int i = 0; i < static_cast<int>(settings.group().panes.size()); ++i) {
    if (list_entry(name(i) + "##" + std::to_string(i), i == shown)) chosen = i;
    mark_item(std::string(id).substr(2) + "/" + std::to_string(i + 1));
  }
  ImGui::EndCombo();
}

void draw_compared_panes(Settings& settings) {
  DifferenceSettings& difference = settings.difference;
  const ComparedPanes compared = compared_panes(difference, static_cast<int>(settings.group().panes.size()));
  row_label("Compare", "The second pane is subtracted from the first." + keys_of("Difference from the active pane"));
  const float half = (ImGui::GetContentRegionAvail().x - px(6)) / 2;
  choose_pane("##first", settings, difference.first, compared.first, half);
  ImGui::SameLine(0, px(6));
  choose_pane("##second", settings, difference.second, compared.second, half);
}

void draw_difference(Settings& settings) {
  DifferenceSettings& difference = settings.difference;
  row_label(
      "Shown as",
      "absolute: how large the difference is. signed: grey where there is none. squared: large differences stand out." +
          keys_of(action::difference_mode));
  int mode = static_cast<int>(difference.mode);
  if (segmented("difference-mode", difference_modes, &mode, "")) difference.mode = static_cast<DifferenceMode>(mode);
  row_label("Gain", "The difference is multiplied by this." + keys_of(action::difference_more));
  range_slider("difference-gain", difference.gain, difference_gains, "%.2f×");
  row_label("Threshold",
            "Differences of up to this many code values (of 255) count as none." + keys_of(action::threshold_up));
  range_slider("difference-threshold", difference.threshold, difference_thresholds, "%.1f");
  toggle("false-colour", "False colour", &difference.false_colour,
         "Shows the largest difference among the channels in colours, with a legend" + keys_of(action::false_colour));
}

void draw_blink(Settings& settings) {
  row_label("Each for", "How long each pane is shown before the next one." + keys_of(action::blink_faster));
  range_slider("blink-seconds", settings.blink_seconds, blink_times, "%.2f s");
}

}  // namespace

// Those of the other views are greyed: nothing below them moves when another view is chosen.
void draw_view_controls(Settings& settings) {
  const View view = settings.group().view;
  const auto only_if = [](bool applies, const auto& draw) {
    ImGui::BeginDisabled(!applies);
    draw();
    ImGui::EndDisabled();
  };
  only_if(view == View::split, [&] { draw_split(settings); });
  only_if(view == View::blink, [&] { draw_blink(settings); });
  only_if(view == View::difference && settings.group().panes.size() > 1, [&] { draw_compared_panes(settings); });
  only_if(view == View::difference, [&] { draw_difference(settings); });
}

}  // namespace convoscope::ui
