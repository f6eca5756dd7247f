#pragma once
// What list, verify and bench are told about problems: the options that they share.
#include "app/cli/options/options.h"

namespace convoscope {

void add_kind(CLI::App&, Texts&, const char* group, const std::string& what);
void add_shape(CLI::App&, Texts&, const char* group);  // --shape, --pass, --type, --layout
void add_over(CLI::App&, Texts&, const char* group);

void read_kind(const Texts&, Invocation&);  // --kind, one or several
const Kind& only_kind(Invocation&);         // one kind; without --kind, images
void read_strategies(const Texts&, const std::string& option, const std::vector<const Kind*>&,
                     std::vector<std::string>& into);
void read_problem(const Texts&, Invocation&);
void read_rows(const Texts&, const Kind&, Invocation&);  // what is said of one-dimensional problems
void read_over(const Texts&, const Kind&, Invocation&);  // --over

}  // namespace convoscope
