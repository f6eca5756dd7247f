#include "app/lessons/lesson_json.h"

#include "app/lessons/verdict.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

using nlohmann::ordered_json;

bool is_table(const ordered_json& value) {
  return value.is_array() && !value.empty() && value[0].is_array() && !value[0].empty() && !value[0][0].is_array();
}

ordered_json block_json(const Block& block, Values& values) {
  constexpr const char* words[] = {"paragraph", "item", "code"};
  ordered_json out{{"kind", words[static_cast<std::size_t>(block.kind)]}, {"text", values.text(block.spans)}};
  if (block.spans.size() != 1 || block.spans[0].kind != Span::Kind::value) return out;
  const Expression& shown = block.spans[0].expression;
  if (shown.command == "bench") return out;
  const ordered_json value = values.value(shown);
  if (!is_table(value)) return out;
  out["kind"] = "table";
  for (const ordered_json& row : value) {
    ordered_json cells = ordered_json::array();
    for (const ordered_json& each : row) cells.push_back(value_text(each, shown));
    out["rows"].push_back(std::move(cells));
  }
  return out;
}

ordered_json prose_json(const Prose& prose, Values& values) {
  ordered_json out = ordered_json::array();
  for (const Block& block : prose) out.push_back(block_json(block, values));
  return out;
}

ordered_json question_json(const Question& question, int number, Values& values) {
  ordered_json out{{"question", number},
                   {"kind", word_of(question.kind)},
                   {"asks", prose_json(question.text, values)},
                   {"takes", form_of_answer(question, values)},
                   {"choices", ordered_json::array()},
                   {"hints", ordered_json::array()}};
  for (const Choice& choice : question.choices) out["choices"].push_back(values.text(choice.text));
  for (const Sentence& hint : question.hints) out["hints"].push_back(values.text(hint));
  out["solution"] = prose_json(question.solution, values);
  return out;
}

ordered_json step_json(const Step& step, int first_question, Values& values) {
  ordered_json out{{"title", step.title},
                   {"text", prose_json(step.text, values)},
                   {"look", values.text(step.look)},
                   {"do", values.text(step.act)},
                   {"show", step.show},
                   {"session", step.session.empty() ? ordered_json() : ordered_json::parse(step.session)},
                   {"questions", ordered_json::array()}};
  for (const Question& question : step.questions)
    out["questions"].push_back(question_json(question, first_question++, values));
  return out;
}

}  // namespace

ordered_json lesson_json(const Lesson& lesson, Values& values, std::optional<int> only) {
  if (only && (*only < 0 || *only >= static_cast<int>(lesson.steps.size())))
    throw Error("The lesson has " + counted(static_cast<long long>(lesson.steps.size()), "step") + ".");
  ordered_json out{{"version", lesson_json_version},
                   {"lesson", lesson.name},
                   {"title", lesson.title},
                   {"about", lesson.summary},
                   {"reads", lesson.reads},
                   {"minutes", lesson.minutes},
                   {"questions", questions_of(lesson).size()},
                   {"steps", ordered_json::array()}};
  int question = 1, number = 0;
  for (const Step& step : lesson.steps) {
    out["steps"].push_back(only && *only != number ? ordered_json{{"title", step.title}}
                                                   : step_json(step, question, values));
    question += static_cast<int>(step.questions.size());
    ++number;
  }
  out["measured"] = !values.left_out();
  return out;
}

}  // namespace convoscope::lessons
