#pragma once
// What the panel and the keys do to a filter. Each leaves the filter valid or unchanged.
#include <functional>
#include <string>

#include "kernels/filter/filter_catalogue.h"

namespace convoscope::ui {

bool is_custom(const FilterSpec&);
// A kind with its initial parameters, and its own gain and bias.
void choose_kind(FilterSpec&, const FilterKind&);
// Of a filter that was just chosen by hand: of an edge magnitude a full step has half of white, and hardly any edge of
// a picture is one, so it begins where edges are seen. What a command line names is as the catalogue has it.
void begin_bright(FilterSpec&);
void choose_next_kind(FilterSpec&, int direction);
bool is_whole(const FilterParameter&);                       // takes whole numbers only
double nearest_value(const FilterParameter&, double value);  // within the bounds, on a step
// One parameter of the kind at hand; gain, bias and absolute stay as the user set them.
void set_parameter(FilterSpec&, std::size_t index, double value);
// Changes weights, after which the filter is a custom one that keeps its name; unless none of them has changed. Returns
// why not, with the filter unchanged.
std::string edit_weights(FilterSpec&, const std::function<void(Filter&)>& change);
// The kind's first length in pixels, or the size of a custom filter. 1D filters stay 1D.
std::string grow(FilterSpec&, int steps);
// The weights as rows, and a line each for a gain, a bias and an absolute value that are not the usual ones.
std::string filter_text(const Filter&);
// Reads the same. What the text does not say is as usual, whatever the filter before had.
std::string paste_matrix(FilterSpec&, const std::string& text);
std::string display_name(const FilterSpec&);  // "Gaussian", "Custom (from gaussian)"

}  // namespace convoscope::ui
