#pragma once
// The answers to a lesson in a file, as `lesson run --template` writes one and `lesson check` reads it, and what became
// of them.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/lessons/lesson.h"
#include "app/lessons/values.h"

namespace convoscope::lessons {

inline constexpr const char *answers_schema = "convoscope-lesson-answers",
                            *results_schema = "convoscope-lesson-results";
inline constexpr int answers_version = 1;

struct Answers {
  std::string lesson, student;
  std::vector<std::string> typed;  // by question; empty: not answered
};

// To be filled in: each question with its text and an empty answer.
nlohmann::ordered_json answers_template(const Lesson&, Values&);
// Throws Error naming `file`, and what in it is no answer to a lesson of this schema and version.
Answers parse_answers(std::string_view text, const std::string& file);
// For parse_answers() to read.
nlohmann::ordered_json answers_json(const Answers&);

struct AnswerResult {
  bool answered = false, right = false;
  std::string said;
};
// By question. Throws Error where the answers are to another lesson, or more than it has questions.
std::vector<AnswerResult> results_of(const Lesson&, const Answers&, Values&);
nlohmann::ordered_json results_json(const Lesson&, const Answers&, const std::vector<AnswerResult>&);

// A line of CSV for each file, below a header: student, lesson, what was right and of how many, and each question as 1,
// 0 or nothing where it was not answered. A cell that a spreadsheet would take for a formula begins with an apostrophe.
struct ClassRow {
  Answers answers;
  std::vector<AnswerResult> results;
};
std::string class_csv(const std::vector<ClassRow>&);

}  // namespace convoscope::lessons
