#include "app/media/ffmpeg/y4m_header.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::string_view magic = "YUV4MPEG2";
constexpr std::size_t longest_line = 96;  // that FFmpeg reads
constexpr long long most_pixels = INT_MAX / 8;

// What stands behind the letter; empty where the line has none that begins so.
std::optional<std::string> word(std::string_view begin, char letter) {
  const std::string_view line = begin.substr(0, begin.find('\n'));
  for (const std::string_view part : split(line.substr(std::min(magic.size(), line.size())), ' '))
    if (part.starts_with(letter)) return std::string(part.substr(1));
  return {};
}

// "640", "30000:1001": FFmpeg takes of larger numbers what is left of them in 32 bits.
bool is_read_whole(const std::string& numbers) {
  for (const std::string_view number : split(numbers, ':'))
    if (std::strtoll(std::string(number).c_str(), nullptr, 10) > INT_MAX) return false;
  return true;
}

}  // namespace

bool is_y4m(std::string_view begin) { return begin.starts_with(magic); }

std::string why_not_y4m(std::string_view begin) {
  if (begin.size() < longest_line && begin.find('\n') == std::string_view::npos)
    return "that ends within its first line";
  if (begin.substr(0, longest_line).find('\n') == std::string_view::npos)
    return "whose first line is longer than the " + std::to_string(longest_line) + " bytes that are read";
  const auto width = word(begin, 'W'), height = word(begin, 'H'), colours = word(begin, 'C');
  if (!width || !height) return "whose first line says no size (like W640 H480)";
  const long long columns = std::strtoll(width->c_str(), nullptr, 10),
                  rows = std::strtoll(height->c_str(), nullptr, 10);
  if (columns < 1 || rows < 1 || columns > INT_MAX || rows > most_pixels / columns)
    return "whose first line says the size " + in_quotes("W" + *width + " H" + *height) + ", which no picture can have";
  for (const auto& [letter, what] : {std::pair{'F', "rate"}, {'A', "shape of a pixel"}})
    if (const auto numbers = word(begin, letter); numbers && !is_read_whole(*numbers))
      return std::string("whose first line says the ") + what + " " + in_quotes(letter + *numbers) +
             ", whose numbers are too large";
  if (colours) return "whose first line says the colours " + in_quotes("C" + *colours) + ", which cannot be read";
  return "whose first line cannot be used";
}

bool fits_y4m(std::string_view begin) {
  for (const char letter : {'W', 'H', 'F', 'A'})
    if (const auto numbers = word(begin, letter); numbers && !is_read_whole(*numbers)) return false;
  return true;
}

bool says_y4m_rate(std::string_view begin) {
  int frames = 0, seconds = 0;
  const auto rate = word(begin, 'F');
  return rate && std::sscanf(rate->c_str(), "%d:%d", &frames, &seconds) == 2 && frames > 0 && seconds > 0;
}

}  // namespace convoscope
