#pragma once
// How many letters must be added, dropped or replaced to make one word of another: for "did you mean …".
#include <cstddef>
#include <string_view>

namespace convoscope {

std::size_t edit_distance(std::string_view, std::string_view);

}  // namespace convoscope
