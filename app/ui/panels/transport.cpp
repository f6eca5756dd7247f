#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/actions/playback_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/menus/command_menus.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/stage_places.h"

namespace convoscope::ui {
namespace {

constexpr float sound_width = 104;  // of the loudspeaker and the volume, left of the loop's marks

double length_of(const SourceStats& source) {
  if (source.live) return 0;
  if (source.duration > 0) return source.duration;
  return source.frames > 0 && source.rate > 0 ? static_cast<double>(source.frames) / source.rate : 0;
}

void draw_mark(ImDrawList& list, float x, float top, float bottom, const char* name) {
  const Theme& t = theme();
  list.AddRectFilled({x - px(1), top}, {x + px(1), bottom}, t.accent);
  const ImVec2 size = text_size(Font::small, name);
  const float half = size.x / 2 + px(3);
  list.AddRectFilled({x - half, top - px(2)}, {x + half, top + size.y - px(2)}, t.accent, px(3));
  draw_text(list, Font::small, {std::round(x - size.x / 2), top - px(2)}, t.on_accent, name);
}

// Click or drag anywhere on it to go there.
void draw_progress(const Stats& stats, const Settings& settings, Requests& requests, const Area& area) {
  const Theme& t = theme();
  const SourceStats& source = stats.source;
  const double length = length_of(source);
  ImGui::SetCursorScreenPos(area.from());
  ImGui::InvisibleButton("##progress", {std::max(area.width, 1.0f), std::max(area.height, 1.0f)});
  mark_item("progress");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool usable = length > 0 && std::isfinite(length);
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  const float thickness = px(usable && (hovered || held) ? 6 : 4), middle = area.y + area.height / 2;
  const float top = std::round(middle - thickness / 2), bottom = top + thickness;
  list.AddRectFilled({area.x, top}, {area.x + area.width, bottom}, with_alpha(t.text, 0.14f), thickness / 2);
  if (!usable) return;
  const auto at = [&](double seconds) {
    const double part = std::isfinite(seconds) ? std::clamp(seconds / length, 0.0, 1.0) : 0;
    return area.x + static_cast<float>(part) * area.width;
  };
  const PlaybackSettings& playback = settings.playback;
  if (playback.loop_a || playback.loop_b)
    list.AddRectFilled({at(playback.loop_a.value_or(0)), top}, {at(playback.loop_b.value_or(length)), bottom},
                       with_alpha(t.accent, 0.30f));
  const float x = at(source.position);
  list.AddRectFilled({area.x, top}, {x, bottom}, t.accent, thickness / 2);
  if (playback.loop_a) draw_mark(list, at(*playback.loop_a), area.y, bottom, "A");
  if (playback.loop_b) draw_mark(list, at(*playback.loop_b), area.y, bottom, "B");
  list.AddCircleFilled({x, middle}, px(hovered || held ? 7 : 5), t.accent, 24);
  if (!hovered && !held) return;
  const double target =
      std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - area.x) / area.width), 0.0, 1.0) * length;
  if (held && (ImGui::IsItemActivated() || ImGui::GetIO().MouseDelta.x != 0)) requests.seek_seconds = target;
  tooltip_beside(format_clock(target), area.from(), area.to());
}

std::string position_text(const SourceStats& source) {
  const double length = length_of(source);
  std::string text = format_clock(source.position);
  if (length > 0) text += " / " + format_clock(length);
  text += "  ·  frame " + format_count(source.frame_number + 1);  // people count from 1
  if (source.frames > 0) text += " / " + format_count(source.frames);
  return text;
}

std::string speed_text(double speed) { return format_number(speed, 3) + "×"; }

void draw_speed(Settings& settings) {
  const std::string label = speed_text(settings.playback.speed);
  const bool usual = settings.playback.speed == 1.0;
  if (!usual) ImGui::PushStyleColor(ImGuiCol_Text, theme().accent);
  ImGui::PushStyleColor(ImGuiCol_Button, IM_COL32_BLACK_TRANS);
  if (ImGui::Button((label + "###speed").c_str(), {px(52), px(30)})) ImGui::OpenPopup("##speeds");
  ImGui::PopStyleColor(usual ? 1 : 2);
  mark_item("speed");
  tooltip("Speed" + keys_of(action::faster) + keys_of(action::slower));
  if (!ImGui::BeginPopup("##speeds")) return;
  for (const double speed : {0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0}) {
    if (ImGui::Selectable(speed_text(speed).c_str(), settings.playback.speed == speed)) settings.playback.speed = speed;
    mark_item("speed/" + speed_text(speed));
  }
  ImGui::EndPopup();
}

// Why nothing is heard, or how loud it is.
std::string sound_text(const Stats& stats, const PlaybackSettings& playback) {
  const bool on = !playback.muted && playback.volume > 0;
  if (!stats.sound.why_not.empty()) return stats.sound.why_not;
  if (!stats.sound.has_sound)
    return stats.source.live ? "Live sources are shown without sound" : "The source has no sound";
  return (on ? "Sound off" : "Sound on") + keys_of(action::sound) + "\nVolume " +
         format_number(std::round(playback.volume * 100), 3) + " %" + keys_of(action::volume_up) +
         keys_of(action::volume_down) +
         (stats.sound.missed_lately >= 0.01 ? "\n" + format_number(stats.sound.missed_lately, 2) +
                                                  " s were silent a moment ago: samples came too late"
                                            : "");
}

// The loudspeaker, and a line to drag along: the louder, the longer it is.
void draw_sound(const Stats& stats, Settings& settings, Requests& requests) {
  PlaybackSettings& playback = settings.playback;
  const bool audible = stats.sound.has_sound && stats.sound.why_not.empty();
  const bool on = !playback.muted && playback.volume > 0;
  const std::string text = sound_text(stats, playback);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (!audible) ImGui::PushStyleColor(ImGuiCol_Text, with_alpha(theme().text, 0.35f));
  const bool clicked = icon_button("sound", on && audible ? Icon::sound : Icon::sound_off, "", false, 30);
  if (!audible) ImGui::PopStyleColor();
  tooltip(text);
  if (clicked) toggle_sound(stats, settings, requests);
  const auto turn_by_wheel = [&] {
    const float wheel = ImGui::GetIO().MouseWheel;
    if (ImGui::IsItemHovered() && wheel != 0) change_volume(settings, wheel > 0 ? 1 : -1);
  };
  turn_by_wheel();
  const Area line{at.x + px(34), at.y, px(56), px(30)};
  ImGui::SetCursorScreenPos(line.from());
  ImGui::InvisibleButton("##volume", {line.width, line.height});
  mark_item("volume");
  turn_by_wheel();
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  if (held) set_volume(settings, (ImGui::GetIO().MousePos.x - line.x) / line.width);
  const float middle = std::round(line.y + line.height / 2), half = px(hovered || held ? 3 : 2);
  const float end = line.x + line.width * static_cast<float>(on ? playback.volume : 0);
  const float strength = audible ? 1.0f : 0.35f;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({line.x, middle - half}, {line.x + line.width, middle + half}, with_alpha(theme().text, 0.14f),
                     half);
  list.AddRectFilled({line.x, middle - half}, {end, middle + half}, with_alpha(theme().text, 0.7f * strength), half);
  list.AddCircleFilled({end, middle}, px(hovered || held ? 6 : 5), with_alpha(theme().text, strength), 24);
  if (hovered || held) tooltip_beside(text, line.from(), line.to());
}

// From the left: what fits; the least important parts are left out first.
void draw_left(const Stats& stats, Settings& settings, Requests& requests, float room, bool steps) {
  const float gap = px(2);
  const bool playing = !settings.playback.paused && !stats.source.ended;
  if (steps && icon_button("step-back", Icon::step_back, "One frame back" + keys_of(action::step_back), false, 30)) {
    settings.playback.paused = true;
    requests.step -= 1;
  }
  if (steps) ImGui::SameLine(0, gap);
  if (icon_button("play", playing ? Icon::pause : Icon::play, (playing ? "Pause" : "Play") + keys_of(action::play),
                  true, 30))
    toggle_play(stats, settings, requests);
  if (!steps) return;
  ImGui::SameLine(0, gap);
  if (icon_button("step-forward", Icon::step_forward, "One frame forward" + keys_of(action::step_forward), false, 30)) {
    settings.playback.paused = true;
    requests.step += 1;
  }
  room -= 3 * px(30) + 2 * gap + px(12);
  const std::string text = position_text(stats.source);
  ImGui::SameLine(0, px(12));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::round((px(30) - ImGui::GetTextLineHeight()) / 2));
  if (stats.source.live) {
    text_coloured(theme().error, "LIVE");
    ImGui::SameLine(0, px(8));
    room -= px(50);
  }
  if (room > px(60)) text_clipped(text, room, theme().text);
}

void draw_right(const Stats& stats, Settings& settings, Requests& requests, bool wide, bool looks) {
  const float gap = px(2), group = px(10);
  PlaybackSettings& playback = settings.playback;
  if (wide) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_sound(stats, settings, requests);
    ImGui::SetCursorScreenPos({at.x + px(sound_width), at.y});
    const auto mark = [&](const char* id, const char* label, std::optional<double>& value, bool is_a,
                          const char* action) {
      ImGui::PushStyleColor(ImGuiCol_Button, value ? theme().accent_soft : static_cast<ImU32>(IM_COL32_BLACK_TRANS));
      ImGui::PushStyleColor(ImGuiCol_Text, value ? theme().accent : theme().dim);
      push_font(Font::strong);
      ImGui::PushID(id);
      const bool clicked = ImGui::Button(label, {px(30), px(30)});
      ImGui::PopID();
      pop_font();
      ImGui::PopStyleColor(2);
      mark_item(id);
      tooltip((value ? "Remove this end of the loop" : action) + keys_of(action));
      if (clicked && value)
        value.reset();
      else if (clicked)
        set_loop_mark(is_a, stats, settings, requests);
    };
    mark("loop-a", "A", playback.loop_a, true, action::loop_from_here);
    ImGui::SameLine(0, gap);
    mark("loop-b", "B", playback.loop_b, false, action::loop_to_here);
    ImGui::SameLine(0, gap);
    if (icon_button("loop", Icon::loop, with_keys(action::loop), playback.loop, 30)) playback.loop = !playback.loop;
    ImGui::SameLine(0, gap);
    draw_speed(settings);
  } else if (icon_button("transport-more", Icon::more,
                         "Loop, A and B, speed, sound\n\n" + sound_text(stats, settings.playback), false, 30)) {
    ImGui::OpenPopup(transport_menu_name);
  }
  ImGui::SameLine(0, group);
  if (icon_button("screenshot", Icon::camera, with_keys(action::screenshot), false, 30)) requests.screenshot = true;
  ImGui::SameLine(0, gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (icon_button("record", Icon::record, (stats.recording ? "Stop recording" : "Record") + keys_of(action::record),
                  false, 30))
    requests.toggle_recording = true;
  draw_icon(*ImGui::GetWindowDrawList(), stats.recording ? Icon::stop : Icon::record, {at.x + px(15), at.y + px(15)},
            px(15), theme().error);
  if (!looks) return;
  ImGui::SameLine(0, group);
  if (icon_button("overlay", Icon::overlay, "Show or hide the labels on the picture" + keys_of(action::show_overlay),
                  settings.show_overlay, 30))
    settings.show_overlay = !settings.show_overlay;
  ImGui::SameLine(0, gap);
  if (icon_button("full-screen", Icon::full_screen, with_keys(action::full_screen), settings.fullscreen, 30))
    settings.fullscreen = !settings.fullscreen;
}

}  // namespace

// A mouse that moves near the foot brings it; it leaves when the mouse has been elsewhere, or still, for a while.
void draw_hidden_transport(const Stats& stats, Settings& settings, Requests& requests, const Area& stage) {
  constexpr double stays = 2;
  const ImGuiIO& io = ImGui::GetIO();
  const Area area = transport_over(stage);
  const Area near{area.x, area.y - area.height / 2, area.width, area.height * 1.5f};
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  const bool dragging = ui_state().drag.kind != PictureDrag::Kind::none;
  double& until = ui_state().transport_until;
  if (!dragging && near.contains(io.MousePos.x, io.MousePos.y) && (moved || ImGui::IsAnyItemActive()))
    until = ImGui::GetTime() + stays;
  if (ImGui::GetTime() >= until) return;
  draw_again_in(until - ImGui::GetTime());
  draw_transport(stats, settings, requests, area);
}

void draw_transport(const Stats& stats, Settings& settings, Requests& requests, const Area& area) {
  if (area.width < 1 || area.height < 1) return;
  ImGui::SetNextWindowPos(area.from());
  ImGui::SetNextWindowSize({area.width, area.height});
  constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                     ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("##transport", nullptr, fixed);
  ImGui::PopStyleVar();
  take_place("transport", area);
  ImGui::GetWindowDrawList()->AddRectFilled(area.from(), {area.x + area.width, area.y + 1}, theme().line);
  const float margin = px(16);
  draw_progress(stats, settings, requests,
                {area.x + margin, area.y + px(4), std::max(area.width - 2 * margin, 1.0f), px(16)});

  const float y = area.y + px(24);
  const bool wide = area.width > px(620 + sound_width);
  // Where there is no room for all: first without the steps, then without what changes how the window looks.
  const float left_x = area.x + margin - px(6), inner = area.width - 2 * (margin - px(6)) - px(8);
  const float all = 5 * px(30) + 2 * px(2) + 2 * px(10), least = 3 * px(30) + px(2) + px(10);
  const bool steps = 3 * px(30) + 2 * px(2) + all <= inner, looks = px(30) + all <= inner;
  const float right = wide ? px(sound_width) + 7 * px(30) + px(52) + 5 * px(2) + 2 * px(10) : looks ? all : least;
  ImGui::SetCursorScreenPos({left_x, y});
  const float right_x = area.x + area.width - margin + px(6) - right;
  draw_left(stats, settings, requests, right_x - area.x - margin, steps);
  if (right_x >= left_x + px(30)) {
    ImGui::SetCursorScreenPos({right_x, y});
    draw_right(stats, settings, requests, wide, looks);
  }
  draw_transport_menu({stats, settings, requests});
  ImGui::End();
}

}  // namespace convoscope::ui
