#pragma once
// Names of many files, with a place for their number: frame%04d.png.
#include <cstddef>
#include <optional>
#include <string>

namespace convoscope {

inline constexpr int most_number_digits = 20;  // as FFmpeg's image2 fills up with zeros

// "%04d", from `begin` until before `end`, and its "04".
struct NumberPlace {
  std::size_t begin, end;
  std::string digits;
  int least_digits() const;  // that the number has: others are filled up with zeros; 0…most_number_digits
};
std::optional<NumberPlace> number_place(const std::string& name, std::size_t from = 0);  // the first one from there on
std::string numbered(const std::string& name, int number);                               // all of them filled

}  // namespace convoscope
