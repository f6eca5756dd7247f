#include "app/steps/lesson_reply.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "kernels/text/error.h"

namespace convoscope {
namespace {

using nlohmann::json;

LessonCard::Block block_of(const json& from) {
  using Kind = LessonCard::Block::Kind;
  const std::string kind = from.at("kind");
  LessonCard::Block block{kind == "item"    ? Kind::item
                          : kind == "code"  ? Kind::code
                          : kind == "table" ? Kind::table
                                            : Kind::paragraph,
                          from.at("text"),
                          {}};
  if (block.kind == Kind::table) block.rows = from.at("rows").get<std::vector<std::vector<std::string>>>();
  return block;
}

std::vector<LessonCard::Block> blocks_of(const json& from) {
  std::vector<LessonCard::Block> blocks;
  for (const json& each : from) blocks.push_back(block_of(each));
  return blocks;
}

LessonCard::Question read_question(const json& from) {
  LessonCard::Question question;
  const std::string kind = from.at("kind");
  question.number = from.at("question");
  question.choice = kind == "choice";
  question.strategy = kind == "badge" || kind == "faster";
  question.asks = blocks_of(from.at("asks"));
  question.solution = blocks_of(from.at("solution"));
  question.takes = from.at("takes");
  question.choices = from.at("choices").get<std::vector<std::string>>();
  question.hints = from.at("hints").get<std::vector<std::string>>();
  return question;
}

// Whatever a library says of what is none of these.
template <class Result>
Result read(const std::string& output, const std::function<Result(const json&)>& take) {
  try {
    return take(json::parse(output));
  } catch (const json::exception&) {
    throw Error("What the lesson's process printed cannot be read.");
  }
}

}  // namespace

std::vector<LessonCard::Entry> lesson_entries(const std::string& output) {
  return read<std::vector<LessonCard::Entry>>(output, [](const json& list) {
    std::vector<LessonCard::Entry> entries;
    for (const json& each : list)
      entries.push_back({each.at("id"), each.at("title"), each.at("about"), each.at("minutes"), each.at("solved"),
                         each.at("questions"), each.at("done")});
    return entries;
  });
}

void take_lesson_reply(const std::string& output, int number, LessonCard& card) {
  read<bool>(output, [&](const json& lesson) {
    card.name = lesson.at("lesson");
    card.title = lesson.at("title");
    const json& steps = lesson.at("steps");
    card.steps.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) card.steps[i].title = steps[i].at("title");
    const json& from = steps.at(static_cast<std::size_t>(number));
    LessonCard::Step& step = card.steps[static_cast<std::size_t>(number)];
    step.text = blocks_of(from.at("text"));
    step.look = from.at("look");
    step.act = from.at("do");
    step.show = from.at("show");
    step.session = from.at("session").is_object() ? from.at("session").dump() : std::string();
    std::vector<LessonCard::Question> questions;
    for (const json& each : from.at("questions")) questions.push_back(read_question(each));
    if (step.questions.size() != questions.size()) step.questions = std::move(questions);
    for (std::size_t i = 0; i < questions.size(); ++i) {  // what was answered meanwhile stays
      step.questions[i].asks = std::move(questions[i].asks);
      step.questions[i].solution = std::move(questions[i].solution);
    }
    step.awaits_times = !lesson.at("measured").get<bool>();
    step.loaded = true;
    return true;
  });
}

void take_verdict_reply(const std::string& output, LessonCard::Question& question) {
  read<bool>(output, [&](const json& verdict) {
    question.right = verdict.at("right");
    question.said = verdict.at("said");
    question.answer = verdict.at("answer").is_string() ? verdict.at("answer").get<std::string>() : std::string();
    return true;
  });
}

}  // namespace convoscope
