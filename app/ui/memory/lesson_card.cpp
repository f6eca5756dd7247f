#include "app/ui/memory/lesson_card.h"

namespace convoscope {

LessonCard& lesson_card() {
  static LessonCard card;
  return card;
}

}  // namespace convoscope
