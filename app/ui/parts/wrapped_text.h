#pragma once
// Lines of a text, broken between words only: ImGui's own wrapping also breaks after a full stop, and so within 0.5.
#include <string>
#include <string_view>

#include "app/ui/parts/theme.h"

namespace convoscope::ui {

// In the current font. A word that is wider than the line is broken where it has to be.
std::string wrapped(std::string_view text, float width);
std::string wrapped(Font, std::string_view text, float width);

// The first lines of a text that has been wrapped to this width, the last of them with … when there is more: in place
// of as many of its words as that needs.
std::string first_lines(std::string_view wrapped_text, int lines, float width);
std::string first_lines(Font, std::string_view wrapped_text, int lines, float width);
int count_lines(std::string_view wrapped_text);

}  // namespace convoscope::ui
