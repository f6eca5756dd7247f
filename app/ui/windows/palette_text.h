#pragma once
// What was typed into the palette and is no command's name: a filter with its parameters, a matrix, a source. And what
// was probably meant when nothing has the name.
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/windows/palette.h"

namespace convoscope::ui {

struct TypedText {
  std::vector<Command> commands;
  std::string problem;  // why it is not the filter that it looks like
};
TypedText read_typed(const std::string& text, const std::vector<OfferedSource>& sources);

// Positions of the commands with a word nearest to one that was typed, best first; none when all are far.
std::vector<std::size_t> nearest_commands(std::string_view typed, const std::vector<Command>&);

}  // namespace convoscope::ui
