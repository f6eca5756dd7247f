#pragma once
// Colours, fonts and the scale of everything that is drawn. setup_ui_style() (ui.h) fills what these return.
#include <imgui.h>

namespace convoscope::ui {

struct Theme {
  bool light = false;
  ImU32 panel = 0, raised = 0, field = 0, line = 0;  // surfaces, from back to front, and hairlines
  ImU32 text = 0, dim = 0, faint = 0;                // three weights of ink
  ImU32 accent = 0, on_accent = 0, accent_soft = 0;  // the one accent, ink on it, a tint of it
  ImU32 negative = 0;                                // weights below zero, opposite of the accent
  ImU32 good = 0, warning = 0, error = 0;
  ImU32 card = 0;       // over the picture, translucent
  ImU32 shade[4] = {};  // neutral steps for what is not the kernel
};

const Theme& theme();
inline constexpr ImU32 dimming = IM_COL32(0, 0, 0, 130);  // over the window, behind what has it to itself
float px(float at_scale_one);                             // a length at scale 1 in pixels of this screen, whole

enum class Font { body, strong, title, small, code };
ImFont* font(Font);
float font_size(Font);
void push_font(Font);
void pop_font();

ImU32 with_alpha(ImU32 colour, float alpha);
ImU32 mix(ImU32 a, ImU32 b, float t);
ImVec4 colour(ImU32);

}  // namespace convoscope::ui
