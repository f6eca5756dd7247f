#pragma once
// What keys and buttons do to the sheet of lessons.
#include "app/state/settings.h"

namespace convoscope::ui {

void toggle_lessons();
void turn_lesson_page(int steps);          // forwards or back, within the lesson
bool turns_lesson_pages(const Settings&);  // one is open

}  // namespace convoscope::ui
