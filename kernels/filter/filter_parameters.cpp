#include "kernels/filter/filter_parameters.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {

std::string few_values(const FilterParameter& parameter) {
  if (parameter.step <= 1) return {};
  std::string text;
  for (double value = parameter.minimum; value <= parameter.maximum; value += parameter.step)
    text += (text.empty() ? "" : value + parameter.step > parameter.maximum ? " or " : ", ") + number_text(value);
  return text;
}

bool is_automatic(const FilterParameter& parameter, double value) {
  return value == parameter.minimum && !automatic_rule(parameter).empty();
}

std::string_view automatic_rule(const FilterParameter& parameter) {
  const std::size_t before = parameter.title.find(": "), end = parameter.title.rfind(')');
  return before == std::string_view::npos ? std::string_view() : parameter.title.substr(before + 2, end - before - 2);
}

bool is_word(const FilterParameter& parameter, double value) {
  return !parameter.word.empty() && value == FilterParameter::value_of_word;
}

std::string value_text(const FilterParameter& parameter, double value) {
  return is_word(parameter, value) ? std::string(parameter.word) : number_text(value);
}

double checked_value(const FilterParameter& parameter, double value, const std::string& what) {
  const bool inside = value >= parameter.minimum && value <= parameter.maximum;
  const bool stepped = parameter.step >= 1 && parameter.step == std::floor(parameter.step);
  const bool on_a_step = !stepped || std::fmod(value - parameter.minimum, parameter.step) == 0;
  if (inside && on_a_step) return value;
  const std::string few = few_values(parameter);
  throw Error(what + " is " + number_text(value) + "; it must be " +
              (!few.empty() ? few
               : inside     ? "a whole number"
                            : "between " + number_text(parameter.minimum) + " and " + number_text(parameter.maximum)));
}

void for_each_assignment(std::string_view text, const std::string& kind,
                         const std::function<void(std::string_view, std::string_view)>& visit) {
  if (trim(text).empty()) return;
  std::vector<std::string_view> seen;
  for (std::string_view part : split(text, ',')) {
    part = trim(part);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      throw Error("The filter '" + kind + "' has " +
                  (part.empty() ? "an empty parameter" : "a parameter " + in_quotes(part)) +
                  " without a value; write it like radius=2");
    const std::string_view name = trim(part.substr(0, equals));
    if (std::ranges::count(seen, name))
      throw Error("The filter '" + kind + "' has " + in_quotes(name) + " twice; leave one of them out");
    seen.push_back(name);
    visit(name, trim(part.substr(equals + 1)));
  }
}

}  // namespace convoscope
