#include "kernels/text/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "kernels/text/error.h"

namespace convoscope {
namespace {

// One plain number, without a sign in front other than '-' and without a fraction bar.
double parse_plain(std::string_view text, std::string_view whole, std::string_view subject) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw Error(std::string(subject) + ": " + in_quotes(whole) + " is outside the range of numbers, 1e-307 to 1e308");
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(std::string(subject) + ": " + in_quotes(whole) +
                " is not a number; write one like 3, -0.5, 1e-3 or 1/16");
  if (std::isnan(value)) throw Error(std::string(subject) + ": " + in_quotes(whole) + " is NaN; write a finite number");
  if (std::isinf(value))
    throw Error(std::string(subject) + ": " + in_quotes(whole) + " is infinite; write a finite number");
  return value;
}

template <class T>
std::string shortest(T value) {
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

}  // namespace

double parse_number(std::string_view text, std::string_view subject) {
  const std::string_view whole = trim(text);
  if (whole.empty()) throw Error(std::string(subject) + ": the number is missing");
  const std::size_t bar = whole.find('/');
  if (bar == std::string_view::npos) return parse_plain(whole, whole, subject);
  const double numerator = parse_plain(trim(whole.substr(0, bar)), whole, subject);
  const double denominator = parse_plain(trim(whole.substr(bar + 1)), whole, subject);
  if (denominator == 0) throw Error(std::string(subject) + ": " + in_quotes(whole) + " divides by zero");
  const double value = numerator / denominator;
  if (!std::isfinite(value))
    throw Error(std::string(subject) + ": " + in_quotes(whole) + " is infinite; write a finite number");
  return value;
}

float parse_float(std::string_view text, std::string_view subject) {
  const double value = parse_number(text, subject);
  if (std::abs(value) > std::numeric_limits<float>::max())
    throw Error(std::string(subject) + ": " + in_quotes(trim(text)) + " is " + beyond_float);
  return static_cast<float>(value);
}

void validate_finite(float value, const std::string& whose) {
  if (std::isnan(value)) throw Error(whose + " is NaN; it must be a finite number");
  if (std::isinf(value)) throw Error(whose + " is infinite, or " + beyond_float);
}

std::string number_text(double value) { return shortest(value); }
std::string number_text(float value) { return shortest(value); }

std::string rounded_text(double value, int figures) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, figures).ptr;
  return {text, end};
}

std::string with_commas(std::string number) {
  const std::size_t first = std::min(number.find_first_of("0123456789"), number.size());
  std::size_t end = std::min(number.find_first_not_of("0123456789", first), number.size());
  for (; end > first + 3; end -= 3) number.insert(end - 3, ",");
  return number;
}

std::string format_count(long long count) { return with_commas(std::to_string(count)); }

std::string counted(long long count, std::string_view noun, std::string_view plural) {
  const std::string number = format_count(count) + " ";
  if (count == 1) return number + std::string(noun);
  return number + (plural.empty() ? std::string(noun) + "s" : std::string(plural));
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Of a long text the middle is left out: what a path ends with tells it from others.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60, longest_head = 24;
  const auto within_character = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  const bool whole = text.size() <= longest;
  std::size_t head = whole ? text.size() : longest_head, tail = whole ? text.size() : text.size() - longest + head;
  while (head > 0 && within_character(head)) --head;
  while (within_character(tail)) ++tail;
  const std::string shown = std::string(text.substr(0, head)) + (whole ? "" : "…") + std::string(text.substr(tail));
  std::string result = "'";
  for (const char c : shown) result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return result + "'";
}

}  // namespace convoscope
