#include "app/ui/actions/lesson_actions.h"

#include "app/ui/memory/lesson_card.h"

namespace convoscope::ui {

void toggle_lessons() { lesson_card().open = !lesson_card().open; }

void turn_lesson_page(int steps) {
  LessonCard& card = lesson_card();
  if (!card.steps.empty()) card.wishes.step = card.step + steps;
}

bool turns_lesson_pages(const Settings&) {
  return lesson_card().open && !lesson_card().name.empty() && !lesson_card().steps.empty();
}

}  // namespace convoscope::ui
