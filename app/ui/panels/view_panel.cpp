#include <imgui.h>

#include <algorithm>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/window_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/panels/panel.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/zoom.h"

namespace convoscope::ui {
namespace {

void draw_view_panel(const Stats& stats, Settings& settings, Requests&) {
  row_label("View",
            "single: the active pane. grid: all panes side by side. split: a wipe between panes. difference: one pane "
            "minus another. blink: one pane after the other.");
  constexpr const char* views[] = {"single", "grid", "split", "difference", "blink"};
  int view = static_cast<int>(settings.group().view);
  if (begin_combo("##view", views[std::clamp(view, 0, 4)])) {
    for (int i = 0; i < 5; ++i) {
      if (list_entry(views[i], i == view)) show_view(settings, static_cast<View>(i));
      mark_item("view/" + std::string(views[i]));
    }
    ImGui::EndCombo();
  }
  draw_view_controls(settings);

  row_label("Label",
            "The label on the active pane says what its strategy costs. It opens under the mouse and can be dragged." +
                keys_of(action::next_label));
  int card = static_cast<int>(settings.active().card.shape);
  if (segmented("card", card_shape_names, &card, "")) settings.active().card.shape = static_cast<CardShape>(card);
  if (settings.active().card.shape == CardShape::open && stays_one_line(settings.active())) {
    text_dim("The pane has no room for the full label, so it is short.");
    mark_area("card/one-line", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  }

  row_label("Pixels",
            "rgba8: red, green and blue from 0 to 255. gray32f: one 32-bit float, neither rounded nor clamped." +
                keys_of(action::next_format));
  constexpr const char* formats[] = {"rgba8", "gray32f"};
  int format = static_cast<int>(settings.format);
  if (segmented("format", formats, &format, "")) settings.format = static_cast<PixelFormat>(format);

  row_label("Backend",
            "Where strategies run. emulated runs the CUDA kernels thread by thread on the CPU: good for looking "
            "inside, not for timing.");
  int backend = static_cast<int>(settings.backend);
  if (segmented("backend", backend_names, &backend, "", 0, backend_that_cannot_run(stats)))
    settings.backend = static_cast<BackendChoice>(backend);

  row_label("Zoom",
            "Turn the wheel to zoom about the cursor, and drag to move the picture. Fit it again with the button" +
                keys_of(action::fit_the_picture));
  auto zoom = static_cast<float>(settings.zoom.scale);
  const float gap = px(6), buttons = text_button_width("Fit") + text_button_width("1:1") + 2 * gap;
  const float zoom_width = std::max(ImGui::GetContentRegionAvail().x - buttons, px(20));
  if (slider("zoom", &zoom, 0.1f, 100.0f, "%.2f×", ImGuiSliderFlags_Logarithmic, zoom_width))
    settings.zoom.scale = zoom;
  ImGui::SameLine(0, gap);
  if (text_button("fit", "Fit", "Fits the whole picture into the pane" + keys_of(action::fit_the_picture)))
    settings.zoom = {};
  ImGui::SameLine(0, gap);
  if (text_button("actual-size", "1:1",
                  "Shows one pixel of the picture on each pixel of the screen" + keys_of(action::one_to_one)))
    zoom_to_scale(1, stats, settings);

  row_label("Text size",
            "How large text and controls are. A wider window has room for larger ones." + keys_of(action::larger_text));
  if (icon_button("smaller-text", Icon::minus, "Smaller" + keys_of(action::smaller_text), false, 25))
    change_ui_scale(settings, 1 / 1.1);
  ImGui::SameLine(0, px(4));
  ImGui::AlignTextToFramePadding();
  text_clipped(shown_text_size(settings), px(60), theme().text);
  ImGui::SameLine(0, px(4));
  if (icon_button("larger-text", Icon::plus, "Larger" + keys_of(action::larger_text), false, 25))
    change_ui_scale(settings, 1.1);
  ImGui::SameLine(0, px(10));
  if (text_button("auto-text", "Reset", "The size that suits the monitor" + keys_of(action::text_to_suit)))
    change_ui_scale(settings, 0);

  row_label("Statistics", "How many recent frames the medians are taken over.");
  slider("timing-window", &settings.timing_window, 30, 1000, "%d frames");

  toggle("light", "Light theme", &settings.light_theme, with_keys(action::theme));
  beside(toggle_width("Wait for the display"));
  toggle("vsync", "Wait for the display", &settings.vsync,
         "Vsync: prevents tearing, and draws no more frames than the display shows" + keys_of(action::vsync));
  toggle("projector", "Projector", &settings.projector,
         "Large text and thick lines, for the back of a room" + keys_of(action::projector));
  beside(toggle_width("Panels on the left"));
  toggle("panels-left", "Panels on the left", &settings.panels_left,
         "On the other side of the picture" + keys_of(action::swap_sides));
  if (!stats.renderer.empty()) {
    push_font(Font::small);
    text_coloured(theme().faint, "Drawn by " + stats.renderer);
    pop_font();
  }
}

constexpr Control view_controls[] = {
    {"View"},      {"Label", "card"},      {"Pixels"},       {"Backend"},    {"Zoom"},        {"Fit"},
    {"1:1"},       {"Text size"},          {"Reset"},        {"Statistics"}, {"Light theme"}, {"Wait for the display"},
    {"Projector"}, {"Panels on the left"}, {"Wipe"},         {"Even"},       {"Compare"},     {"Shown as"},
    {"Gain"},      {"Threshold"},          {"False colour"}, {"Each for"},
};

}  // namespace

extern const Panel view_panel{
    .id = "view",
    .title = "View",
    .key = key::f(6),
    .keys = "F6",
    .action = "View panel",
    .draw = draw_view_panel,
    .summary = [](const Stats&, const Settings& s) { return std::string(to_string(s.format)); },
    .controls = view_controls,
};

}  // namespace convoscope::ui
