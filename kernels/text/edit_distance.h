#pragma once
// For "did you mean …": how many letters must be added, dropped or replaced to make one word of another.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace convoscope {

std::size_t edit_distance(std::string_view, std::string_view);

// The candidate with the fewest edits to `word`; empty when none is near enough to be what was meant.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

}  // namespace convoscope
