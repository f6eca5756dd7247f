// The section of the side panel: what is looked at, and how the active pane compares with the reference.
#include <algorithm>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/cards/check_badge.h"
#include "app/ui/memory/inspect_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/stage/inspect.h"

namespace convoscope::ui {
namespace {

void draw_check(const Stats& stats, const Settings& settings, Requests& requests) {
  const PaneStats* const pane = active_stats(stats, settings);
  if (!pane || pane->check.state == CheckResult::State::none) return;
  const CheckResult& check = pane->check;
  const bool wrong = check.state == CheckResult::State::wrong;
  heading("AGAINST THE REFERENCE");
  text_coloured(wrong                                      ? theme().error
                : check.state == CheckResult::State::right ? theme().good
                                                           : theme().dim,
                check_text(*pane, settings.format));
  if (wrong &&
      text_button("show-wrong", "Go to the pixel", "Zooms to the pixel and shows how it differs from another pane"))
    requests.show_wrong_pixel = settings.group().active_pane;
}

void draw_inspect_panel(const Stats& stats, Settings& settings, Requests& requests) {
  InspectSettings& inspect = settings.inspect;
  const float half = ImGui::GetContentRegionAvail().x / 2, start = ImGui::GetCursorPosX();
  toggle("values", "Values", &inspect.values,
         "Shows the pixel under the cursor in all panes: in decimal, in hexadecimal and as a float" +
             keys_of(action::values));
  ImGui::SameLine(start + half);
  toggle("magnifier", "Magnifier", &inspect.magnifier,
         "Shows the pixels around the cursor, enlarged" + keys_of(action::magnifier));
  toggle("histogram", "Histogram", &inspect.histogram,
         "Shows how often each value of red, green, blue and luma occurs in the pane under the cursor" +
             keys_of(action::histogram));
  ImGui::SameLine(start + half);
  toggle("vectorscope", "Vectorscope", &inspect.vectorscope,
         "Shows the colours of the pane under the cursor: blue difference to the right, red difference upwards" +
             keys_of(action::vectorscope));
  toggle("explain", "Explain this pixel", &inspect.explain,
         "Click a pixel to see which block and thread computed it, what they loaded, and what was summed" +
             keys_of(action::explain));

  row_label("Magnify", "How many pixels the magnifier shows. At 7 × 7, the cells show their values.");
  constexpr const char* cells[] = {"15 × 15", "7 × 7"};
  int chosen = inspect_state().magnifier_cells > 7 ? 0 : 1;
  if (segmented("magnifier-cells", cells, &chosen,
                "Source pixels across the magnifier" + keys_of(action::magnifier_cells))) {
    inspect_state().magnifier_cells = chosen ? 7 : 15;
    inspect.magnifier = true;
  }

  row_label("Pixel",
            "The pinned pixel, or else the one under the cursor. Click the picture to pin a pixel, and click again to "
            "unpin it; while a pixel is explained, it stays.");
  const auto& pixel = stats.inspect.pixel;
  const char* const pin = inspect.pinned ? "Unpin" : "Pin";
  const float button = text_button_width(pin);
  ImGui::AlignTextToFramePadding();
  text_clipped(pixel ? std::to_string(pixel->x) + ", " + std::to_string(pixel->y) : "–",
               ImGui::GetContentRegionAvail().x - button - ImGui::GetStyle().ItemSpacing.x,
               pixel ? theme().text : theme().faint);
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(ImGui::GetContentRegionAvail().x - button, 0.0f));
  if (text_button("pin", pin, "Keep showing this pixel" + keys_of(action::pin_pixel))) toggle_pin(stats, settings);
  draw_check(stats, settings, requests);
}

constexpr Control inspect_controls[] = {
    {"Values"},  {"Magnifier"}, {"Histogram"}, {"Vectorscope"}, {"Explain this pixel"},
    {"Magnify"}, {"Pixel"},     {"Pin"},       {"Unpin"},       {"Go to the pixel"},
};

}  // namespace

extern const Panel inspect_panel{
    .id = "inspect",
    .title = "Inspect",
    .key = key::f(9),
    .keys = "F9",
    .action = "Inspect panel",
    .draw = draw_inspect_panel,
    .summary =
        [](const Stats& stats, const Settings&) {
          const auto& pixel = stats.inspect.pixel;
          return pixel ? std::to_string(pixel->x) + ", " + std::to_string(pixel->y) : std::string();
        },
    .controls = inspect_controls,
};

}  // namespace convoscope::ui
