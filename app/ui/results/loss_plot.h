#pragma once
// The loss of the layer that learns, over its steps.
#include <cstddef>
#include <string>

#include "app/state/stats.h"

namespace convoscope::ui {

void draw_loss(const LearnStats&);  // over the width of the panel, on a logarithmic axis, with a value under the mouse
std::string loss_text(const LearnStats&, std::size_t point);  // "Step 1,200\nLoss 0.0031"

}  // namespace convoscope::ui
