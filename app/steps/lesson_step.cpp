#include "app/steps/lesson_step.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/files/paths.h"
#include "app/steps/lesson_reply.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

std::string_view word_of_backend(BackendChoice choice) { return backend_names[static_cast<std::size_t>(choice)]; }

LessonCard::Question* question_of(LessonCard& card, int number) {
  for (LessonCard::Step& step : card.steps)
    for (LessonCard::Question& question : step.questions)
      if (question.number == number) return &question;
  return nullptr;
}

// Standard error's last line without the program's name: why it did not work.
std::string last_words(const OwnProcess::Result& result) {
  std::string words = result.words;
  while (words.ends_with('\n')) words.pop_back();
  words = words.substr(words.rfind('\n') + 1);
  constexpr std::string_view name = "convoscope: ";
  if (words.starts_with(name)) words.erase(0, name.size());
  return words.empty() ? "The lesson's numbers could not be worked out." : printable(words);
}

}  // namespace

LessonStep::LessonStep(const Invocation& invocation, const MessagePoster& poster)
    : poster_(poster), pack_(invocation.lesson.pack) {
  LessonCard& card = lesson_card();
  card = {};
  if (invocation.command != Invocation::Command::window || invocation.lesson.name.empty()) return;
  card.open = true;
  card.wishes.begin = invocation.lesson.name;
}

std::optional<double> LessonStep::follow(SessionStep& session, Settings& settings, const Stats& stats) {
  LessonCard& card = lesson_card();
  if (const std::optional<OwnProcess::Result> result = process_.poll()) take(*result);
  if (card.open) obey(settings);
  return show_session(session, settings, stats);
}

void LessonStep::obey(const Settings& settings) {
  LessonCard& card = lesson_card();
  LessonCard::Wishes& wishes = card.wishes;
  if (wishes.begin) {
    process_.cancel();
    asked_ = Asked::nothing;
    leave_step();
    card.name = *std::exchange(wishes.begin, std::nullopt);
    card.title.clear();
    card.problem.clear();
    card.steps.clear();
    card.step = 0;
    progress_ = {};
    ask_for_step(0, true, settings);
  }
  if (std::exchange(wishes.list, false)) {
    leave_step();
    card.name.clear();
    card.problem.clear();
    card.entries.clear();  // progress has gone on
  }
  if (wishes.step) {
    const int last = static_cast<int>(card.steps.size()) - 1;
    const int wanted = *std::exchange(wishes.step, std::nullopt);
    if (wanted > last && last >= 0) progress_.done = true;
    card.step = std::clamp(wanted, 0, std::max(last, 0));
    card.to_top = true;
    keep();
  }
  // Nobody waits for times of another step, or longer for an answer because of them.
  if (process_.running() && asked_ == Asked::step && measures_ && (wishes.answer || asked_number_ != card.step)) {
    process_.cancel();
    asked_ = Asked::nothing;
  }
  if (process_.running() || !card.problem.empty()) return;
  if (card.name.empty()) {
    if (card.entries.empty()) ask(Asked::list, {"lesson", "list", "--json"}, settings);
  } else if (wishes.answer) {
    ask_for_verdict(*std::exchange(wishes.answer, std::nullopt), settings);
  } else if (!card.steps.empty()) {
    const LessonCard::Step& step = card.steps[static_cast<std::size_t>(card.step)];
    if (!step.loaded || step.awaits_times) ask_for_step(card.step, !step.loaded, settings);
  }
}

void LessonStep::ask(Asked what, std::vector<std::string> arguments, const Settings& settings) {
  if (!pack_.empty()) arguments.insert(arguments.end(), {"--pack", pack_});
  if (what != Asked::list)
    arguments.insert(arguments.end(), {"--backend", std::string(word_of_backend(settings.backend))});
  try {
    process_.start(arguments);
    asked_ = what;
  } catch (const Error& error) {
    lesson_card().problem = error.what();
  }
}

// Quick: at once, without what is measured.
void LessonStep::ask_for_step(int step, bool quick, const Settings& settings) {
  asked_number_ = step;
  measures_ = !quick;
  std::vector<std::string> arguments{"lesson", "run", lesson_card().name, "--json", "--step", std::to_string(step + 1)};
  if (quick) arguments.emplace_back("--quick");
  ask(Asked::step, std::move(arguments), settings);
}

void LessonStep::ask_for_verdict(int number, const Settings& settings) {
  LessonCard::Question* const question = question_of(lesson_card(), number);
  if (!question) return;
  const std::string typed = question->choice ? std::string(1, static_cast<char>('a' + std::max(question->chosen, 0)))
                                             : std::string(question->typed.data());
  question->waits = true;
  asked_number_ = number;
  ask(Asked::verdict,
      {"lesson", "check", lesson_card().name, "--question", std::to_string(number), "--typed=" + typed, "--json"},
      settings);
}

void LessonStep::take(const OwnProcess::Result& result) {
  LessonCard& card = lesson_card();
  const Asked asked = std::exchange(asked_, Asked::nothing);
  constexpr int failed_check = 1;  // a wrong answer
  const bool done =
      result.left && (result.exit_code == 0 || (asked == Asked::verdict && result.exit_code == failed_check));
  LessonCard::Question* const question = asked == Asked::verdict ? question_of(card, asked_number_) : nullptr;
  if (question) question->waits = false;
  try {
    if (asked == Asked::list && !result.output.empty()) {  // also where some of a pack are damaged
      card.entries = lesson_entries(result.output);
      if (!done) poster_.post(MessageLevel::error, last_words(result), "lesson");
    } else if (!done) {
      throw Error(last_words(result));
    } else if (asked == Asked::step) {
      const bool begins = card.steps.empty();
      take_lesson_reply(result.output, asked_number_, card);
      if (!begins) return;
      const lessons::Progress all = lessons::kept_progress();
      if (const auto found = all.find(progress_name()); found != all.end()) progress_ = found->second;
      card.step = std::clamp(progress_.done ? 0 : progress_.step, 0, static_cast<int>(card.steps.size()) - 1);
      card.to_top = true;
    } else if (question) {
      take_verdict_reply(result.output, *question);
      question->again = !question->choice && !question->right;
      if (question->right) progress_.solved.insert(question->number);
      keep();
    }
  } catch (const Error& error) {
    if (question)
      question->said = error.what();
    else
      card.problem = error.what();
  }
}

std::optional<double> LessonStep::show_session(SessionStep& session, Settings& settings, const Stats& stats) {
  LessonCard& card = lesson_card();
  std::optional<double> at;
  if (std::exchange(card.wishes.session, false) && !card.steps.empty()) {
    const auto object = nlohmann::json::parse(card.steps[static_cast<std::size_t>(card.step)].session, nullptr, false);
    if (!own_state_) own_position_ = stats.source.position;
    if (!own_state_) own_state_ = settings;
    const std::string holder =
        pack_.empty() ? std::string() : join(whole_path(pack_, stats.files.started_in), card.name);
    if (object.is_object()) at = session.show(object, holder, settings, stats);
    card.has_own_state = at.has_value();
  }
  if (std::exchange(card.wishes.own_state, false) && own_state_) {
    at = session.show_again(*std::exchange(own_state_, std::nullopt), own_position_, settings, stats);
    card.has_own_state = false;
  }
  return at;
}

void LessonStep::leave_step() {
  if (!lesson_card().name.empty() && !lesson_card().steps.empty()) keep();
}

std::string LessonStep::progress_name() const {
  return pack_.empty() ? lesson_card().name : expand_home(pack_) + "/" + lesson_card().name;
}

void LessonStep::keep() {
  progress_.step = lesson_card().step;
  if (const std::string why_not = lessons::keep_progress(progress_name(), progress_); !why_not.empty())
    poster_.post(MessageLevel::warning, why_not, "lesson progress");
}

}  // namespace convoscope
