#include "app/lessons/verdict.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "kernels/text/error.h"
#include "kernels/text/number_grid.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t longest_answer = 4000;

void collect_numbers(const ordered_json& value, std::vector<double>& into) {
  if (value.is_array())
    for (const ordered_json& each : value) collect_numbers(each, into);
  else if (value.is_number())
    into.push_back(value.get<double>());
  else if (value.is_boolean())
    into.push_back(value.get<bool>() ? 1 : 0);
  else
    throw Error("The answer of this question is no number here.");
}

std::vector<double> numbers_of(const Expression& expression, Values& values) {
  std::vector<double> numbers;
  collect_numbers(values.value(expression), numbers);
  for (double& number : numbers) {
    number *= expression.times;
    if (!std::isfinite(number)) throw Error("The answer of this question is no number here.");
  }
  return numbers;
}

// Half a unit of the last place that is shown, and what rounding of whole sums in float32 may leave.
bool is_near(double typed, double right, const Question& asked) {
  const double as_shown =
      asked.answer.digits >= 0 ? 0.51 * std::pow(10.0, -asked.answer.digits) : std::max(std::abs(right) * 1e-5, 1e-9);
  return std::abs(typed - right) <= (asked.tolerance >= 0 ? asked.tolerance : as_shown);
}

// Commas stand between thousands, "5,120", or between numbers, "1, 2".
std::vector<double> typed_numbers(std::string text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
    };
    const bool thousands =
        text[i] == ',' && i > 0 && digit(i - 1) && digit(i + 1) && digit(i + 2) && digit(i + 3) && !digit(i + 4);
    if (!thousands) plain += text[i] == ';' || text[i] == ',' || text[i] == '\n' || text[i] == '\t' ? ' ' : text[i];
  }
  std::vector<double> numbers;
  for (const std::string_view word : split(plain, ' '))
    if (!word.empty() && word.find_first_not_of('/') != std::string_view::npos)
      numbers.push_back(parse_number(word, "The answer"));
  return numbers;
}

std::optional<std::string> foreseen_text(const Question& asked, const std::vector<double>& typed, Values& values) {
  for (const Foreseen& foreseen : asked.foreseen) {
    const std::vector<double> wrong =
        foreseen.value.command.empty() ? typed_numbers(foreseen.as_typed) : numbers_of(foreseen.value, values);
    const bool same = wrong.size() == typed.size() &&
                      std::ranges::equal(wrong, typed, [&](double a, double b) { return is_near(b, a, asked); });
    if (same) return values.text(foreseen.text);
  }
  return std::nullopt;
}

Verdict verdict_on_numbers(const Question& asked, const std::string& typed, Values& values) {
  const std::vector<double> right = numbers_of(asked.answer, values);
  std::vector<double> given;
  try {
    given = typed_numbers(typed);
  } catch (const Error&) {
    return {false, in_quotes(typed) + " is not made of numbers, like 51 or 16/9."};
  }
  if (given.size() != right.size())
    return {false, "The answer has " + counted(static_cast<long long>(right.size()), "number") + ", and " +
                       std::to_string(given.size()) + (given.size() == 1 ? " was" : " were") + " typed."};
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < right.size(); ++i) wrong += is_near(given[i], right[i], asked) ? 0 : 1;
  if (wrong == 0) return {true, "That is right."};
  if (const auto text = foreseen_text(asked, given, values)) return {false, *text};
  if (right.size() == 1) return {false, "That is not it yet."};
  return {false, counted(static_cast<long long>(wrong), "number") + " of " + std::to_string(right.size()) +
                     (wrong == 1 ? " is" : " are") + " not right yet."};
}

Verdict verdict_on_choice(const Question& asked, const std::string& typed, Values& values) {
  const auto choice = static_cast<std::size_t>(std::tolower(static_cast<unsigned char>(typed[0])) - 'a');
  if (typed.size() != 1 || choice >= asked.choices.size())
    return {false, std::string("Choose by a letter, a to ") + letter_of(asked.choices.size() - 1) + "."};
  const Choice& chosen = asked.choices[choice];
  if (chosen.right) return {true, "That is right."};
  const std::string why = values.text(chosen.why);
  return {false, why.empty() ? "Not that one." : why};
}

Expression with_strategy(Expression run, const std::string& strategy) {
  std::erase_if(run.options, [](const auto& one) { return one.first == "strategy"; });
  run.options.emplace_back("strategy", strategy);
  return run;
}

std::string alternatives(const std::vector<std::string>& ids) {
  std::string all;
  for (const std::string& id : ids) all += (all.empty() ? "" : "|") + id;
  return all;
}

bool is_id(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '-'; });
}

// What the learner names may be none, or not run here: that is said, and no failure.
Verdict verdict_on_strategy(const Question& asked, const std::string& typed, Values& values) {
  if (!is_id(typed)) return {false, in_quotes(typed) + " is no strategy's id, which is like tiled-halo."};
  if (!asked.among.empty() && std::ranges::find(asked.among, typed) == asked.among.end())
    return {false, in_quotes(typed) + " does not do what is asked for."};
  Expression baseline;
  ordered_json slow;
  if (asked.kind == Question::Kind::faster) {
    baseline = with_strategy(asked.answer, alternatives(asked.than));
    slow = values.value(baseline);
  }
  ordered_json made;
  try {
    made = values.value(with_strategy(asked.answer, typed));
  } catch (const Error& error) {
    return {false, error.what()};
  }
  if (asked.kind == Question::Kind::badge)
    return made.at("right").get<bool>() ? Verdict{true, "Its outputs agree with the reference."}
                                        : Verdict{false, "Its outputs differ from the reference."};
  const auto text = [](const ordered_json& row) {
    return row.at("strategy").get<std::string>() + " takes " + rounded_text(row.at("median_ms").get<double>(), 3) +
           " ms";
  };
  const std::string both = text(made) + ", and " + text(slow) + ".";
  if (made.at("median_high_ms").get<double>() < slow.at("median_low_ms").get<double>())
    return {true, "That is right: " + both};
  if (made.at("median_low_ms").get<double>() > slow.at("median_high_ms").get<double>())
    return {false, "It is slower: " + both};
  return {false, "The two cannot be told apart: " + both};
}

}  // namespace

char letter_of(std::size_t choice) { return static_cast<char>('a' + choice); }

Verdict verdict_on(const Question& asked, const std::string& text, Values& values) {
  const std::string typed(trim(text));
  if (typed.empty()) return {false, "Nothing was answered."};
  if (typed.size() > longest_answer) return {false, "The answer is longer than 4,000 characters."};
  switch (asked.kind) {
    case Question::Kind::choice:
      return verdict_on_choice(asked, typed, values);
    case Question::Kind::badge:
    case Question::Kind::faster:
      return verdict_on_strategy(asked, typed, values);
    case Question::Kind::number:
      break;
  }
  return verdict_on_numbers(asked, typed, values);
}

std::string right_answer(const Question& asked, Values& values) {
  if (asked.kind == Question::Kind::choice)
    return {letter_of(
        static_cast<std::size_t>(std::ranges::find(asked.choices, true, &Choice::right) - asked.choices.begin()))};
  if (asked.kind == Question::Kind::number) return values.text(asked.answer);
  if (asked.kind == Question::Kind::badge) return asked.shown.front();
  return values.value(with_strategy(asked.answer, alternatives(asked.shown))).at("strategy").get<std::string>();
}

std::string form_of_answer(const Question& asked, Values& values) {
  switch (asked.kind) {
    case Question::Kind::choice:
      return std::string("a letter, a to ") + letter_of(asked.choices.size() - 1);
    case Question::Kind::badge:
    case Question::Kind::faster:
      return "a strategy's id";
    case Question::Kind::number:
      break;
  }
  const std::size_t count = numbers_of(asked.answer, values).size();
  return count == 1 ? "a number" : std::to_string(count) + " numbers, with blanks between them";
}

}  // namespace convoscope::lessons
