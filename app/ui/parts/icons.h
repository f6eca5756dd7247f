#pragma once
// Icons drawn with lines, so that they are sharp at every scale and need no font.
#include <imgui.h>

namespace convoscope::ui {

enum class Icon {
  play,
  pause,
  step_back,
  step_forward,
  loop,
  record,
  stop,
  sound,
  sound_off,
  camera,
  full_screen,
  panels,
  help,
  undo,
  redo,
  copy,
  paste,
  normalise,
  transpose,
  flip_horizontal,
  flip_vertical,
  rotate,
  plus,
  minus,
  close,
  folder,
  save,
  refresh,
  chevron_down,
  chevron_right,
  chevron_up,
  information,
  warning,
  check,
  reset,
  overlay,
  theme,
  sliders,
  link,
  link_off,
  more,
};

// Within the square of side `size` centred at `centre`.
void draw_icon(ImDrawList&, Icon, ImVec2 centre, float size, ImU32 colour);

}  // namespace convoscope::ui
