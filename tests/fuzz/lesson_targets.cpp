// Lessons and answers of somebody else's.
#include "app/cli/commands/lesson_values.h"
#include "app/lessons/answers.h"
#include "app/lessons/lesson_page.h"
#include "app/lessons/pack.h"
#include "app/lessons/verdict.h"
#include "kernels/text/error.h"
#include "tests/fuzz/target.h"

namespace convoscope::fuzz {
namespace {

using namespace lessons;
using nlohmann::ordered_json;

// A value of each kind for every column, since what is computed is other targets' matter: the path through it is not.
Evaluate made_up_values() {
  return [](const Expression& expression) {
    ordered_json row = ordered_json::object();
    std::string name = expression.column.substr(0, expression.column.find_first_of(".["));
    row[name] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    row.update({{"right", true}, {"strategy", "auto"}, {"median_ms", 1}, {"median_low_ms", 1}, {"median_high_ms", 1}});
    return row;
  };
}

// A lesson that was taken can be shown and answered, whatever is in it, and its expressions name no file.
void read_lesson(const std::string& input, const Place&) {
  try {
    const Lesson lesson = parse_lesson(input, "fuzz", "fuzz.md");
    for (const Expression* expression : expressions_of(lesson)) {
      for (const auto& [option, value] : expression->options)
        if ((option == "input" || option == "gradient") && value.find('/') != std::string::npos &&
            value.find_first_not_of("0123456789.,;/+-eE \t\n") != std::string::npos)
          throw Failure{"a lesson names a file: " + value};
      try {
        lesson_invocation(*expression);
      } catch (const Error&) {
      }
    }
    Values values(made_up_values());
    for (const Question* question : questions_of(lesson)) try {
        if (!verdict_on(*question, right_answer(*question, values), values).right &&
            question->kind != Question::Kind::faster && question->among.empty() && question->tolerance < 0)
          throw Failure{"the answer of a question is not right"};
      } catch (const Error&) {
      }
    lesson_page(lesson, values, {.worksheet = true, .answers = true, .machine = {}});
  } catch (const Error& error) {
    if (std::string(error.what()).find("fuzz.md") == std::string::npos &&
        std::string(error.what()).find("Line ") == std::string::npos)
      throw Failure{std::string("a refusal without its place: ") + error.what()};
  }
}

void read_answers(const std::string& input, const Place&) {
  try {
    const Answers answers = parse_answers(input, "fuzz.json");
    if (parse_answers(answers_json(answers).dump(-1, ' ', false, ordered_json::error_handler_t::replace), "again")
            .typed.size() != answers.typed.size())
      throw Failure{"answers are others when they are read again"};
  } catch (const Error&) {
  }
}

std::vector<std::string> lesson_seeds(const Place&) {
  std::vector<std::string> seeds;
  for (const PackedLesson& lesson : own_lessons().lessons) seeds.push_back(lesson.text);
  return seeds;
}

std::vector<std::string> answer_seeds(const Place&) {
  return {answers_json({"01-one-dimension", "Ada", {"52", "51", "", "4 8 12", "b"}}).dump(2)};
}

}  // namespace

std::vector<Target> lesson_targets() {
  return {{.name = "lesson",
           .ending = ".md",
           .seeds = lesson_seeds,
           .run = read_lesson,
           .words = {"# ",
                     "## ",
                     "### Question: number",
                     "### Question: choice",
                     "### Question: badge",
                     "answer: {",
                     "hint: ",
                     "solution: ",
                     "- [x] ",
                     "- [ ] ",
                     " -- ",
                     "```",
                     "```session",
                     "let a = ",
                     "{a ",
                     "}",
                     "compute ",
                     "list ",
                     "bench ",
                     "outputs[0]",
                     "input=",
                     "filter=",
                     "strategy=",
                     "digits=2",
                     "if ",
                     "tolerance: ",
                     "than: ",
                     "shown: ",
                     "look: ",
                     "do: ",
                     "show: ",
                     "minutes: "}},
          {.name = "answers", .ending = ".json", .seeds = answer_seeds, .run = read_answers, .json = true}};
}

}  // namespace convoscope::fuzz
