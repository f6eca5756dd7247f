#include "app/files/numbered_names.h"

#include <algorithm>
#include <cstdlib>

namespace convoscope {

int NumberPlace::least_digits() const {
  return static_cast<int>(std::min<unsigned long>(std::strtoul(digits.c_str(), nullptr, 10), most_number_digits));
}

std::optional<NumberPlace> number_place(const std::string& name, std::size_t from) {
  for (std::size_t at = from; (at = name.find('%', at)) != std::string::npos; ++at) {
    const std::size_t end = name.find_first_not_of("0123456789", at + 1);
    if (end != std::string::npos && name[end] == 'd')
      return NumberPlace{at, end + 1, name.substr(at + 1, end - at - 1)};
  }
  return {};
}

std::string numbered(const std::string& name, int number) {
  const std::string plain = std::to_string(number);
  std::string filled;
  std::size_t from = 0;
  while (const std::optional<NumberPlace> place = number_place(name, from)) {
    const int zeros = std::max(place->least_digits() - static_cast<int>(plain.size()), 0);
    filled += name.substr(from, place->begin - from) + std::string(static_cast<std::size_t>(zeros), '0') + plain;
    from = place->end;
  }
  return filled + name.substr(from);
}

}  // namespace convoscope
