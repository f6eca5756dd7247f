#include "app/ui/parts/format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace convoscope::ui {
namespace {

constexpr const char* unknown = "–";

template <class... Values>
std::string print(const char* format, Values... values) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

// `figures` significant figures without an exponent, for values that people see next to each other.
std::string fixed(double value, int figures) {
  const double magnitude = std::fabs(value);
  const int digits = magnitude >= 1e-4 ? static_cast<int>(std::floor(std::log10(magnitude))) + 1 : -3;
  return print("%.*f", std::clamp(figures - digits, 0, 6), value);
}

std::string scaled(double value, double step, const std::array<const char*, 4>& units) {
  if (!std::isfinite(value)) return unknown;
  std::size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  return print(unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

}  // namespace

std::string format_ms(double milliseconds) {
  if (!std::isfinite(milliseconds) || milliseconds <= 0) return unknown;
  if (milliseconds >= 1e6) return print("%.2g", milliseconds);
  const int digits = milliseconds < 0.1    ? 4
                     : milliseconds < 1    ? 3
                     : milliseconds < 100  ? 2
                     : milliseconds < 1000 ? 1
                                           : 0;
  return with_commas(print("%.*f", digits, milliseconds));
}

bool in_seconds(double milliseconds) { return milliseconds >= 1e4 && milliseconds < 1e9; }

std::string format_milliseconds(double milliseconds) {
  if (in_seconds(milliseconds)) return print("%.1f s", milliseconds / 1000);
  const std::string number = format_ms(milliseconds);
  return number == unknown ? number : number + " ms";
}

std::string format_interval(double low, double high) {
  if (in_seconds(high)) return (low > 0 ? print("%.1f … ", low / 1000) : "up to ") + print("%.1f s", high / 1000);
  return (low > 0 ? format_ms(low) + " … " : "up to ") + format_ms(high);
}

std::string format_clock(double seconds) {
  if (!std::isfinite(seconds) || seconds > 1e7) return "--:--.---";
  const auto total = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0) * 1000));
  const auto ms = static_cast<int>(total % 1000), s = static_cast<int>(total / 1000 % 60);
  const auto minutes = static_cast<int>(total / 60000 % 60), hours = static_cast<int>(total / 3600000);
  return hours > 0 ? print("%d:%02d:%02d.%03d", hours, minutes, s, ms) : print("%02d:%02d.%03d", minutes, s, ms);
}

std::string format_si(double value, const char* unit) {
  if (!std::isfinite(value)) return unknown;
  constexpr std::array<const char*, 6> prefixes{"", "k", "M", "G", "T", "P"};
  std::size_t step = 0;
  while (std::fabs(value) >= 999.5 && step + 1 < prefixes.size()) {
    value /= 1000;
    ++step;
  }
  return fixed(value, 3) + " " + prefixes[step] + unit;
}

std::string format_number(double value, int figures) {
  if (!std::isfinite(value)) return unknown;
  if (value == 0) value = 0;                                                               // of either sign
  const bool whole = std::abs(value) >= std::pow(10.0, figures) && std::abs(value) < 1e7;  // "1,000", not "1e+03"
  return with_commas(whole ? print("%.0f", value) : print("%.*g", figures, value));
}

std::string with_minus(std::string text) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
  };
  const auto in_word = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  const std::string minus = "−";
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
    const bool exponent = at > 1 && text[at - 1] == 'e' && digit(at - 2);
    if (digit(at + 1) && (at == 0 || !in_word(at - 1) || exponent)) text.replace(at, 1, minus);
  }
  return text;
}

std::string with_point(std::string text) {
  const std::size_t last = text.find_last_of(",.");
  if (last == std::string::npos) return text;
  // One that comes twice parts thousands.
  const bool parts_thousands = std::ranges::count(text, text[last]) > 1;
  std::string read;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == last && !parts_thousands)
      read += '.';
    else if (text[i] != ',' && (text[i] != '.' || text[last] == '.'))
      read += text[i];
  }
  return read;
}

std::string with_power(std::string text) {
  constexpr std::array<const char*, 10> raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const std::size_t at = text.find('e');
  if (at == std::string::npos) return with_minus(std::move(text));
  const int exponent = std::atoi(text.c_str() + at + 1);
  std::string power = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) power += raised[static_cast<std::size_t>(digit - '0')];
  return with_minus(text.substr(0, at)) + " × 10" + power;
}

std::string format_weight(double value, int figures) {
  if (!std::isfinite(value)) return "?";
  if (value == 0) return "0";
  std::string text = print("%.*g", figures, value);
  if (const std::size_t exponent = text.find("e-0"); exponent != std::string::npos) text.erase(exponent + 2, 1);
  return with_minus(std::move(text));
}

std::string shortest_weight(double value) {
  if (!std::isfinite(value) || value == 0) return format_weight(value, 1);
  const std::string padded = print("%.0e", value);  // "3e-04"
  const std::size_t exponent = padded.find('e') + 1;
  std::string power = padded.substr(0, exponent) + std::to_string(std::stoi(padded.substr(exponent)));
  return power.size() < print("%.1g", value).size() ? with_minus(std::move(power)) : format_weight(value, 1);
}

std::string format_offset(int x, int y) {
  const auto signed_text = [](int value) { return with_minus(value == 0 ? "0" : print("%+d", value)); };
  return "(" + signed_text(x) + ", " + signed_text(y) + ")";
}

std::string format_bytes(double bytes) { return scaled(bytes, 1000, {"B", "kB", "MB", "GB"}); }

std::string format_binary_bytes(double bytes) { return scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB"}); }

std::string lower_case(std::string_view ascii) {
  std::string text(ascii);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace convoscope::ui
