#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "app/ui/format.h"
#include "app/ui/keys.h"
#include "app/ui/panels.h"
#include "app/ui/ui_state.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {
namespace {

void draw_open_row(const Settings& settings, Requests& requests) {
  UiState& state = ui_state();
  if (state.shown_source != settings.source.input) {
    state.shown_source = settings.source.input;
    std::snprintf(state.open_text.data(), state.open_text.size(), "%s", settings.source.input.c_str());
  }
  const float button = text_size(Font::strong, "Open").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float gap = px(6);
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x - button - px(25) - 2 * gap, px(20)));
  if (state.focus_open_field) ImGui::SetKeyboardFocusHere();
  state.focus_open_field = false;
  const bool entered =
      text_field("open-path", "File, URL, camera, screen, pattern", state.open_text,
                 "A file or image, a URL, camera or camera:1, screen, pattern or pattern:NAME" +
                     keys_of("Open a file, URL or camera") + ". Files can also be dropped on the window.",
                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::SameLine(0, gap);
  const bool clicked = text_button("open", "Open", "Play what the field names.");
  if ((entered || clicked) && state.open_text[0] != 0) requests.open = state.open_text.data();
  ImGui::SameLine(0, gap);
  if (icon_button("recent", Icon::chevron_down, "Recent sources", false, 25)) ImGui::OpenPopup("##recent");
  if (ImGui::BeginPopup("##recent")) {
    heading("RECENT");
    if (settings.recent.empty()) text_dim("Nothing yet.");
    for (std::size_t i = 0; i < settings.recent.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      const std::string& recent = settings.recent[i];
      // The end of a long path tells more than its beginning.
      constexpr std::size_t shown = 60;
      const std::string label = recent.size() > shown ? "…" + recent.substr(recent.size() - shown) : recent;
      if (!recent.empty() && ImGui::Selectable(label.c_str())) requests.open = recent;
      tooltip(recent.size() > shown ? recent : "");
      ImGui::PopID();
    }
    ImGui::EndPopup();
  }
}

void draw_patterns(const Stats& stats, const Settings& settings, Requests& requests) {
  row_label("Pattern",
            "Drawn by the program, the same for the same frame number: shows what a filter does at every frequency.");
  const std::string& input = settings.source.input;
  const std::string chosen = input == "pattern" ? "all" : input.starts_with("pattern:") ? input.substr(8) : "–";
  if (begin_combo("##pattern", chosen)) {
    if (stats.patterns.empty() && ImGui::Selectable("all", chosen == "all")) requests.open = "pattern";
    for (const std::string& name : stats.patterns)
      if (ImGui::Selectable(shortened(name, 80).c_str(), name == chosen))
        requests.open = name == "all" ? "pattern" : "pattern:" + name;
    ImGui::EndCombo();
  }
}

std::string camera_text(const CameraInfo& camera) {
  return shortened(!camera.name.empty() ? camera.name : "camera " + std::to_string(camera.number), 80);
}

std::string mode_text(const CameraMode& mode) {
  return std::to_string(mode.width) + " × " + std::to_string(mode.height) + " · " + format_number(mode.rate, 4) +
         " fps · " + shortened(mode.format, 20);
}

bool is_chosen(const CameraMode& mode, const SourceSettings& source) {
  return mode.width == source.width && mode.height == source.height && mode.rate == source.rate &&
         mode.format == source.camera_format;
}

void use_own_mode(SourceSettings& source) {
  source.width = source.height = 0;
  source.rate = 0;
  source.camera_format.clear();
}

void draw_cameras(const Stats& stats, Settings& settings, Requests& requests) {
  row_label("Camera", "Video4Linux cameras that are plugged in.");
  const std::string& input = settings.source.input;
  const CameraInfo* current = nullptr;
  for (const CameraInfo& camera : stats.cameras)
    if (input == "camera:" + std::to_string(camera.number) ||
        (input == "camera" && camera.number == stats.cameras.front().number))
      current = &camera;
  if (begin_combo("##camera",
                  current                 ? camera_text(*current)
                  : stats.cameras.empty() ? "none found"
                                          : "–",
                  ImGui::GetContentRegionAvail().x - px(31))) {
    if (stats.cameras.empty()) text_dim("No camera was found. Plug one in and look again.");
    for (const CameraInfo& camera : stats.cameras) {
      ImGui::PushID(camera.number);
      if (ImGui::Selectable(camera_text(camera).c_str(), &camera == current)) {
        // Another camera has other modes; and what is not asked for cannot be refused.
        if (&camera != current) use_own_mode(settings.source);
        requests.open = "camera:" + std::to_string(camera.number);
      }
      tooltip(camera.problem.empty() ? camera.path : camera.problem);
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine(0, px(6));
  if (icon_button("refresh-cameras", Icon::refresh, "Look for cameras again", false, 25))
    requests.refresh_cameras = true;
  if (!current || current->modes.empty()) return;

  row_label("Mode", "Format, size and rate that the camera offers. A compressed format often allows a higher rate.");
  std::string preview = "the camera's own";
  for (const CameraMode& mode : current->modes)
    if (is_chosen(mode, settings.source)) preview = mode_text(mode);
  if (begin_combo("##mode", preview)) {
    if (ImGui::Selectable("the camera's own", preview == "the camera's own")) {
      use_own_mode(settings.source);
      requests.open = input;
    }
    for (std::size_t i = 0; i < current->modes.size(); ++i) {
      const CameraMode& mode = current->modes[i];
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(mode_text(mode).c_str(), is_chosen(mode, settings.source))) {
        settings.source.width = mode.width;
        settings.source.height = mode.height;
        settings.source.rate = mode.rate;
        settings.source.camera_format = mode.format;
        requests.open = input;
      }
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
}

void draw_facts(const SourceStats& source) {
  if (!source.description.empty()) text_dim(source.description);
  if (source.width > 0)
    value_row("Picture",
              std::to_string(source.width) + " × " + std::to_string(source.height) +
                  (source.rate > 0 ? " · " + format_number(source.rate, 4) + " fps" : "") +
                  (source.pixel_aspect != 1.0 ? " · pixels " + format_number(source.pixel_aspect, 4) + " : 1" : ""));
  if (!source.decoder.empty())
    value_row("Decoder", source.decoder, "What turns the stream into pictures. NVDEC leaves them on the GPU.");
  if (source.queue_capacity > 0)
    value_row("Queue", std::to_string(source.queue_length) + " of " + std::to_string(source.queue_capacity) + " frames",
              "Decoded frames that wait to be shown. Empty for long: decoding is too slow.");
}

}  // namespace

void draw_source_panel(const Stats& stats, Settings& settings, Requests& requests) {
  draw_open_row(settings, requests);
  draw_patterns(stats, settings, requests);
  draw_cameras(stats, settings, requests);
  if (!stats.source.error.empty()) {
    text_coloured(theme().error, stats.source.error);
    if (text_button("retry", "Try again", "Open the source again" + keys_of("Try the source again"), true))
      requests.retry_source = true;
  }
  draw_facts(stats.source);
}

}  // namespace convoscope::ui
