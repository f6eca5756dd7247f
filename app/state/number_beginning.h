#pragma once
// What a number may begin with as it is typed: a character that has to reach the field which it opens.
#include <string_view>

namespace convoscope {

constexpr bool begins_number(unsigned character) {
  return character < 128 &&
         std::string_view("0123456789-.,").find(static_cast<char>(character)) != std::string_view::npos;
}

}  // namespace convoscope
