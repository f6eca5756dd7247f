// Recording, rendering and copying: the section of the side panel, the mark on the picture while a recording runs, and
// the card while a render does.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/ui/format.h"
#include "app/ui/keys.h"
#include "app/ui/panels.h"
#include "app/ui/ui.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {
namespace {

// "1:02", "1:00:00"
std::string whole_seconds(double seconds) {
  const auto all = static_cast<long long>(std::max(seconds, 0.0));
  char text[32];
  if (all >= 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", all / 3600, all / 60 % 60, all % 60);
  else
    std::snprintf(text, sizeof text, "%lld:%02lld", all / 60, all % 60);
  return text;
}

std::string progress_text(const Stats& stats) {
  std::string text = whole_seconds(stats.recording_seconds) + "   ";
  text += stats.frames_recorded > 0 ? format_count(stats.frames_recorded) + " frames" : "starting";  // the encoder is
  if (stats.frames_not_recorded > 0) text += ", " + format_count(stats.frames_not_recorded) + " missed";
  return stats.recording_ends ? "Finishing the file…" : text;
}

void draw_actions(const Stats& stats, const Settings& settings, Requests& requests) {
  const bool busy = stats.render.running;
  ImGui::BeginDisabled(busy || stats.recording_ends);
  if (text_button("panel-record", stats.recording ? "Stop" : "Record",
                  (stats.recording ? "End the recording" : "Record what is shown") + keys_of("Start or stop recording"),
                  !stats.recording))
    requests.toggle_recording = true;
  ImGui::EndDisabled();
  ImGui::SameLine(0, px(6));
  const bool endless = stats.source.live || (stats.source.frames <= 0 && stats.source.duration <= 0);
  const bool marked = settings.playback.loop_a && settings.playback.loop_b;
  ImGui::BeginDisabled(stats.recording || busy || (endless && !marked));
  if (text_button("panel-render", "Render",
                  "The whole source (or from A to B), every frame once, as fast as this machine can" +
                      keys_of("Render the whole source to a file")))
    requests.render = "";
  ImGui::EndDisabled();
  if (endless && !marked && !busy) tooltip("This source has no end: set A and B, or record it.");
  ImGui::SameLine(0, px(6));
  if (icon_button("panel-screenshot", Icon::camera, "Save a screenshot" + keys_of("Save a screenshot"), false, 25))
    requests.screenshot = true;
  ImGui::SameLine(0, px(4));
  if (icon_button("panel-copy", Icon::copy, "Copy the picture to the clipboard" + keys_of("Copy the picture"), false,
                  25))
    requests.copy_picture = true;
}

void draw_choices(Settings& settings) {
  RecordingChoices& choices = settings.recording;
  row_label("What",
            "The window as it is, with panels and labels; or the picture alone." + keys_of("Record the panels too"));
  constexpr const char* parts[] = {"window", "picture"};
  int part = choices.with_panels ? 0 : 1;
  if (segmented("record-part", parts, &part, "")) choices.with_panels = part == 0;

  if (!choices.with_panels) {
    row_label("Size", "Of the picture: as it is shown, or as many pixels as the source has.");
    constexpr const char* sizes[] = {"as shown", "source"};
    int size = choices.source_size ? 1 : 0;
    if (segmented("record-size", sizes, &size, "")) choices.source_size = size == 1;
  }

  row_label("Codec",
            "auto: H.264. NVENC encodes where the GPU has it, else x264 or x265. FFV1 loses nothing and makes large "
            "files.");
  constexpr const char* codecs[] = {"auto", "H.264", "HEVC", "FFV1"};
  int codec = static_cast<int>(choices.codec);
  if (segmented("record-codec", codecs, &codec, "")) choices.codec = static_cast<RecordingCodec>(codec);

  toggle("record-sound", "Copy the sound", &choices.sound,
         "Of a file, while it plays on at normal speed. It is copied as it is, not encoded again.");
}

void draw_last_seconds(const Stats& stats, Settings& settings, Requests& requests) {
  RecordingChoices& choices = settings.recording;
  heading("LAST SECONDS");
  toggle("keep-last", "Keep them", &choices.keep_last_seconds,
         "Small pictures of the last 5 seconds stay in memory, at most 48 MB, for a short animation.");
  if (!choices.keep_last_seconds) return;
  row_label("As", "GIF plays everywhere; WebP is smaller and has all colours.");
  constexpr const char* formats[] = {"GIF", "WebP"};
  int format = static_cast<int>(choices.animation);
  if (segmented("animation-format", formats, &format, "", px(120)))
    choices.animation = static_cast<AnimationFormat>(format);
  ImGui::SameLine(0, px(6));
  if (text_button("save-animation", "Save", "Save the last seconds" + keys_of("Save the last seconds as GIF or WebP")))
    requests.save_animation = true;
  push_font(Font::small);
  text_coloured(theme().faint, format_number(stats.animation_seconds, 2) + " s kept, " +
                                   format_bytes(static_cast<double>(stats.animation_bytes)) + " of memory");
  pop_font();
}

}  // namespace

void draw_recording_panel(const Stats& stats, Settings& settings, Requests& requests) {
  draw_actions(stats, settings, requests);
  if (stats.recording && !stats.render.running) {
    text_coloured(stats.frames_not_recorded > 0 ? theme().warning : theme().error, progress_text(stats));
    push_font(Font::small);
    const std::string size = std::to_string(stats.recording_width) + " × " + std::to_string(stats.recording_height);
    text_coloured(theme().faint, stats.recording_path + ", " + size +
                                     (stats.recording_encoder.empty() ? "" : ", " + stats.recording_encoder));
    pop_font();
  }
  draw_choices(settings);
  draw_last_seconds(stats, settings, requests);
}

// On the picture, so that it is seen without the panels too. It is part of the recording only if the panels are.
void draw_recording_mark(const Stats& stats, const Area& picture) {
  if (!stats.recording || stats.render.running || picture.width < px(160)) return;
  const Theme& t = theme();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const std::string text = progress_text(stats);
  const ImVec2 size = text_size(Font::strong, text);
  const float height = px(26), width = size.x + px(36);
  // Below the panes' cards, across from the messages.
  const ImVec2 from{picture.x + px(12), picture.y + picture.height - px(12) - height};
  const ImVec2 to{from.x + width, from.y + height};
  list.AddRectFilled(from, to, with_alpha(t.raised, 0.9f), height / 2);
  mark_item("recording-mark", from, to);
  list.AddCircleFilled({from.x + px(14), from.y + height / 2}, px(5), t.error, 20);
  draw_text(list, Font::strong, {from.x + px(25), std::round(from.y + (height - size.y) / 2)},
            stats.frames_not_recorded > 0 ? t.warning : t.text, text);
}

void draw_render(const Stats& stats, Requests& requests) {
  const RenderStats& render = stats.render;
  if (!render.running) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(screen);
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, with_alpha(theme().panel, 0.6f));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin(render_window, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  const float width = std::min(px(440), screen.x - px(24)), height = px(148);
  const ImVec2 from{std::round((screen.x - width) / 2), std::round((screen.y - height) / 2)};
  const ImVec2 to{from.x + width, from.y + height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, to, theme().raised, px(10));
  const float left = from.x + px(24), right = to.x - px(24);
  ImGui::SetCursorScreenPos({left, from.y + px(18)});
  push_font(Font::title);
  text_clipped("Rendering", right - left, theme().text);
  pop_font();

  const double part = render.total > 0
                          ? std::clamp(static_cast<double>(render.done) / static_cast<double>(render.total), 0.0, 1.0)
                          : 0.0;
  const float y = from.y + px(54);
  list.AddRectFilled({left, y}, {right, y + px(6)}, with_alpha(theme().text, 0.14f), px(3));
  list.AddRectFilled({left, y}, {left + static_cast<float>(part) * (right - left), y + px(6)}, theme().accent, px(3));
  std::string text =
      format_count(render.done) + (render.total > 0 ? " of " + format_count(render.total) : "") + " frames";
  if (const double rate = frames_a_second(stats); rate > 0) text += ",  " + format_number(rate, 3) + " a second";
  ImGui::SetCursorScreenPos({left, y + px(14)});
  text_clipped(text, right - left, theme().dim);
  ImGui::SetCursorScreenPos({left, to.y - px(42)});
  push_font(Font::small);
  text_clipped(render.path, right - left - px(90), theme().faint);
  pop_font();
  ImGui::SetCursorScreenPos({right - px(76), to.y - px(46)});
  if (text_button("cancel-render", "Cancel", "What was rendered stays and plays (Esc)")) requests.cancel_render = true;
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace convoscope::ui
