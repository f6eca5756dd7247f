#include "app/lessons/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>

#include "kernels/filter/filter_catalogue.h"
#include "kernels/filter/signal_catalogue.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_grid.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_words = 40, longest_expression = 4000, most_elements = 4096;

// Of each command those options that neither name a file nor write one, open a device or print anything else.
constexpr std::string_view of_list[] = {"kind",  "strategy", "filter", "size",   "format", "border",
                                        "shape", "pass",     "type",   "layout", "tune"};
constexpr std::string_view of_compute[] = {"kind",     "strategy", "input",  "filter", "border", "format",
                                           "pass",     "gradient", "biases", "relu",   "stride", "padding",
                                           "dilation", "groups",   "tune",   "at"};
constexpr std::string_view of_bench[] = {"kind",   "strategy", "filter", "taps", "size",   "samples", "format",
                                         "border", "shape",    "pass",   "type", "layout", "tune"};

struct CommandOptions {
  std::string_view command;
  std::span<const std::string_view> options;
};
constexpr std::array<CommandOptions, 3> commands{{{"list", of_list}, {"compute", of_compute}, {"bench", of_bench}}};

std::vector<std::string> words_of_expression(std::string_view text) {
  if (text.size() > longest_expression) throw Error("An expression is longer than 4,000 characters.");
  std::vector<std::string> words;
  bool quoted = false, within = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (blank && !quoted) {
      within = false;
      continue;
    }
    if (!std::exchange(within, true)) words.emplace_back();
    if (c == '"')
      quoted = !quoted;
    else
      words.back() += c;
  }
  if (quoted) throw Error("A quotation mark in " + in_quotes(text) + " has no other one.");
  if (words.size() > most_words) throw Error("An expression has more than 40 words: " + in_quotes(text) + ".");
  return words;
}

// A filter of the catalogues, or weights; what else it might be is a file.
void check_no_file(const std::string& option, const std::string& value) {
  if (looks_like_numbers(value)) return;
  const std::string word = value.substr(0, value.find(':'));
  const bool made = word == "ones" || word == "ramp";  // of compute's input
  if (option != "filter" && made) return;
  if (option == "filter" && (find_filter_kind(word) || find_signal_filter_kind(word))) return;
  throw Error(in_quotes(option + "=" + value) +
              (option == "filter" ? " is neither weights nor a filter of `convoscope list filters`"
                                  : " is not made of numbers") +
              "; a lesson opens no file.");
}

bool names_data(const std::string& option) {
  return option == "input" || option == "gradient" || option == "biases" || option == "filter";
}

int whole_number(const std::string& option, const std::string& value, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < least || number > most)
    throw Error(in_quotes(option + "=" + value) + " is no whole number from " + std::to_string(least) + " to " +
                std::to_string(most) + ".");
  return number;
}

void add_option(Expression& made, const std::string& option, const std::string& value) {
  if (option == "digits") {
    made.digits = whole_number(option, value, 0, 9);
    return;
  }
  if (option == "times") {
    made.times = parse_number(value, "times");
    return;
  }
  const auto known = std::ranges::find(commands, made.command, &CommandOptions::command)->options;
  if (std::ranges::find(known, option) == known.end()) {
    const std::vector<std::string> all(known.begin(), known.end());
    const std::string near = nearest_word(option, all);
    throw Error("The option " + in_quotes(option) + " is none that " + made.command + " takes in a lesson." +
                (near.empty() ? "" : " Did you mean " + in_quotes(near) + "?"));
  }
  if (names_data(option)) check_no_file(option, value);
  // Those of a name may be said anew where it is used; a tunable is added to the others.
  if (option != "tune") std::erase_if(made.options, [&](const auto& one) { return one.first == option; });
  made.options.emplace_back(option, value);
}

bool is_column(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '[' || c == ']' || c == '-';
  });
}

std::string names_in(const ordered_json& object) {
  std::string names;
  for (const auto& [name, value] : object.items()) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "nothing" : names;
}

const ordered_json& member(const ordered_json& from, const std::string& name, const std::string& column) {
  if (!from.is_object())
    throw Error("There is no " + in_quotes(name) + " in the column " + in_quotes(column) + ", which ends before it.");
  const auto found = from.find(name);
  if (found == from.end())
    throw Error("There is no column " + in_quotes(column) + "; there are " + names_in(from) + ".");
  return *found;
}

const ordered_json& element(const ordered_json& from, const std::string& digits, const std::string& column) {
  const int index = whole_number("index", digits, 0, 1 << 20);
  if (!from.is_array()) throw Error("The column " + in_quotes(column) + " has no list there.");
  if (static_cast<std::size_t>(index) >= from.size())
    throw Error("The column " + in_quotes(column) + " asks for number " + digits + " of a list of " +
                std::to_string(from.size()) + ", counted from 0.");
  return from[static_cast<std::size_t>(index)];
}

std::string number_in_text(double value, const Expression& shown) {
  value *= shown.times;
  if (!std::isfinite(value)) return "–";
  if (shown.digits < 0) {
    const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
    return whole ? with_commas(number_text(value)) : rounded_text(value, 6);
  }
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", shown.digits, value);
  if (length <= 0 || static_cast<std::size_t>(length) >= text.size()) return rounded_text(value, 6);
  return with_commas(std::string(text.data(), static_cast<std::size_t>(length)));
}

int depth_of(const ordered_json& value) { return value.is_array() ? 1 + (value.empty() ? 0 : depth_of(value[0])) : 0; }

}  // namespace

std::string Expression::option(std::string_view name) const {
  for (const auto& [option, value] : options)
    if (option == name) return value;
  return {};
}

std::string Expression::key() const {
  std::string key = command;
  for (const auto& [option, value] : options) key += "\n" + option + "=" + value;
  return key;
}

Expression parse_expression(std::string_view text, const std::vector<NamedExpression>& named, bool wants_column) {
  const std::vector<std::string> words = words_of_expression(text);
  if (words.empty()) throw Error("An expression is empty: write {compute outputs input=\"1 2 3\" …}.");
  Expression made;
  const auto name = std::ranges::find(named, words[0], &NamedExpression::name);
  if (name != named.end()) {
    made = name->expression;
  } else {
    made.command = words[0];
    if (std::ranges::find(commands, words[0], &CommandOptions::command) == commands.end()) {
      std::vector<std::string> known{"list", "compute", "bench"};
      for (const NamedExpression& each : named) known.push_back(each.name);
      const std::string near = nearest_word(words[0], known);
      throw Error("An expression begins with list, compute, bench or a name of `let`, and not with " +
                  in_quotes(words[0]) + (near.empty() ? "." : "; did you mean " + in_quotes(near) + "?"));
    }
  }
  std::size_t next = 1;
  if (next < words.size() && words[next].find('=') == std::string::npos) made.column = words[next++];
  if (wants_column && !is_column(made.column))
    throw Error("The expression " + in_quotes(text) + " names no column, like `outputs[0]` behind its first word.");
  for (; next < words.size(); ++next) {
    const std::size_t equals = words[next].find('=');
    if (equals == std::string::npos)
      throw Error(in_quotes(words[next]) + " is no option: write option=value, like border=zero.");
    add_option(made, words[next].substr(0, equals), words[next].substr(equals + 1));
  }
  return made;
}

ordered_json column_of(const ordered_json& printed, const std::string& column) {
  const ordered_json* at = &printed;
  std::string name;
  const auto enter = [&] {
    if (!name.empty()) at = &member(*at, std::exchange(name, {}), column);
  };
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (column[i] == '.') {
      enter();
    } else if (column[i] == '[') {
      enter();
      const std::size_t end = column.find(']', i);
      if (end == std::string::npos) throw Error("The column " + in_quotes(column) + " lacks a bracket.");
      at = &element(*at, column.substr(i + 1, end - i - 1), column);
      i = end;
    } else {
      name += column[i];
    }
  }
  enter();
  return *at;
}

std::string value_text(const ordered_json& value, const Expression& shown) {
  if (value.is_number()) return number_in_text(value.get<double>(), shown);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "–";
  if (!value.is_array()) throw Error("The column " + in_quotes(shown.column) + " is no single value.");
  if (value.size() > most_elements) throw Error("The column " + in_quotes(shown.column) + " is too long for a text.");
  const int depth = depth_of(value);
  std::string text;
  for (const ordered_json& each : value)
    text += (text.empty() ? "" : depth == 1 ? " " : depth == 2 ? " / " : " // ") + value_text(each, shown);
  return text;
}

}  // namespace convoscope::lessons
