#include "app/lessons/lesson.h"

#include <array>

namespace convoscope::lessons {
namespace {

void add(std::vector<const Expression*>& all, const Sentence& sentence) {
  for (const Span& span : sentence)
    if (span.kind == Span::Kind::value) all.push_back(&span.expression);
}
void add(std::vector<const Expression*>& all, const Prose& prose) {
  for (const Block& block : prose) add(all, block.spans);
}
void add(std::vector<const Expression*>& all, const Question& question) {
  add(all, question.text);
  if (question.kind == Question::Kind::number) all.push_back(&question.answer);
  for (const Choice& choice : question.choices) {
    add(all, choice.text);
    add(all, choice.why);
  }
  for (const Foreseen& foreseen : question.foreseen) {
    if (!foreseen.value.command.empty()) all.push_back(&foreseen.value);
    add(all, foreseen.text);
  }
  for (const Sentence& hint : question.hints) add(all, hint);
  add(all, question.solution);
}

}  // namespace

const char* word_of(Question::Kind kind) {
  constexpr std::array words{"number", "choice", "badge", "faster"};
  return words[static_cast<std::size_t>(kind)];
}

std::vector<const Question*> questions_of(const Lesson& lesson) {
  std::vector<const Question*> all;
  for (const Step& step : lesson.steps)
    for (const Question& question : step.questions) all.push_back(&question);
  return all;
}

std::vector<const Expression*> expressions_of(const Lesson& lesson) {
  std::vector<const Expression*> all;
  for (const Step& step : lesson.steps) {
    add(all, step.text);
    add(all, step.look);
    add(all, step.act);
    for (const Question& question : step.questions) add(all, question);
  }
  return all;
}

}  // namespace convoscope::lessons
