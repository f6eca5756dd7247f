#include "kernels/contract/sweep.h"

#include <algorithm>
#include <limits>

#include "kernels/text/error.h"

namespace convoscope {
namespace {

// Whether something is another one now. Throws Error for a filter that no device has room for.
bool put_values(Problem& problem, std::span<const int> values) {
  bool changed = false;
  std::size_t place = 0;
  for (const SweepParameter& parameter : problem.kind->parameters) {
    const int value = values[place++];
    if (value == parameter.value(problem)) continue;
    parameter.put(problem, value);
    changed = true;
  }
  if (changed && !problem.kind->problem) validate(problem.filter, std::numeric_limits<int>::max());
  return changed;
}

std::string number_or_word(const SweepParameter& parameter, int value) {
  return parameter.words.empty() ? std::to_string(value)
                                 : std::string(parameter.words[static_cast<std::size_t>(value)]);
}

}  // namespace

const SweepParameter* find_parameter(const Kind& kind, std::string_view id) {
  const auto found = std::ranges::find(kind.parameters, id, &SweepParameter::id);
  return found == kind.parameters.end() ? nullptr : &*found;
}

std::vector<int> sweep_values(const Problem& problem) {
  std::vector<int> values;
  for (const SweepParameter& parameter : problem.kind->parameters) values.push_back(parameter.value(problem));
  return values;
}

Problem with_values(Problem problem, std::span<const int> values) {
  const Kind& kind = *problem.kind;
  if (put_values(problem, values) && kind.problem)
    problem.filter = kind.problem(kind.shape(problem), problem.layer.pass, nullptr).filter;
  if (const std::string reason = kind.invalid(problem); !reason.empty()) throw Error(reason + ".");
  return problem;
}

std::string why_not_with(Problem problem, std::span<const int> values) {
  const Kind& kind = *problem.kind;
  const Filter no_weights;
  std::string reason;
  try {
    put_values(problem, values);
    if (kind.problem) kind.problem(kind.shape(problem), problem.layer.pass, &no_weights);
    // What is found has no weights yet; where they are needed, nobody knows what they will sum up to.
    if (!kind.problem || problem.layer.pass == Pass::to_weights) reason = kind.invalid(problem);
  } catch (const Error& error) {
    reason = error.what();
  }
  return reason.empty() || reason.ends_with('.') ? reason : reason + ".";
}

std::string value_text(const SweepParameter& parameter, const Problem& problem) {
  return parameter.say ? parameter.say(problem) : number_or_word(parameter, parameter.value(problem));
}

std::string value_text(const SweepParameter& parameter, Problem problem, int value) {
  if (!parameter.say) return number_or_word(parameter, value);
  try {
    parameter.put(problem, value);
  } catch (const Error&) {
    return number_or_word(parameter, value);
  }
  return parameter.say(problem);
}

std::string value_phrase(const SweepParameter& parameter, const Problem& problem) {
  const std::string text = value_text(parameter, problem);
  return parameter.say || !parameter.words.empty() ? text : std::string(parameter.title) + " " + text;
}

}  // namespace convoscope
