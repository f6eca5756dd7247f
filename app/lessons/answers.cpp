#include "app/lessons/answers.h"

#include <algorithm>

#include "app/lessons/verdict.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_answers_bytes = 1 << 20;

std::string text_of(const Prose& prose, Values& values) {
  std::string text;
  for (const Block& block : prose) text += (text.empty() ? "" : "\n") + values.text(block.spans);
  return text;
}

std::string string_at(const nlohmann::json& object, const char* key, const std::string& file) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    throw Error(in_quotes(file) + " has no text " + in_quotes(key) + ".");
  return found->get<std::string>();
}

// A number may be written without quotes.
std::string typed_of(const nlohmann::json& answer, const std::string& file) {
  if (answer.is_null()) return {};
  if (answer.is_string()) return answer.get<std::string>();
  if (answer.is_number()) return number_text(answer.get<double>());
  throw Error(in_quotes(file) + ": an answer is a text or a number, like \"51 53 52\".");
}

std::string cell(const std::string& text) {
  std::string out;
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) out = "'";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  return "\"" + out + "\"";
}

}  // namespace

ordered_json answers_template(const Lesson& lesson, Values& values) {
  ordered_json out{{"schema", answers_schema}, {"version", answers_version}, {"lesson", lesson.name}, {"student", ""}};
  ordered_json& all = out["answers"] = ordered_json::array();
  int number = 0;
  for (const Question* question : questions_of(lesson)) {
    ordered_json one{{"question", ++number},
                     {"asks", text_of(question->text, values)},
                     {"takes", form_of_answer(*question, values)}};
    for (std::size_t i = 0; i < question->choices.size(); ++i)
      one["choices"][std::string(1, letter_of(i))] = values.text(question->choices[i].text);
    one["answer"] = "";
    all.push_back(std::move(one));
  }
  return out;
}

Answers parse_answers(std::string_view text, const std::string& file) {
  if (text.size() > most_answers_bytes) throw Error(in_quotes(file) + " is larger than 1 MiB, and no answers.");
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object()) throw Error(in_quotes(file) + " is no JSON object. `lesson run N --template` writes one.");
  if (object.value("schema", nlohmann::json()) != answers_schema)
    throw Error(in_quotes(file) + " is not of the schema " + answers_schema + ".");
  if (object.value("version", nlohmann::json()) != answers_version)
    throw Error(in_quotes(file) + " is of another version than " + std::to_string(answers_version) +
                ", which this program reads.");
  Answers answers{string_at(object, "lesson", file), string_at(object, "student", file), {}};
  const auto list = object.find("answers");
  if (list == object.end() || !list->is_array()) throw Error(in_quotes(file) + " has no list `answers`.");
  for (const nlohmann::json& one : *list) {
    if (!one.is_object()) throw Error(in_quotes(file) + ": each of the answers is an object.");
    const nlohmann::json number = one.value("question", nlohmann::json());
    if (!number.is_number_integer() || number.get<double>() < 1 || number.get<double>() > 100)
      throw Error(in_quotes(file) + ": an answer has no `question` from 1 to 100.");
    const auto at = number.get<std::size_t>();
    if (answers.typed.size() < at) answers.typed.resize(at);
    answers.typed[at - 1] = typed_of(one.value("answer", nlohmann::json()), file);
  }
  return answers;
}

ordered_json answers_json(const Answers& answers) {
  ordered_json out{{"schema", answers_schema},
                   {"version", answers_version},
                   {"lesson", answers.lesson},
                   {"student", answers.student}};
  ordered_json& all = out["answers"] = ordered_json::array();
  for (std::size_t i = 0; i < answers.typed.size(); ++i)
    all.push_back({{"question", i + 1}, {"answer", answers.typed[i]}});
  return out;
}

std::vector<AnswerResult> results_of(const Lesson& lesson, const Answers& answers, Values& values) {
  if (answers.lesson != lesson.name)
    throw Error("The answers are to the lesson " + in_quotes(answers.lesson) + ", and not to " +
                in_quotes(lesson.name) + ".");
  const std::vector<const Question*> questions = questions_of(lesson);
  if (answers.typed.size() > questions.size())
    throw Error("There are answers to " + counted(static_cast<long long>(answers.typed.size()), "question") +
                ", and the lesson has " + std::to_string(questions.size()) + ".");
  std::vector<AnswerResult> results(questions.size());
  for (std::size_t i = 0; i < answers.typed.size(); ++i) {
    if (trim(answers.typed[i]).empty()) continue;
    const Verdict verdict = verdict_on(*questions[i], answers.typed[i], values);
    results[i] = {true, verdict.right, verdict.said};
  }
  return results;
}

ordered_json results_json(const Lesson& lesson, const Answers& answers, const std::vector<AnswerResult>& results) {
  ordered_json out{{"schema", results_schema},
                   {"version", answers_version},
                   {"lesson", lesson.name},
                   {"student", answers.student},
                   {"right", std::ranges::count(results, true, &AnswerResult::right)},
                   {"questions", results.size()}};
  ordered_json& all = out["results"] = ordered_json::array();
  for (std::size_t i = 0; i < results.size(); ++i)
    all.push_back({{"question", i + 1},
                   {"answered", results[i].answered},
                   {"right", results[i].right},
                   {"said", results[i].said}});
  return out;
}

std::string class_csv(const std::vector<ClassRow>& rows) {
  std::size_t most = 0;
  for (const ClassRow& row : rows) most = std::max(most, row.results.size());
  std::string text = "student,lesson,right,questions";
  for (std::size_t i = 1; i <= most; ++i) text += ",question " + std::to_string(i);
  text += "\n";
  for (const ClassRow& row : rows) {
    text += cell(row.answers.student) + "," + cell(row.answers.lesson) + "," +
            std::to_string(std::ranges::count(row.results, true, &AnswerResult::right)) + "," +
            std::to_string(row.results.size());
    for (std::size_t i = 0; i < most; ++i) {
      text += ",";
      if (i < row.results.size() && row.results[i].answered) text += row.results[i].right ? "1" : "0";
    }
    text += "\n";
  }
  return text;
}

}  // namespace convoscope::lessons
