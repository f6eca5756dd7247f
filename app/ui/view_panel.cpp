#include <imgui.h>

#include <algorithm>

#include "app/ui/format.h"
#include "app/ui/keys.h"
#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {

void draw_view_panel(const Stats& stats, Settings& settings, Requests&) {
  row_label("Panes as",
            "single: the active pane. grid: all. split: a wipe between them. difference: of two. blink: in turn.");
  constexpr const char* views[] = {"single", "grid", "split", "difference", "blink"};
  int view = static_cast<int>(settings.view);
  if (begin_combo("##view", views[std::clamp(view, 0, 4)])) {
    for (int i = 0; i < 5; ++i) {
      if (ImGui::Selectable(views[i], i == view)) settings.view = static_cast<View>(i);
      mark_item("view/" + std::string(views[i]));
    }
    ImGui::EndCombo();
  }
  draw_view_controls(stats, settings);

  row_label("Pixels", "rgba8: red, green and blue, 0 to 255. gray32f: one 32-bit float, neither rounded nor clamped.");
  constexpr const char* formats[] = {"rgba8", "gray32f"};
  int format = static_cast<int>(settings.format);
  if (segmented("format", formats, &format, keys_of("Colour (rgba8) or grey (gray32f)")))
    settings.format = static_cast<PixelFormat>(format);

  row_label(
      "Backend",
      "Where strategies run. emulated: the CUDA kernels thread by thread on the CPU, for looking, not for timing.");
  constexpr const char* backends[] = {"auto", "cuda", "cpu", "emulated"};
  int backend = static_cast<int>(settings.backend);
  if (segmented("backend", backends, &backend, "")) settings.backend = static_cast<BackendChoice>(backend);

  row_label("Zoom", "Wheel: zoom about the cursor. Drag: move. Fit" + keys_of("Fit the picture"));
  auto zoom = static_cast<float>(settings.zoom.scale);
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x - px(50), px(20)));
  if (ImGui::SliderFloat("##zoom", &zoom, 0.1f, 100.0f, "%.2f×",
                         ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp))
    settings.zoom.scale = zoom;
  mark_item("zoom");
  ImGui::SameLine(0, px(6));
  if (text_button("fit", "Fit", "The whole picture" + keys_of("Fit the picture"))) settings.zoom = {};

  row_label("Text size", "For a projector, or small eyes." + keys_of("Larger text, for a projector"));
  if (icon_button("smaller-text", Icon::minus, "Smaller" + keys_of("Smaller text"), false, 25))
    change_ui_scale(settings, 1 / 1.1);
  ImGui::SameLine(0, px(4));
  ImGui::AlignTextToFramePadding();
  text_clipped(settings.ui_scale > 0 ? format_number(settings.ui_scale * 100.0) + " %" : "auto", px(60), theme().text);
  ImGui::SameLine(0, px(4));
  if (icon_button("larger-text", Icon::plus, "Larger" + keys_of("Larger text, for a projector"), false, 25))
    change_ui_scale(settings, 1.1);
  ImGui::SameLine(0, px(10));
  if (text_button("auto-text", "Auto", "As large as the monitor asks" + keys_of("Text as large as the monitor asks")))
    change_ui_scale(settings, 0);

  row_label("Statistics", "How many frames the medians look back.");
  ImGui::SliderInt("##window", &settings.timing_window, 30, 1000, "%d frames", ImGuiSliderFlags_AlwaysClamp);
  mark_item("timing-window");

  toggle("light", "Light theme", &settings.light_theme, "Dark or light" + keys_of("Dark or light"));
  ImGui::SameLine(0, px(24));
  toggle("vsync", "Wait for the display", &settings.vsync,
         "Vsync: no tearing, and no more frames than the display shows" + keys_of("Wait for the display (vsync)"));
  toggle("projector", "Projector", &settings.projector,
         "Large text and thick lines, for the back of a room" + keys_of("Projector: large text, thick lines"));
  ImGui::SameLine(0, px(24));
  toggle("panels-left", "Panels on the left", &settings.panels_left, keys_of("Panels on the other side"));
  if (!stats.renderer.empty()) {
    push_font(Font::small);
    text_coloured(theme().faint, "Drawn by " + stats.renderer);
    pop_font();
  }
}

}  // namespace convoscope::ui
