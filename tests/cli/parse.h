#pragma once
#include <string>
#include <vector>

#include "app/cli/arguments.h"

namespace convoscope {

// As typed behind the program's name.
inline Invocation parse(const std::vector<std::string>& arguments, const Settings& defaults = default_settings()) {
  std::vector<const char*> argv{"convoscope"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return parse_arguments(static_cast<int>(argv.size()), argv.data(), defaults);
}

}  // namespace convoscope
