// Recording, rendering and copying: the section of the side panel, the mark on the picture while a recording runs, and
// the card while a render does.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/files/file_names.h"
#include "app/files/paths.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/stage_places.h"
#include "app/ui/ui.h"

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

// "6 frames, 2 missed, 3 dropped": by the encoder, and by the view before it.
std::string recorded_frames(const Stats& stats) {
  std::string text = "starting";  // the encoder is
  if (stats.frames_recorded > 0)
    text = format_count(stats.frames_recorded) + (stats.frames_recorded == 1 ? " frame" : " frames");
  if (stats.frames_not_recorded > 0) text += ", " + format_count(stats.frames_not_recorded) + " missed";
  if (stats.frames_dropped_recording > 0) text += ", " + format_count(stats.frames_dropped_recording) + " dropped";
  return text;
}

bool lacks_frames(const Stats& stats) { return stats.frames_not_recorded > 0 || stats.frames_dropped_recording > 0; }

std::string progress_text(const Stats& stats) {
  return stats.recording_ends ? "Finishing the file …"
                              : whole_seconds(stats.recording_seconds) + "   " + recorded_frames(stats);
}

void draw_actions(const Stats& stats, const Settings& settings, Requests& requests) {
  const bool busy = stats.render.running;
  ImGui::BeginDisabled(busy || stats.recording_ends);
  if (text_button("panel-record", stats.recording ? "Stop" : "Record",
                  (stats.recording ? "End the recording" : "Record what is shown") + keys_of(action::record),
                  !stats.recording))
    requests.toggle_recording = true;
  ImGui::EndDisabled();
  ImGui::SameLine(0, px(6));
  const bool endless = stats.source.live || (stats.source.frames <= 0 && stats.source.duration <= 0);
  const bool marked = settings.playback.loop_b.has_value();
  ImGui::BeginDisabled(stats.recording || busy || (endless && !marked));
  const std::string tip =
      endless && !marked
          ? "This source has no end. Set B, or record it."
          : "Render the whole source, or the part from A to B, to a file: every frame once, as fast as possible" +
                keys_of(action::render);
  if (text_button("panel-render", "Render", tip)) open_save_dialog(Saved::render, stats, settings);
  ImGui::EndDisabled();
  ImGui::SameLine(0, px(6));
  if (icon_button("panel-screenshot", Icon::camera, with_keys(action::screenshot), false, 25))
    requests.screenshot = true;
  ImGui::SameLine(0, px(4));
  if (icon_button("panel-copy", Icon::copy, "Copy the picture to the clipboard" + keys_of(action::copy_picture), false,
                  25))
    requests.copy_picture = true;
}

void draw_choices(Settings& settings) {
  RecordingChoices& choices = settings.recording;
  row_label("Record", "Records the whole window with its panels and labels, or only the picture." +
                          keys_of(action::record_panels));
  constexpr const char* parts[] = {"window", "picture"};
  int part = choices.with_panels ? 0 : 1;
  if (segmented("record-part", parts, &part, "")) choices.with_panels = part == 0;

  row_label("Size",
            "The size of the picture when it is recorded or rendered alone: as it is shown, or as the source has it.");
  constexpr const char* sizes[] = {"as shown", "source"};
  int size = choices.source_size ? 1 : 0;
  ImGui::BeginDisabled(choices.with_panels && choices.render_panels);  // the window has only the one
  if (segmented("record-size", sizes, &size, "")) choices.source_size = size == 1;
  ImGui::EndDisabled();

  row_label("Codec",
            "auto chooses H.264. NVENC encodes it if the GPU has NVENC, otherwise x264 or x265 does. FFV1 is lossless "
            "and makes large files.");
  constexpr const char* codecs[] = {"auto", "H.264", "HEVC", "FFV1"};
  int codec = static_cast<int>(choices.codec);
  if (segmented("record-codec", codecs, &codec, "")) choices.codec = static_cast<RecordingCodec>(codec);

  row_label("Quality",
            "small: a quarter of the size, but fine detail is lost. good: hard to tell apart from the window. best: "
            "twice the size, for editing. For H.264 these are CRF 26, 18 and 12, and similar for HEVC and NVENC. FFV1 "
            "always keeps everything.");
  constexpr const char* qualities[] = {"small", "good", "best"};
  int quality = static_cast<int>(choices.quality);
  ImGui::BeginDisabled(choices.codec == RecordingCodec::ffv1);
  if (segmented("record-quality", qualities, &quality, "")) choices.quality = static_cast<RecordingQuality>(quality);
  ImGui::EndDisabled();

  row_label("Rate",
            "How many pictures a second to record at most. Fewer make a smaller file; there are never more than the "
            "source has.");
  const std::string rate = choices.rate > 0 ? format_number(choices.rate, 4) + " a second" : "same as the source";
  if (begin_combo("##record-rate", rate)) {
    for (const double offered : {0.0, 60.0, 50.0, 30.0, 25.0, 15.0, 10.0, 5.0}) {
      const std::string text = offered > 0 ? format_number(offered, 4) + " a second" : "same as the source";
      if (list_entry(text, choices.rate == offered)) choices.rate = offered;
      mark_item("record-rate/" + format_number(offered, 4));
    }
    ImGui::EndCombo();
  }

  toggle(
      "record-sound", "Copy the sound", &choices.sound,
      "The sound of a file is copied as it is while the file plays at normal speed. It is not encoded again, unless it "
      "is filtered when the recording begins: then the filtered sound is recorded, as AAC, or FLAC beside FFV1.");
}

// Where all that is saved at once goes: recordings, screenshots, animations.
void draw_place(const Stats& stats, Settings& settings, Requests& requests) {
  RecordingChoices& choices = settings.recording;
  UiState& state = ui_state();
  const std::string& videos = stats.files.videos_in.empty() ? stats.files.started_in : stats.files.videos_in;
  const std::string folder = choices.folder.empty() ? videos : choices.folder;
  std::string tip = "Recordings, screenshots and animations are saved here.";
  if (choices.folder.empty() && stats.files.pictures_in != stats.files.videos_in)
    tip = "Recordings are saved here, and screenshots and animations in " + printable(stats.files.pictures_in) +
          ". Once you choose a folder, all of them are saved there.";
  row_label("Folder", tip);
  const float button = px(25), gap = px(4);
  const float room = ImGui::GetContentRegionAvail().x - button - gap, at = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  text_clipped(printable(folder), room, theme().text);
  ImGui::SameLine(at + room + gap);
  if (icon_button("record-folder", Icon::folder, "Choose the folder", false, 25))
    open_browser(FileBrowser::Purpose::recording_folder, folder);
  requests.files.paths.push_back(folder);
  if (const auto known = stats.files.paths.find(folder); known != stats.files.paths.end()) {
    const PathFacts& facts = known->second;
    if (!facts.folder)
      text_coloured(theme().error, "This folder is no longer there. Choose another.");
    else if (!facts.writable)
      text_coloured(theme().error, "You have no permission to write into this folder. Choose another.");
  }

  row_label("Name",
            "The name of files that are saved without asking for one. Words in braces are filled in; the button beside "
            "the name lists them.");
  if (!state.naming_recordings)
    std::snprintf(state.recording_name.data(), state.recording_name.size(), "%s", choices.name.c_str());
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x - button - gap, px(20)));
  text_field("record-name", "convoscope-{kind}-{number}", state.recording_name, "");
  state.naming_recordings = ImGui::IsItemActive();
  choices.name = state.recording_name.data();
  ImGui::SameLine(0, gap);
  if (icon_button("record-name-parts", Icon::chevron_down, "Words that can be filled in", false, 25))
    ImGui::OpenPopup("##name-parts");
  if (ImGui::BeginPopup("##name-parts")) {
    for (const NamePart& part : name_parts()) {
      if (ImGui::Selectable((std::string(part.part) + "  " + part.meaning).c_str())) {
        const bool there = choices.name.find(part.part) != std::string::npos;
        if (!there) choices.name += (choices.name.empty() ? "" : "-") + std::string(part.part);
      }
      mark_item("name-part/" + std::string(part.part));
    }
    ImGui::EndPopup();
  }
  row_label("File",
            "Matroska (.mkv) takes every codec and sound; .mp4 plays on more devices. After a crash, what was written "
            "of either can still be played; its name has .part in it.");
  constexpr const char* containers[] = {"mkv", "mp4"};
  const bool lossless = choices.codec == RecordingCodec::ffv1;
  int container = lossless ? 0 : static_cast<int>(choices.container);
  ImGui::BeginDisabled(lossless);
  if (segmented("record-container", containers, &container, ""))
    choices.container = static_cast<RecordingContainer>(container);
  ImGui::EndDisabled();
}

void draw_last_seconds(const Stats& stats, Settings& settings, Requests& requests) {
  RecordingChoices& choices = settings.recording;
  heading("LAST SECONDS");
  toggle("keep-last", "Keep them", &choices.keep_last_seconds,
         "Keeps small pictures of the last 5 seconds in memory, at most 48 MB, for a short animation.");
  if (!choices.keep_last_seconds) return;
  row_label("Format", "GIF plays everywhere. WebP is smaller and has all colours.");
  constexpr const char* formats[] = {"GIF", "WebP"};
  int format = static_cast<int>(choices.animation);
  if (segmented("animation-format", formats, &format, "", px(120)))
    choices.animation = static_cast<AnimationFormat>(format);
  ImGui::SameLine(0, px(6));
  if (text_button("save-animation", "Save", "Save the last seconds" + keys_of(action::save_last_seconds)))
    requests.save_animation = true;
  push_font(Font::small);
  text_coloured(theme().faint, format_number(stats.animation_seconds, 2) + " s kept, " +
                                   format_bytes(static_cast<double>(stats.animation_bytes)) + " of memory");
  pop_font();
}

void draw_recording_panel(const Stats& stats, Settings& settings, Requests& requests) {
  draw_actions(stats, settings, requests);
  if (stats.recording && !stats.render.running) {
    text_coloured(lacks_frames(stats) ? theme().warning : theme().error, progress_text(stats));
    push_font(Font::small);
    const std::string size = std::to_string(stats.recording_width) + " × " + std::to_string(stats.recording_height);
    text_coloured(theme().faint, stats.recording_path + ", " + size +
                                     (stats.recording_encoder.empty() ? "" : ", " + stats.recording_encoder));
    pop_font();
  }
  draw_choices(settings);
  draw_place(stats, settings, requests);
  draw_last_seconds(stats, settings, requests);
}

constexpr Control recording_controls[] = {
    {"Record"},  {"Stop"},   {"Render"},         {"Size"},   {"Codec"},
    {"Quality"}, {"Rate"},   {"Copy the sound"}, {"Folder"}, {"Name"},
    {"File"},    {"Format"}, {"Save"},           {"Cancel"}, {"Keep them", "last seconds"},
};

}  // namespace

extern const Panel recording_panel{
    .id = "recording",
    .title = "Recording",
    .key = key::f(7),
    .keys = "F7",
    .action = "Recording panel",
    .draw = draw_recording_panel,
    .summary =
        [](const Stats& stats, const Settings& s) {
          return std::string(stats.recording ? "recording" : s.recording.with_panels ? "window" : "picture");
        },
    .controls = recording_controls,
};

// On the picture, so that it is seen without the panels too. It is no part of the recording.
void draw_recording_mark(const Stats& stats, const Area& picture) {
  if (!stats.recording || stats.render.running || picture.width < px(160)) return;
  const Theme& t = theme();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const std::string text = progress_text(stats);
  const ImVec2 size = text_size(Font::strong, text);
  const float height = px(26), width = std::min(std::ceil(size.x) + px(36), picture.width - px(24));
  const std::optional<Area> place =
      place_at_foot({picture.x + px(12), picture.y, width, picture.height - px(12)}, {width, height});
  if (!place) return;
  const ImVec2 from = place->from(), to = place->to();
  list.AddRectFilled(from, to, with_alpha(t.raised, 0.9f), height / 2);
  take_place("recording-mark", *place);
  list.AddCircleFilled({from.x + px(14), from.y + height / 2}, px(5), t.error, 20);
  draw_clipped(list, Font::strong, {from.x + px(25), std::round(from.y + (height - size.y) / 2)},
               lacks_frames(stats) ? t.warning : t.text, text, width - px(36) + 1);
}

constexpr double seconds_to_confirm = 4;

// Frames a second since it began; 0: they are too few to tell.
double pace_of(const RenderStats& render, double now) {
  constexpr double soonest = 1;  // second: the first frames take longer
  const double passed = now - render.since;
  return passed >= soonest && render.done >= 2 ? static_cast<double>(render.done) / passed : 0;
}

// As the frames so far took.
std::string time_left(const RenderStats& render, double pace) {
  if (pace <= 0 || render.total <= 0) return {};
  const auto seconds = std::llround(static_cast<double>(std::max<std::int64_t>(render.total - render.done, 0)) / pace);
  if (seconds >= 3600) return "About " + counted((seconds + 1800) / 3600, "hour") + " left";
  if (seconds >= 60) return "About " + counted((seconds + 30) / 60, "minute") + " left";
  return "About " + counted(std::max<long long>(seconds, 1), "second") + " left";
}

// What has been rendered for hours is not ended by one press out of habit.
bool is_second_press(std::optional<double>& asked, double now) {
  if (asked && now - *asked <= seconds_to_confirm) return true;
  asked = now;
  return false;
}

void draw_render(const Stats& stats, Requests& requests) {
  const RenderStats& render = stats.render;
  std::optional<double>&cancel = ui_state().cancel_asked, &quit = ui_state().quit_asked;
  for (std::optional<double>* const asked : {&cancel, &quit}) {
    if (*asked && (!render.running || stats.now - **asked > seconds_to_confirm)) asked->reset();
    if (*asked) draw_again_in(**asked + seconds_to_confirm - stats.now);
  }
  if (!render.running) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(screen);
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, dimming);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin(render_window, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  const float width = std::min(px(440), screen.x - px(24)), height = px(162);
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
  mark_area("render-progress", {left, y}, {right, y + px(6)});
  list.AddRectFilled({left, y}, {right, y + px(6)}, with_alpha(theme().text, 0.14f), px(3));
  list.AddRectFilled({left, y}, {left + static_cast<float>(part) * (right - left), y + px(6)}, theme().accent, px(3));
  std::string text =
      format_count(render.done) + (render.total > 0 ? " of " + format_count(render.total) : "") + " frames";
  const double pace = pace_of(render, stats.now);
  if (pace > 0) text += ", " + format_number(pace, 3) + " a second";
  ImGui::SetCursorScreenPos({left, y + px(14)});
  text_clipped(text, right - left, theme().dim);
  ImGui::SetCursorScreenPos({left, y + px(32)});
  if (quit && (!cancel || *quit > *cancel))
    text_clipped("Press Ctrl+Q again to quit. What is done is kept.", right - left, theme().warning);
  else if (cancel)
    text_clipped("Press Esc again to cancel. What is done is kept.", right - left, theme().warning);
  else
    text_clipped(time_left(render, pace), right - left, theme().dim);
  ImGui::SetCursorScreenPos({left, to.y - px(42)});
  push_font(Font::small);
  const float cancel_width = text_button_width("Cancel");
  text_clipped(render.path, right - left - cancel_width - px(14), theme().faint);
  pop_font();
  ImGui::SetCursorScreenPos({right - cancel_width, to.y - px(46)});
  if (text_button("cancel-render", "Cancel",
                  "Stop here. What has been rendered so far is kept and can be played (Esc, twice)."))
    requests.cancel_render = true;
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace convoscope::ui
