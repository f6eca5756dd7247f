#pragma once
// The texts of a lesson as the window draws them.
#include <string>
#include <vector>

#include "app/ui/memory/lesson_card.h"

namespace convoscope::ui {

// Down the current window, in lines that are no longer than is easy to read. `id` names tables for ImGui.
void draw_lesson_blocks(const std::string& id, const std::vector<LessonCard::Block>&);
void draw_lesson_line(const std::string& text, unsigned int ink);  // wrapped likewise
float lesson_measure();                                            // how wide a line is

}  // namespace convoscope::ui
