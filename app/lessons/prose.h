#pragma once
// The texts of a lesson: paragraphs parted by empty lines, "- items", code between lines of three backquotes, and in
// them
// **strong**, `code` and {expressions}. "{{" is a brace.
#include <string_view>

#include "app/lessons/lesson.h"

namespace convoscope::lessons {

// Throws Error with a sentence, without the line.
Sentence parse_sentence(std::string_view text, const std::vector<NamedExpression>& named, int line);

}  // namespace convoscope::lessons
