#include "app/ui/parts/without_mouse.h"

#include <imgui_internal.h>

#include "app/ui/memory/ui_state.h"

namespace convoscope::ui {

struct WithoutMouse::Kept {
  ImVec2 mouse, delta;
  ImGuiWindow *hovered = nullptr, *hovered_under = nullptr;
  bool captured = false;
  HoveredCard card;
  TooltipClick tip;
  HeldRow row, strategy;
  PanelUnderMouse panel;
};

WithoutMouse::WithoutMouse(bool wanted) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  // Who holds a knob has it follow the mouse.
  if (!wanted || g.ActiveId != 0 || ui_state().drag.kind != PictureDrag::Kind::none) return;
  UiState& state = ui_state();
  kept_ = std::make_unique<Kept>(Kept{g.IO.MousePos, g.IO.MouseDelta, g.HoveredWindow, g.HoveredWindowUnderMovingWindow,
                                      g.IO.WantCaptureMouse, state.hovered_card, state.tooltip_click, state.held_row,
                                      state.held_strategy, state.panel_under_mouse});
  constexpr float far_away = -10000;  // a place that sums can be made with, unlike ImGui's own
  g.IO.MousePos = {far_away, far_away};
  g.IO.MouseDelta = {};
  g.HoveredWindow = g.HoveredWindowUnderMovingWindow = nullptr;
  state.hovered_card = {};
}

WithoutMouse::~WithoutMouse() {
  if (!kept_) return;
  ImGuiContext& g = *ImGui::GetCurrentContext();
  UiState& state = ui_state();
  g.IO.MousePos = kept_->mouse;
  g.IO.MouseDelta = kept_->delta;
  g.HoveredWindow = kept_->hovered;
  g.HoveredWindowUnderMovingWindow = kept_->hovered_under;
  g.IO.WantCaptureMouse = kept_->captured;
  state.hovered_card = kept_->card;
  state.tooltip_click = kept_->tip;
  state.held_row = kept_->row;
  state.held_strategy = kept_->strategy;
  state.panel_under_mouse = kept_->panel;
}

}  // namespace convoscope::ui
