#pragma once
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/memory/lesson_card.h"

namespace convoscope::ui {

// What is asked, a field or choices for the answer, what was said of the last one, and hints one after the other; once
// it is right, the solution.
void draw_lesson_question(LessonCard::Question&, LessonCard&, const Stats&, const Settings&);

}  // namespace convoscope::ui
