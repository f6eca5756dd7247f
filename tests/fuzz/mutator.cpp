#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace convoscope::fuzz {
namespace {

using nlohmann::json;

// Where programs go wrong: ends of ranges, signs, what is no number, what is not ASCII, and format strings.
const std::vector<std::string> odd_words = {"0",
                                            "-0",
                                            "1",
                                            "-1",
                                            "2",
                                            "127",
                                            "128",
                                            "255",
                                            "256",
                                            "32767",
                                            "65535",
                                            "65536",
                                            "2147483647",
                                            "2147483648",
                                            "-2147483648",
                                            "4294967295",
                                            "4294967296",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "18446744073709551616",
                                            "1e9",
                                            "1e38",
                                            "1e39",
                                            "-1e39",
                                            "1e308",
                                            "1e309",
                                            "1e-320",
                                            "nan",
                                            "inf",
                                            "-inf",
                                            "0x10",
                                            "1,5",
                                            ".",
                                            "-",
                                            "+",
                                            "",
                                            " ",
                                            "\t",
                                            "\n",
                                            ";",
                                            ",",
                                            ":",
                                            "=",
                                            "/",
                                            "..",
                                            "//",
                                            "~",
                                            "%",
                                            "%s%n",
                                            "%04d",
                                            "*",
                                            "?",
                                            "\\",
                                            "'",
                                            "\"",
                                            "{",
                                            "}",
                                            "[",
                                            "]",
                                            "null",
                                            "true",
                                            "false",
                                            "\xff",
                                            "\xc3",
                                            "\xc3\xa9",
                                            "\xe2\x80\xae",
                                            "\xf0\x9f\x98\x80",
                                            "\xef\xbb\xbf",
                                            std::string(1, '\0'),
                                            std::string(5000, '9'),
                                            std::string(5000, 'a'),
                                            std::string(300, '['),
                                            std::string(300, '{')};

const json odd_values[] = {nullptr,
                           true,
                           false,
                           0,
                           -1,
                           1,
                           2147483647,
                           2147483648,
                           -2147483649,
                           std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::uint64_t>::max(),
                           0.5,
                           -0.0,
                           1e39,
                           -1e300,
                           1e-320,
                           "",
                           "nan",
                           "\n",
                           "/",
                           "a\u00e9",
                           std::string(3000, 'x'),
                           json::array(),
                           json::object(),
                           json::array({1, "2", nullptr}),
                           json::object({{"a", 1}})};

// A pointer to every value of the tree.
void collect(json& value, std::vector<json*>& values) {
  values.push_back(&value);
  if (value.is_structured())
    for (json& inner : value) collect(inner, values);
}

}  // namespace

std::string Mutator::word() {
  if (!target_.words.empty() && !once_in(3)) return target_.words[below(target_.words.size())];
  return odd_words[below(odd_words.size())];
}

void Mutator::change_bytes(std::string& input) {
  if (input.empty()) return;
  for (std::size_t left = 1 + below(8); left > 0; --left) {
    char& byte = input[below(input.size())];
    byte = static_cast<char>(once_in(2) ? byte ^ (1 << below(8)) : below(256));
  }
}

// As containers store them, either way round.
void Mutator::change_number(std::string& input) {
  constexpr std::array<std::uint64_t, 12> values = {
      0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff};
  const std::size_t bytes = std::size_t{1} << below(4);
  if (input.size() < bytes) return;
  const std::uint64_t value = once_in(3) ? random_() : values[below(values.size())];
  const std::size_t at = below(input.size() - bytes + 1);
  const bool big = once_in(2);
  for (std::size_t i = 0; i < bytes; ++i) input[at + i] = static_cast<char>(value >> 8 * (big ? bytes - 1 - i : i));
}

void Mutator::change_part(std::string& input) {
  const std::size_t at = below(input.size() + 1), most = input.size() - at;
  const std::size_t count = std::min(most, once_in(2) ? below(16) : below(input.size() + 1));
  switch (below(5)) {
    case 0:
      input.erase(at, count);
      break;
    case 1:
      input.insert(below(input.size() + 1), input.substr(at, count));
      break;
    case 2:
      input.resize(at);
      break;
    case 3:
      std::fill_n(input.begin() + static_cast<std::ptrdiff_t>(at), count, static_cast<char>(once_in(2) ? 0 : 255));
      break;
    default: {
      const std::string& other = any_seed();
      const std::size_t from = below(other.size() + 1);
      input.replace(at, count, other.substr(from, once_in(2) ? below(64) : other.size()));
    }
  }
}

void Mutator::change_words(std::string& input) {
  constexpr std::string_view between = " \t\n,;:={}[]\"'/";
  std::size_t begin = input.find_last_of(between, below(input.size() + 1));
  begin = begin == std::string::npos ? 0 : std::min(begin + 1, input.size());
  const std::size_t end = std::min(input.find_first_of(between, begin), input.size());
  if (once_in(3))
    input.insert(begin, word() + (once_in(2) ? std::string(1, between[below(between.size())]) : ""));
  else
    input.replace(begin, end - begin, word());
}

void Mutator::change_lines(std::string& input) {
  std::vector<std::string> lines(1);
  for (const char c : input) c == '\n' ? static_cast<void>(lines.emplace_back()) : lines.back().push_back(c);
  const std::size_t line = below(lines.size()), other = below(lines.size());
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(line);
  switch (below(5)) {
    case 0:
      lines.erase(place);
      break;
    case 1:
      lines.insert(place, std::string(lines[other]));
      break;
    case 2:
      std::swap(lines[line], lines[other]);
      break;
    case 3:
      lines.insert(place, word());
      break;
    default:
      lines[line] = word();
  }
  input.clear();
  for (const std::string& each : lines) input += (&each == lines.data() ? "" : "\n") + each;
}

bool Mutator::change_tree(std::string& input) {
  json tree = json::parse(input, nullptr, false);
  if (tree.is_discarded()) return false;
  for (std::size_t left = 1 + below(3); left > 0; --left) {
    std::vector<json*> values;
    collect(tree, values);
    json& value = *values[below(values.size())];
    const json other = *values[below(values.size())];
    switch (below(4)) {
      case 0:
        value = other;
        break;
      case 1:
        if (value.is_array()) {
          for (std::size_t more = 1 + below(20); more > 0; --more) value.push_back(value.empty() ? other : value[0]);
          break;
        }
        [[fallthrough]];
      case 2:
        if (value.is_object() && !value.empty()) {
          auto entry = value.begin();
          std::advance(entry, below(value.size()));
          value.erase(entry);
          break;
        }
        [[fallthrough]];
      default:
        value = once_in(4) ? json(word()) : odd_values[below(std::size(odd_values))];
    }
  }
  input = tree.dump(once_in(2) ? 1 : -1, ' ', false, json::error_handler_t::replace);
  return true;
}

std::string Mutator::next() {
  std::string input = any_seed();
  const bool text = !target_.words.empty() || target_.json;
  for (std::size_t left = 1 + below(4); left > 0; --left) {
    if (target_.json && !once_in(3) && change_tree(input)) continue;
    switch (below(text ? 8 : 4)) {
      case 0:
        change_bytes(input);
        break;
      case 1:
        change_number(input);
        break;
      case 2:
      case 3:
        change_part(input);
        break;
      case 4:
      case 5:
        change_lines(input);
        break;
      default:
        change_words(input);
    }
  }
  if (input.size() > target_.longest) input.resize(target_.longest);
  if (target_.mend && !once_in(8)) target_.mend(input);
  return input;
}

}  // namespace convoscope::fuzz
