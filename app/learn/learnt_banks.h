#pragma once
// The banks of a network that learns: what they begin with, and what they have in common.
#include <vector>

#include "kernels/contract/data/filter.h"

namespace convoscope {

bool is_finite(const Filter& bank);
bool is_of_a_shape(const Filter& one, const Filter& other);
bool are_of_a_shape(const std::vector<Filter>& some, const std::vector<Filter>& others);
bool all_have_the_same_values(const std::vector<Filter>& some, const std::vector<Filter>& others);

// The layer's own bank with these weights. Those for grey are shared by the colours that a layer has for other
// pictures.
Filter with_weights(Filter bank, const Filter& learnt);

Filter small_random_bank(Filter bank);
Filter first_of_several(Filter bank);  // of the first of several layers: it has a bias for each map
// The layers behind this one, so many in all, for pictures of so many colours; with weights of 0.
std::vector<Filter> further_layers(const Filter& first, int layers, int colours);
std::vector<Filter> with_initial_weights(std::vector<Filter> banks);

}  // namespace convoscope
