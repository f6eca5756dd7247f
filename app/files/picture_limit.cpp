#include "app/files/picture_limit.h"

#include <charconv>

namespace convoscope {
namespace {

constexpr std::string_view option = "--max-pixels ", lets_in = " lets this one in.";

}  // namespace

std::string how_to_allow(std::int64_t pixels) {
  return std::string(option) + std::to_string(pixels) + std::string(lets_in);
}

std::optional<std::int64_t> pixels_to_allow(std::string_view sentence) {
  const std::size_t at = sentence.rfind(option);
  if (at == std::string_view::npos || !sentence.ends_with(lets_in)) return {};
  const std::string_view number = sentence.substr(at + option.size());
  std::int64_t pixels = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), pixels);
  const bool whole =
      read.ec == std::errc() && number.substr(static_cast<std::size_t>(read.ptr - number.data())) == lets_in;
  return whole && pixels > 0 && pixels <= most_pixels_to_allow ? std::optional(pixels) : std::nullopt;
}

}  // namespace convoscope
