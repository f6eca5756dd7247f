#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/ui/format.h"
#include "app/ui/keys.h"
#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {
namespace {

struct Stage {
  const char* name;
  const char* tip;
  double median, p95, min;
  ImU32 colour;
  bool in_budget;  // takes the GPU's (or the filtering CPU's) time of a frame; decoding runs beside it
};

Stage stage(const char* name, const char* tip, const RollingTimes& times, ImU32 ink, bool in_budget) {
  return {name, tip, times.median(), times.p95(), times.min(), ink, in_budget};
}

std::array<Stage, 6> stages_of(const Stats& stats) {
  const Theme& t = theme();
  const StageTimes& s = stats.stages;
  Stage kernel{"Kernel", "All kernels of all panes.", 0, 0, 0, t.accent, true};
  for (const PaneStats& pane : stats.panes) {
    kernel.median += pane.kernel.median();
    kernel.p95 += pane.kernel.p95();
    kernel.min += pane.kernel.min();
  }
  return {
      stage("Decode", "The decoder's thread, beside everything else.", s.decode, t.shade[0], false),
      stage("Upload", "Software-decoded frames on their way to the device.", s.upload, t.shade[1], true),
      stage("Convert", "From the stream's colours to rgba8 or gray32f.", s.convert, t.shade[2], true),
      kernel,
      stage(
          "Map, copy",
          "Taking the textures from OpenGL, copying the panes into them, giving them back. Includes the wait for what "
          "OpenGL still draws of the last frame; without vsync that is most of it.",
          s.interop, t.shade[1], true),
      stage("Draw", "The picture and these panels.", s.draw, t.shade[3], true)};
}

double budget_ms(const Stats& stats) { return stats.source.rate > 1 ? 1000.0 / stats.source.rate : 1000.0 / 60.0; }

// The stages one after another on a scale whose end is the time that a frame may take.
void draw_budget(const Stats& stats, const std::array<Stage, 6>& stages) {
  const Theme& t = theme();
  const double budget = budget_ms(stats);
  double used = 0;
  for (const Stage& s : stages)
    if (s.in_budget && std::isfinite(s.median)) used += s.median;
  const double full = std::max(budget, used);
  const float width = std::max(ImGui::GetContentRegionAvail().x, px(10)), height = px(14);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##budget", {width, height});
  mark_item("budget");
  tooltip(format_milliseconds(used) + " of the " + format_milliseconds(budget) + " until the next frame" +
          (stats.source.rate > 1 ? " of the source." : " at 60 frames a second."));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = px(4);
  list.AddRectFilled(from, {from.x + width, from.y + height}, t.field, rounding);
  float x = from.x;
  for (const Stage& s : stages) {
    if (!s.in_budget || !(s.median > 0)) continue;
    const float w = static_cast<float>(s.median / full) * width;
    list.AddRectFilled({x, from.y}, {x + std::max(w - 1, 1.0f), from.y + height}, s.colour,
                       w > 2 * rounding && x == from.x ? rounding : 0, ImDrawFlags_RoundCornersLeft);
    x += w;
  }
  if (used > budget) {
    const float mark = from.x + static_cast<float>(budget / full) * width;
    list.AddRectFilled({mark - px(1), from.y - px(3)}, {mark + px(1), from.y + height + px(3)}, t.error);
  }
  const std::string left = format_milliseconds(used) + " used", right = format_milliseconds(budget) + " budget";
  push_font(Font::small);
  text_coloured(used > budget ? t.error : t.dim, left);
  ImGui::SameLine(std::max(ImGui::GetCursorPosX() + width - text_size(Font::small, right).x, 0.0f));
  text_coloured(t.dim, right);
  pop_font();
}

void draw_table(const Stats& stats, const std::array<Stage, 6>& stages) {
  if (!ImGui::BeginTable("##stages", 4, ImGuiTableFlags_None)) return;
  ImGui::TableSetupColumn("Stage", ImGuiTableColumnFlags_WidthStretch, 1.4f);
  for (const char* const name : {"median", "p95", "min"})
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, 1.0f);
  const auto number = [](double ms, ImU32 ink) {
    ImGui::TableNextColumn();
    const std::string text = format_ms(ms);
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(room - ImGui::CalcTextSize(text.c_str()).x, 0.0f));
    text_coloured(ink, text);
  };
  const auto caption = [](const char* text, bool right_aligned, const char* tip) {
    ImGui::TableNextColumn();
    if (right_aligned) {
      const float room = ImGui::GetContentRegionAvail().x;
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(room - text_size(Font::small, text).x, 0.0f));
    }
    heading(text);
    tooltip(tip);
  };
  caption("STAGE", false, "");
  caption("MEDIAN ms", true, "Half of the frames took less.");
  caption("P95 ms", true, "95 of 100 frames took no longer.");
  caption("MIN ms", true, "The fastest frame of the window.");
  const auto row = [&](const Stage& s, bool swatch) {
    const ImU32 ink = s.colour == theme().accent ? theme().accent : theme().text;
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float middle = at.y + ImGui::GetTextLineHeight() / 2, side = px(8);
    if (swatch)
      ImGui::GetWindowDrawList()->AddRectFilled({at.x, middle - side / 2}, {at.x + side, middle + side / 2}, s.colour,
                                                px(2));
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(15));
    text_coloured(swatch ? theme().text : theme().dim, s.name);
    tooltip(s.tip);
    number(s.median, ink);
    number(s.p95, theme().dim);
    number(s.min, theme().dim);
  };
  for (const Stage& s : stages) row(s, true);
  row(stage("Frame", "From one frame on the screen to the next.", stats.stages.frame, theme().text, false), false);
  ImGui::EndTable();
}

}  // namespace

double frames_a_second(const Stats& stats) {
  const double median = stats.stages.frame.median();
  return median > 0 ? 1000.0 / median : 0;
}

void draw_timing_panel(const Stats& stats, Settings& settings, Requests& requests) {
  const std::array<Stage, 6> stages = stages_of(stats);
  draw_budget(stats, stages);
  draw_table(stats, stages);
  ImGui::Dummy({0, px(2)});
  draw_results(stats, settings);
  draw_health(stats);
  draw_roofline(stats, settings);
  const bool dropped = stats.frames_dropped > 0;
  const std::string counts =
      format_count(stats.frames_shown) + " shown  ·  " + format_count(stats.frames_dropped) + " dropped";
  ImGui::AlignTextToFramePadding();
  text_clipped(counts, ImGui::GetContentRegionAvail().x - px(80), dropped ? theme().warning : theme().dim);
  const float right = text_size(Font::strong, "Clear").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(ImGui::GetContentRegionAvail().x - right, 0.0f));
  if (text_button("clear-timings", "Clear", "Start the statistics anew" + keys_of("Clear the timings")))
    requests.reset_statistics = true;
  if (text_button("open-sweep", "Sweep over radius and size", "Measure and plot" + keys_of("Sweep")))
    settings.sweep.open = !settings.sweep.open;
}

}  // namespace convoscope::ui
