#pragma once
// The numbers in the cells of a grid of weights: all in one size and with one number of decimals, where that tells them
// apart.
#include <imgui.h>

#include <optional>
#include <span>

namespace convoscope::ui {

struct WeightWriting {
  std::optional<int> decimals;  // none: the cells are too small for one that tells most weights from zero
  float size = 0;               // of the text, in pixels
};

// For the weights that are shown, in cells of so many pixels. `largest`: magnitude of the whole filter.
WeightWriting writing_of(std::span<const float> weights, float largest, float cell);
// In the middle of its cell. Without decimals: as many figures as there is room for, whatever the others have.
void draw_weight(ImDrawList&, ImVec2 from, float cell, float weight, const WeightWriting&, ImU32 ink);

}  // namespace convoscope::ui
