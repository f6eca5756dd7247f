#include "app/ui/parts/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/ui/parts/embedded_fonts.h"
#include "app/ui/ui.h"

namespace convoscope {
namespace ui {
namespace {

constexpr float min_scale = 0.5f, max_scale = 4.0f, projector_factor = 1.5f;
constexpr float narrowest_window = 640;                                   // that panels at scale 1 fit into
constexpr std::array<float, 5> sizes{15.0f, 15.0f, 19.0f, 12.5f, 12.5f};  // by Font

constexpr ImU32 rgb(unsigned value, unsigned alpha = 255) {
  return IM_COL32((value >> 16) & 255, (value >> 8) & 255, value & 255, alpha);
}

struct State {
  Theme theme;
  std::array<ImFont*, 5> fonts{};
  float scale = 0;  // 0: nothing set up yet
};
State state;

Theme dark() {
  Theme t;
  t.panel = rgb(0x15171c);
  t.raised = rgb(0x1e2128);
  t.field = rgb(0x262a33);
  t.line = rgb(0x2e333d);
  t.text = rgb(0xeceef2);
  t.dim = rgb(0xa3aab8);
  t.faint = rgb(0x6d7585);
  t.accent = rgb(0xffb02e);
  t.on_accent = rgb(0x1c1404);
  t.accent_soft = rgb(0xffb02e, 44);
  t.negative = rgb(0x4aa3ff);
  t.good = rgb(0x58c98b);
  t.warning = rgb(0xffb02e);
  t.error = rgb(0xff6b60);
  t.card = rgb(0x0d0f13, 226);
  t.shade[0] = rgb(0x4d5a70);
  t.shade[1] = rgb(0x66758e);
  t.shade[2] = rgb(0x8493ac);
  t.shade[3] = rgb(0xa8b4c8);
  return t;
}

Theme light() {
  Theme t;
  t.light = true;
  t.panel = rgb(0xf4f5f7);
  t.raised = rgb(0xffffff);
  t.field = rgb(0xe4e7ec);
  t.line = rgb(0xd2d6de);
  t.text = rgb(0x16191f);
  t.dim = rgb(0x4b5361);
  t.faint = rgb(0x7e8695);
  t.accent = rgb(0xb86200);
  t.on_accent = rgb(0xffffff);
  t.accent_soft = rgb(0xe08a1a, 56);
  t.negative = rgb(0x1f6fd0);
  t.good = rgb(0x1d8a50);
  t.warning = rgb(0xa85c00);
  t.error = rgb(0xc8322b);
  t.card = rgb(0xfcfcfd, 240);
  t.shade[0] = rgb(0xa9b3c4);
  t.shade[1] = rgb(0x8d99ae);
  t.shade[2] = rgb(0x717f97);
  t.shade[3] = rgb(0x56647d);
  return t;
}

void apply_colours(ImGuiStyle& style, const Theme& t) {
  t.light ? ImGui::StyleColorsLight(&style) : ImGui::StyleColorsDark(&style);
  const auto set = [&](ImGuiCol index, ImU32 value) { style.Colors[index] = colour(value); };
  const ImU32 hover = mix(t.field, t.text, 0.10f), press = mix(t.field, t.text, 0.18f), none = IM_COL32_BLACK_TRANS;
  set(ImGuiCol_Text, t.text);
  set(ImGuiCol_TextDisabled, t.faint);
  set(ImGuiCol_WindowBg, t.panel);
  set(ImGuiCol_ChildBg, none);
  set(ImGuiCol_PopupBg, t.raised);
  set(ImGuiCol_Border, t.line);
  set(ImGuiCol_FrameBg, t.field);
  set(ImGuiCol_FrameBgHovered, hover);
  set(ImGuiCol_FrameBgActive, press);
  set(ImGuiCol_ScrollbarBg, none);
  set(ImGuiCol_ScrollbarGrab, with_alpha(t.faint, 0.5f));
  set(ImGuiCol_ScrollbarGrabHovered, with_alpha(t.faint, 0.8f));
  set(ImGuiCol_ScrollbarGrabActive, t.faint);
  set(ImGuiCol_CheckMark, t.accent);
  set(ImGuiCol_SliderGrab, t.accent);
  set(ImGuiCol_SliderGrabActive, t.accent);
  set(ImGuiCol_Button, t.field);
  set(ImGuiCol_ButtonHovered, hover);
  set(ImGuiCol_ButtonActive, press);
  set(ImGuiCol_Header, t.accent_soft);
  set(ImGuiCol_HeaderHovered, with_alpha(t.text, 0.08f));
  set(ImGuiCol_HeaderActive, with_alpha(t.text, 0.14f));
  set(ImGuiCol_Separator, t.line);
  set(ImGuiCol_TableBorderLight, t.line);
  set(ImGuiCol_TableBorderStrong, t.line);
  set(ImGuiCol_TableHeaderBg, none);
  set(ImGuiCol_TableRowBg, none);
  set(ImGuiCol_TableRowBgAlt, none);
  set(ImGuiCol_TextSelectedBg, with_alpha(t.accent, 0.35f));
}

void apply_sizes(ImGuiStyle& style, float scale) {
  style.WindowPadding = {16, 12};
  style.FramePadding = {9, 5};
  style.CellPadding = {4, 3};
  style.ItemSpacing = {8, 7};
  style.ItemInnerSpacing = {6, 4};
  style.ScrollbarSize = 9;
  style.GrabMinSize = 10;
  style.WindowRounding = 0;
  style.ChildRounding = 6;
  style.FrameRounding = 5;
  style.PopupRounding = 7;
  style.ScrollbarRounding = 9;
  style.GrabRounding = 4;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.DisabledAlpha = 0.38f;
  style.ScaleAllSizes(scale);
}

// What the texts of the panels, the strategies and file names may hold; a glyph that a font lacks is skipped.
constexpr ImWchar text_ranges[] = {0x0020, 0x024f, 0x0370, 0x03ff, 0x0400, 0x04ff, 0x2010, 0x2026,
                                   0x2030, 0x203a, 0x2070, 0x208e, 0x20ac, 0x20ac, 0x2113, 0x2122,
                                   0x2150, 0x215f, 0x220f, 0x2212, 0x221a, 0x221e, 0x222b, 0x222b,
                                   0x2248, 0x2248, 0x2260, 0x2265, 0x25ca, 0x25ca, 0};
// Roboto has no arrows, no floor and ceiling, no transport signs; DejaVu Sans lends its own.
constexpr ImWchar symbol_ranges[] = {0x2190, 0x21ff, 0x2208, 0x2208, 0x2211, 0x2211, 0x2213,
                                     0x221d, 0x2229, 0x222a, 0x2297, 0x2297, 0x22c5, 0x22c5,
                                     0x2308, 0x230b, 0x25a0, 0x25ff, 0x2713, 0x2717, 0};

// What the sources are written with.
constexpr ImWchar code_ranges[] = {0x0020, 0x007e, 0x00a0, 0x00ff, 0x0370, 0x03ff, 0x2010, 0x2026, 0x2070,
                                   0x208e, 0x2190, 0x2193, 0x2200, 0x22ff, 0x2308, 0x230b, 0};

void build_fonts(ImFontAtlas& atlas, float scale) {
  atlas.Clear();
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool strong = i == static_cast<std::size_t>(Font::strong) || i == static_cast<std::size_t>(Font::title);
    const bool code = i == static_cast<std::size_t>(Font::code);
    const EmbeddedFont& text = code ? embedded_font_code() : strong ? embedded_font_strong() : embedded_font_body();
    const float size = std::round(sizes[i] * scale);
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;  // the data is part of the program
    config.OversampleH = scale >= 1.5f ? 1 : 2;
    config.OversampleV = 1;
    if (text.size == 0) {
      config.SizePixels = size;
      state.fonts[i] = atlas.AddFontDefault(&config);
      continue;
    }
    // ImGui promises not to write to the data; its parameter is just not const.
    state.fonts[i] = atlas.AddFontFromMemoryTTF(const_cast<unsigned char*>(text.data), text.size, size, &config,
                                                code ? code_ranges : text_ranges);
    if (const EmbeddedFont& symbols = embedded_font_symbols(); symbols.size > 0) {
      config.MergeMode = true;
      atlas.AddFontFromMemoryTTF(const_cast<unsigned char*>(symbols.data), symbols.size, size * 0.92f, &config,
                                 symbol_ranges);
    }
  }
  ImGui::GetIO().FontDefault = state.fonts[static_cast<std::size_t>(Font::body)];
}

}  // namespace

const Theme& theme() { return state.theme; }
float px(float at_scale_one) { return std::round(at_scale_one * (state.scale > 0 ? state.scale : 1.0f)); }
ImFont* font(Font which) { return state.fonts[static_cast<std::size_t>(which)]; }
float font_size(Font which) { return px(sizes[static_cast<std::size_t>(which)]); }

void push_font(Font which) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font(which), font_size(which));
#else
  ImGui::PushFont(font(which));
#endif
}
void pop_font() { ImGui::PopFont(); }

ImU32 with_alpha(ImU32 value, float alpha) {
  const float old = static_cast<float>((value >> IM_COL32_A_SHIFT) & 255);
  const auto scaled = static_cast<ImU32>(std::clamp(old * alpha, 0.0f, 255.0f));
  return (value & ~IM_COL32_A_MASK) | (scaled << IM_COL32_A_SHIFT);
}

ImU32 mix(ImU32 a, ImU32 b, float t) {
  t = std::clamp(t, 0.0f, 1.0f);
  ImU32 result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const float x = static_cast<float>((a >> shift) & 255), y = static_cast<float>((b >> shift) & 255);
    result |= static_cast<ImU32>(std::lround(x + (y - x) * t)) << shift;
  }
  return result;
}

ImVec4 colour(ImU32 value) { return ImGui::ColorConvertU32ToFloat4(value); }

}  // namespace ui

float ui_scale_of(const Settings& settings, float monitor_scale, float window_width) {
  float wanted = settings.ui_scale > 0 ? settings.ui_scale : monitor_scale;
  if (!(wanted > 0)) wanted = 1;
  if (settings.projector) wanted *= ui::projector_factor;
  // In steps: a window that is dragged wider does not build its fonts anew at every pixel.
  constexpr float steps = 20;
  const float fits = std::max(std::floor(window_width / ui::narrowest_window * steps) / steps, 1.0f);
  return std::min(std::clamp(wanted, ui::min_scale, ui::max_scale), fits);
}

bool setup_ui_style(const Settings& settings, float monitor_scale, float window_width) {
  using namespace ui;
  const float wanted = ui_scale_of(settings, monitor_scale, window_width);
  const bool new_context = !ImGui::GetIO().FontDefault || ImGui::GetIO().FontDefault != state.fonts[0];
  const bool new_scale = wanted != state.scale || new_context;
  if (!new_scale && settings.light_theme == state.theme.light) return false;
  state.scale = wanted;
  state.theme = settings.light_theme ? light() : dark();

  ImGuiStyle style;
  apply_sizes(style, wanted);
  apply_colours(style, state.theme);
  ImGui::GetStyle() = style;
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // the settings file keeps what is worth keeping
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  if (new_scale) build_fonts(*io.Fonts, wanted);
  return new_scale;
}

}  // namespace convoscope
