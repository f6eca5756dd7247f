#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/keys/filter_actions.h"
#include "app/ui/keys/keys.h"
#include "app/ui/keys/pane_actions.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/stage/inspect.h"
#include "app/ui/ui_state.h"

namespace convoscope::ui {
namespace {

struct Section {
  const char* title;
  const char* key_action;
  void (*draw)(const Stats&, Settings&, Requests&);
  std::string (*summary)(const Stats&, const Settings&);  // beside the title while it is closed
};

const Section sections[] = {
    {"Source", "Source panel", draw_source_panel,
     [](const Stats&, const Settings& s) {
       const std::string& input = s.source.input;
       const std::size_t slash = input.find_last_of('/');
       return slash == std::string::npos || slash + 1 == input.size() ? input : input.substr(slash + 1);
     }},
    {"Filter", "Filter panel", draw_filter_panel,
     [](const Stats&, const Settings& s) { return display_name(s.active().filter); }},
    {"Strategy", "Strategy panel", draw_strategy_panel,
     [](const Stats&, const Settings& s) { return s.active().strategy; }},
    {"Timing", "Timing panel", draw_timing_panel,
     [](const Stats& stats, const Settings& s) {
       const PaneStats* const pane = active_stats(stats, s);
       return pane ? format_milliseconds(pane->kernel.median()) : std::string();
     }},
    {"View", "View panel", draw_view_panel,
     [](const Stats&, const Settings& s) { return std::string(s.format == PixelFormat::rgba8 ? "rgba8" : "gray32f"); }},
    {"Recording", "Recording panel", draw_recording_panel,
     [](const Stats& stats, const Settings& s) {
       return std::string(stats.recording ? "recording" : s.recording.with_panels ? "window" : "picture");
     }},
    {"Inspect", "Inspect panel", draw_inspect_panel,
     [](const Stats& stats, const Settings&) {
       const auto& pixel = stats.inspect.pixel;
       return pixel ? std::to_string(pixel->x) + ", " + std::to_string(pixel->y) : std::string();
     }},
};

bool draw_section_header(const Section& section, bool open, const std::string& summary) {
  const Theme& t = theme();
  const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0f), height = px(34);
  const bool clicked = ImGui::InvisibleButton("##header", {width, height});
  mark_item(std::string("section/") + section.title);
  tooltip(open ? "" : std::string("Open") + keys_of(section.key_action));
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const float middle = (from.y + to.y) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool hovered = ImGui::IsItemHovered();
  draw_icon(list, open ? Icon::chevron_down : Icon::chevron_right, {from.x + px(6), middle}, px(11),
            hovered ? t.text : t.faint);
  const ImVec2 size = text_size(Font::strong, section.title);
  draw_text(list, Font::strong, {from.x + px(20), std::round(middle - size.y / 2)}, hovered || open ? t.text : t.dim,
            section.title);
  if (!open && !summary.empty()) {
    const std::string shown = clipped(summary, width - size.x - px(40));
    const ImVec2 extent = text_size(Font::body, shown);
    draw_text(list, Font::body, {to.x - extent.x, std::round(middle - extent.y / 2)}, t.faint, shown);
  }
  return clicked;
}

void draw_head(const Stats& stats, Settings& settings) {
  const Theme& t = theme();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_text(list, Font::title, at, t.text, "Convoscope");
  const std::string device = stats.device.name.empty() ? stats.backend : stats.device.name;
  const float gap = px(2), buttons = 4 * px(28) + 3 * gap;
  push_font(Font::small);
  const std::string shown = clipped(device, right - at.x - buttons - px(12));
  pop_font();
  draw_text(list, Font::small, {at.x, at.y + px(22)}, t.dim, shown);
  ImGui::SetCursorScreenPos({at.x, at.y + px(20)});
  ImGui::Dummy({std::max(text_size(Font::small, shown).x, 1.0f), px(18)});
  mark_item("device");
  tooltip(stats.backend_notice + (stats.backend_notice.empty() || stats.interop_notice.empty() ? "" : "\n\n") +
          stats.interop_notice);
  ImGui::SetCursorScreenPos({std::max(right - buttons, at.x), at.y + px(2)});
  if (icon_button("theme", Icon::theme, "Dark or light" + keys_of("Dark or light")))
    settings.light_theme = !settings.light_theme;
  ImGui::SameLine(0, gap);
  if (icon_button("settings", Icon::sliders, "Settings" + keys_of("Settings"), settings.show_settings))
    settings.show_settings = !settings.show_settings;
  ImGui::SameLine(0, gap);
  if (icon_button("help", Icon::help, "All keys" + keys_of("This sheet"), settings.show_help))
    settings.show_help = !settings.show_help;
  ImGui::SameLine(0, gap);
  if (icon_button("hide-panels", Icon::panels, "Hide the panels" + keys_of("Show or hide the panels")))
    settings.show_panels = false;
  ImGui::SetCursorScreenPos({at.x, at.y + px(42)});
  ImGui::Dummy({0, 0});
}

// Whether the section that began at `top` and ends here is to be seen; scrolls there when it is to be revealed, the
// whole of it if there is room. Its height is only known for sure after it has been drawn twice.
bool keep_in_sight(float top, bool reveal) {
  const float bottom = ImGui::GetCursorPosY(), height = ImGui::GetWindowHeight(), now = ImGui::GetScrollY();
  const bool seen = top >= now && top + px(60) <= now + height;
  if (!reveal) return seen;
  UiState& state = ui_state();
  const float wanted = top < now ? top : std::min(top, std::max(now, bottom - height));
  if (wanted != now) ImGui::SetScrollY(wanted);
  constexpr int frames_to_settle = 3;
  if (++state.reveal_frames < frames_to_settle) return seen;
  state.reveal_frames = 0;
  state.reveal_section = -1;
  return seen;
}

}  // namespace

const PaneStats* active_stats(const Stats& stats, const Settings& settings) {
  return stats_of(stats, settings.active());
}

void draw_side_panel(const Stats& stats, Settings& settings, Requests& requests, const Area& area) {
  if (area.width < 1 || area.height < 1) return;
  ImGui::SetNextWindowPos(area.from());
  ImGui::SetNextWindowSize({area.width, area.height});
  constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                     ImGuiWindowFlags_NoNavInputs;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("##panel", nullptr, fixed);
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float inner = settings.panels_left ? area.x + area.width - 1 : area.x;
  list.AddRectFilled({inner, area.y}, {inner + 1, area.y + area.height}, theme().line);

  const float margin = px(16);
  ImGui::SetCursorPos({margin, px(12)});
  ImGui::BeginChild("##head", {std::max(area.width - 2 * margin, 1.0f), px(44)}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoNavInputs);
  draw_head(stats, settings);
  ImGui::EndChild();

  const float top = px(60);
  ImGui::SetCursorPos({0, top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(margin, 0));
#if IMGUI_VERSION_NUM >= 19000
  ImGui::BeginChild("##sections", {0, 0}, ImGuiChildFlags_AlwaysUseWindowPadding, ImGuiWindowFlags_NoNavInputs);
#else
  ImGui::BeginChild("##sections", {0, 0}, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoNavInputs);
#endif
  ImGui::PopStyleVar();
  UiState& state = ui_state();
  const unsigned opened = settings.open_sections & ~std::exchange(state.shown_sections, settings.open_sections);
  state.sections_in_sight = 0;
  for (unsigned i = 0; i < std::size(sections); ++i) {
    const unsigned bit = 1u << i;
    if (opened == bit) state.reveal_section = static_cast<int>(i);
    const float section_top = ImGui::GetCursorPosY();
    const bool open = (settings.open_sections & bit) != 0;
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 line = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({line.x - margin, line.y}, {line.x + area.width, line.y + 1},
                                              theme().line);
    if (draw_section_header(sections[i], open, open ? std::string() : sections[i].summary(stats, settings)))
      settings.open_sections ^= bit;
    if (open) {
      sections[i].draw(stats, settings, requests);
      ImGui::Dummy({0, px(6)});
    }
    if (keep_in_sight(section_top, state.reveal_section == static_cast<int>(i))) state.sections_in_sight |= bit;
    ImGui::PopID();
  }
  ImGui::EndChild();
  ImGui::End();
}

}  // namespace convoscope::ui
