#include "app/cli/commands/lesson_values.h"

#include "app/cli/commands/columns.h"
#include "app/cli/options/options.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

// As on the command line, without what the columns choose from.
std::vector<std::string> arguments_of(const Expression& expression) {
  std::vector<std::string> arguments{expression.command};
  if (expression.command == "list") arguments.emplace_back("strategies");
  for (const auto& [option, value] : expression.options) {
    if (option == "strategy" && expression.command != "compute") continue;
    if (option == "relu") {
      if (value == "on") arguments.emplace_back("--relu");
      continue;
    }
    arguments.push_back("--" + option + "=" + value);
  }
  return arguments;
}

std::vector<std::string> alternatives_of(const std::string& strategies) {
  std::vector<std::string> ids;
  for (const std::string_view id : split(strategies, '|')) ids.emplace_back(trim(id));
  return ids;
}

}  // namespace

Invocation lesson_invocation(const Expression& expression) {
  Invocation invocation;
  const std::vector<std::string> arguments = arguments_of(expression);
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  const int argc = static_cast<int>(argv.size());
  if (expression.command == "compute") {
    parse_compute(argc, argv.data(), invocation);
    return invocation;
  }
  if (expression.option("strategy").empty())
    throw Error("An expression of " + expression.command + " needs strategy=, like strategy=constant.");
  if (expression.command == "list")
    parse_list(argc, argv.data(), invocation);
  else
    parse_bench(argc, argv.data(), invocation);
  return invocation;
}

Evaluate lesson_evaluation(BackendChoice backend, int device) {
  return [backend, device](const Expression& expression) {
    Invocation invocation = lesson_invocation(expression);
    // What is counted or modelled is the same everywhere: only times are of the backend that was asked for, and the
    // CPU's own strategies are not those that the lessons count.
    const bool timed = expression.command == "bench";
    invocation.settings.backend = timed || backend != BackendChoice::cpu ? backend : BackendChoice::automatic;
    invocation.settings.device = device;
    const std::string strategy = expression.option("strategy");
    if (expression.command == "compute") return compute_json(invocation);
    if (expression.command == "list") return strategy_row_json(invocation, strategy);
    return measured_json(invocation, alternatives_of(strategy));
  };
}

}  // namespace convoscope::lessons
