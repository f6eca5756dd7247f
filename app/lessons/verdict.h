#pragma once
// Whether an answer is right, and what is said of one that is not without giving the right one away.
#include <string>

#include "app/lessons/lesson.h"
#include "app/lessons/values.h"

namespace convoscope::lessons {

struct Verdict {
  bool right = false;
  std::string said;  // a sentence or several; never the answer
};

// `typed`: numbers, fractions and blanks or semicolons between them; of a choice its letter, a, b …; else a strategy's
// id. Throws Error where the answer cannot be worked out on this machine; what is typed wrong is a verdict.
Verdict verdict_on(const Question&, const std::string& typed, Values&);

// What would be right, as it is typed: numbers with blanks between them, a letter, or the id of a strategy.
std::string right_answer(const Question&, Values&);

// How an answer is typed: "a number", "a letter", "a strategy".
std::string form_of_answer(const Question&, Values&);

char letter_of(std::size_t choice);  // 'a' of the first

}  // namespace convoscope::lessons
