#pragma once
// What the keyboard and the mouse do to the weights that the grid shows: which one is selected, what is typed into it,
// and how far a pixel of dragging goes. The state is ui_state().grid. All of it on the thread that draws.
#include <cstddef>
#include <vector>

#include "kernels/filter/filter_catalogue.h"

namespace convoscope::ui::weight_editing {

// Of the filter that the grid shows: the second one of an edge magnitude, if that was chosen.
std::vector<float>& weights(Filter&);
const std::vector<float>& weights(const Filter&);
std::size_t index(const Filter&, int column, int row);  // of a weight
bool is_whole_filter(const Filter&);                    // as many weights as its sides say
float largest(const Filter&);                           // magnitude of a finite weight
float drag_step(const Filter&);  // a power of ten that takes some fifty pixels of dragging for the largest weight

void set_weight(FilterSpec&, int column, int row, double value);
void select(const Filter&, int column, int row);     // the nearest one that exists
void begin_typing(const Filter&, const char* text);  // text: typed already, or null for the weight's own
void end_typing(FilterSpec&);  // takes what was typed, or says why not, and goes on to the next weight if wanted

}  // namespace convoscope::ui::weight_editing
