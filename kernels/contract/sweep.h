#pragma once
// Problems with other values of their kind's sweep parameters. Wherever values are listed, there is one for each of the
// kind's parameters, in their order.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/kind.h"

namespace convoscope {

// Of one problem, for each strategy: more take hours.
inline constexpr std::size_t most_sweep_points = 300;

const SweepParameter* find_parameter(const Kind&, std::string_view id);  // null when there is none

std::vector<int> sweep_values(const Problem&);
// With random weights where the problem is stated as a shape and one of its numbers has changed. Throws Error with the
// numbers where there is no such problem.
Problem with_values(Problem, std::span<const int> values);
// Why there is none, a sentence; empty when there is. Makes no weights of shapes.
std::string why_not_with(Problem, std::span<const int> values);

// "16", "640×360", "forward": of the problem, or of it with another value.
std::string value_text(const SweepParameter&, const Problem&);
std::string value_text(const SweepParameter&, Problem, int value);
std::string value_phrase(const SweepParameter&, const Problem&);  // "maps 16", "640×360", "forward"

}  // namespace convoscope
