#pragma once
// What convoscope lists of its own data, which no machine lacks.
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/commands/text_table.h"

namespace convoscope {

void print(const std::string& text);  // on standard output
void print(const TextTable&, const std::string& below = {});

void list_filters(const Invocation&);
void list_banks(bool json);
void list_workbenches(bool json);

}  // namespace convoscope
