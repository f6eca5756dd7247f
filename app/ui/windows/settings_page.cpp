// The page of settings: what belongs to this machine and its window, and where things are kept.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/ui/actions/window_actions.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/notices/message_queue.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/windows/page.h"
#include "app/ui/windows/pages.h"

namespace convoscope::ui {
namespace {

template <std::size_t count>
void choose(const char* id, const char* label, const std::array<const char*, count>& names, int* chosen,
            const std::string& tip, const CannotBe& cannot_be = {}) {
  row_label(label, tip);
  segmented(id, names, chosen, tip, 0, cannot_be);
}

void draw_look(Settings& settings) {
  heading("LOOK");
  int light = settings.light_theme;
  choose("settings/theme", "Theme", std::array{"Dark", "Light"}, &light,
         "Whether the window is dark or light" + keys_of(action::theme));
  settings.light_theme = light != 0;
  int left = settings.panels_left;
  choose("settings/side", "Panels", std::array{"Right", "Left"}, &left,
         "Which side of the window the panels are on" + keys_of(action::swap_sides));
  settings.panels_left = left != 0;

  row_label("Text size",
            "How large text and controls are. A wider window has room for larger ones" + keys_of(action::larger_text));
  if (icon_button("settings/smaller", Icon::minus, "Smaller" + keys_of(action::smaller_text), false, 25))
    change_ui_scale(settings, 1 / 1.1);
  ImGui::SameLine(0, px(4));
  const std::string shown = shown_text_size(settings);
  const float width = text_size(Font::body, "1000 %").x + px(8);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = text_size(Font::body, shown);
  draw_text(*ImGui::GetWindowDrawList(), Font::body,
            {std::round(at.x + (width - size.x) / 2), std::round(at.y + (px(25) - size.y) / 2)}, theme().text, shown);
  ImGui::Dummy({width, px(25)});
  ImGui::SameLine(0, px(4));
  if (icon_button("settings/larger", Icon::plus, "Larger" + keys_of(action::larger_text), false, 25))
    change_ui_scale(settings, 1.1);
  ImGui::SameLine(0, px(8));
  if (text_button("settings/automatic", "Suit the monitor",
                  "Use the size that suits the monitor" + keys_of(action::text_to_suit)))
    settings.ui_scale = 0;
  row_label("");
  toggle("settings/projector", "For a projector", &settings.projector,
         "Large text and thick lines, readable from the back of a room" + keys_of(action::projector));
}

// Greyed where there is nothing to choose, with the reason in its place.
void choose_gpu(const Stats& stats, Settings& settings) {
  const auto name = [](const Device& gpu) { return std::to_string(gpu.ordinal) + ": " + gpu.name; };
  const auto chosen = std::ranges::find(stats.gpus, settings.device, &Device::ordinal);
  std::string shown = chosen != stats.gpus.end() ? name(*chosen) : "number " + std::to_string(settings.device);
  std::string tip = "The GPU that runs the CUDA strategies.";
  if (stats.gpus.empty()) {
    shown = stats.why_no_gpu.empty() ? "There is none." : stats.why_no_gpu;
    tip = "There is no GPU to choose here. " + stats.why_no_gpu;
  } else if (stats.gpus.size() == 1) {
    shown = stats.gpus[0].name;
    tip = "This is the only GPU, so there is nothing to choose.";
  }
  row_label("GPU", tip);
  ImGui::BeginDisabled(stats.gpus.size() < 2);
  if (begin_combo("##settings/gpu", shown)) {
    for (const Device& gpu : stats.gpus) {
      if (list_entry(name(gpu), gpu.ordinal == settings.device)) settings.device = gpu.ordinal;
      mark_item("settings/gpu/" + std::to_string(gpu.ordinal));
    }
    ImGui::EndCombo();
  } else {
    tooltip(tip);
  }
  ImGui::EndDisabled();
}

void draw_machine(const Stats& stats, Settings& settings) {
  heading("MACHINE");
  int backend = static_cast<int>(settings.backend);
  choose("settings/backend", "Backend", backend_names, &backend,
         "Where pictures are filtered. auto takes cuda if there is a GPU, and cpu otherwise. emulated runs the CUDA "
         "kernels thread by thread on the CPU." +
             keys_of(action::next_backend),
         backend_that_cannot_run(stats));
  settings.backend = static_cast<BackendChoice>(backend);
  choose_gpu(stats, settings);
  row_label("Device", "The device that filters the pictures now.");
  ImGui::AlignTextToFramePadding();
  text_clipped(stats.device.name.empty() ? stats.backend : stats.device.name, ImGui::GetContentRegionAvail().x,
               theme().text);
  row_label("Display");
  toggle("settings/vsync", "Wait for the display (vsync)", &settings.vsync,
         "Prevents tearing, and draws no more pictures than the display can show" + keys_of(action::vsync));
}

void draw_places(const Stats& stats) {
  heading("WHERE THINGS ARE KEPT");
  for (const Place& place : stats.places) {
    row_label(place.what.c_str(), place.tip);
    ImGui::AlignTextToFramePadding();
    text_clipped(place.path.empty() ? "nowhere, since HOME is not an absolute path" : place.path,
                 ImGui::GetContentRegionAvail().x - px(36), theme().text);
    ImGui::SameLine();
    ImGui::SetCursorPosX(std::max(ImGui::GetWindowContentRegionMax().x - px(28), 0.0f));
    if (icon_button(("settings/copy/" + place.what).c_str(), Icon::copy, "Copy the path"))
      ImGui::SetClipboardText(place.path.c_str());
  }
}

void draw_reset(const Stats& stats, Settings& settings, Requests& requests) {
  UiState& state = ui_state();
  heading("START OVER");
  if (text_button("settings/save-session", "Save the session …",
                  "Saves what is shown and how it is filtered to a file" + keys_of(action::save_session)))
    open_save_dialog(Saved::session, stats, settings);
  ImGui::SameLine(0, px(8));
  const bool again = text_button("settings/notices", "Show notices again",
                                 "Shows the hint of a first start and the notices that you dismissed, too");
  if (page_is_opening()) state.notices_again = false;
  if (again) {
    state.notices_again = true;
    show_notices_again(stats, settings);
  }
  if (!state.reset_asked) {
    ImGui::SameLine(0, px(8));
    if (text_button("settings/reset", "Reset everything …", "Sets everything back to the defaults, and keeps a backup"))
      state.reset_asked = state.ask_for_reset = true;
    if (state.notices_again) {
      text_dim("Done. When you close this page, any notices and the hint of a first start are shown again.");
      mark_area("settings/notices/done", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    }
    if (again) ImGui::SetScrollHereY(1);
    return;
  }
  text_dim("Settings and session go back to the defaults. A backup is kept.");
  if (text_button("settings/reset-now", "Reset", "", true)) {
    requests.reset_settings = true;
    state.reset_asked = momentary().show_settings = false;
  }
  ImGui::SameLine(0, px(8));
  if (text_button("settings/reset-not", "Keep", "Leave everything as it is")) state.reset_asked = false;
}

// With all that it can say, so that nothing has to scroll where the window is high enough.
constexpr float page_height = 780;

}  // namespace

void draw_settings(const Stats& stats, Settings& settings, Requests& requests) {
  if (!begin_page("settings", "Settings", 560, page_height, &momentary().show_settings, keys_of(action::settings)))
    return;
  if (page_is_opening()) ui_state().reset_asked = false;
  const bool asking = std::exchange(ui_state().ask_for_reset, false);
  ui_state().reset_asked |= asking;
  ImGui::BeginChild("##settings-rows");
  draw_look(settings);
  ImGui::Dummy({0, px(8)});
  draw_machine(stats, settings);
  ImGui::Dummy({0, px(8)});
  draw_places(stats);
  ImGui::Dummy({0, px(8)});
  draw_reset(stats, settings, requests);
  if (asking) ImGui::SetScrollHereY(1);
  ImGui::EndChild();
  end_page();
}

}  // namespace convoscope::ui
