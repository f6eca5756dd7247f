#pragma once
// JSON of files that people may have edited: what stands before a mistake is used, and no depth of nesting ends the
// program.
#include <nlohmann/json.hpp>
#include <string>

namespace convoscope {

struct JsonText {
  nlohmann::json value;  // discarded when there is nothing to use
  std::string problem;   // "has a mistake in line 7", "is nested too deeply"; empty when all of it was read
};
JsonText read_json(const std::string& text);

// File names may hold bytes that are not UTF-8: those become question marks instead of an exception.
std::string write_json(const nlohmann::json&, int indent);

}  // namespace convoscope
