#pragma once
// The order in which people count: shot2 before shot10, and upper case beside lower.
#include <algorithm>
#include <cctype>
#include <string_view>

namespace convoscope {

inline bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = [&](std::string_view text, std::size_t& i) {
    while (i < text.size() && text[i] == '0') ++i;
    const std::size_t begin = i;
    while (i < text.size() && digit(text[i])) ++i;
    return text.substr(begin, i - begin);
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const std::string_view x = number(a, i), y = number(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    const int x = std::tolower(static_cast<unsigned char>(a[i++])),
              y = std::tolower(static_cast<unsigned char>(b[j++]));
    if (x != y) return x < y;
  }
  if (i < a.size() || j < b.size()) return i >= a.size();
  return a < b;
}

}  // namespace convoscope
