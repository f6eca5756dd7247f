#pragma once
// The problems that list, verify and bench are asked about, from what was said of them and what the kind has of its
// own.
#include <string>
#include <vector>

#include "app/cli/arguments.h"

namespace convoscope {

struct NamedProblem {
  std::string filter;  // as it was stated
  Problem problem;
};

Problem listed_problem(const Invocation&);
std::vector<NamedProblem> bench_problems(const Invocation&);  // throws Error for what is stated and none of the kind
std::vector<Problem> stated_problems(const Invocation&);      // each --shape, --pass, --filter, --type, --layout

}  // namespace convoscope
