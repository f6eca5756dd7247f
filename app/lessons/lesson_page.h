#pragma once
// A lesson as a page of HTML in one file, with the figures of this machine in it.
#include <string>

#include "app/lessons/lesson.h"
#include "app/lessons/values.h"

namespace convoscope::lessons {

struct LessonPageSettings {
  bool worksheet = false;  // lines to write on, and neither hints nor solutions
  bool answers = false;    // the solutions are open; with a worksheet they stand at its end
  std::string machine;     // what the figures were made on, for the last line
};
// Evaluates all of it, which may take seconds. Throws Error where a figure cannot be had.
std::string lesson_page(const Lesson&, Values&, const LessonPageSettings&);

}  // namespace convoscope::lessons
