#pragma once
// What `convoscope lesson` prints as JSON, put into the card of lessons. Each throws Error where it is something else.
#include <string>
#include <vector>

#include "app/ui/memory/lesson_card.h"

namespace convoscope {

std::vector<LessonCard::Entry> lesson_entries(const std::string& output);   // of `lesson list`
void take_lesson_reply(const std::string& output, int step, LessonCard&);   // of `lesson run --step`
void take_verdict_reply(const std::string& output, LessonCard::Question&);  // of `lesson check --question`

}  // namespace convoscope
