// convoscope lesson: lessons to go through, to print and to check.
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/lesson_run.h"
#include "app/cli/commands/lesson_values.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/exit_codes.h"
#include "app/files/paths.h"
#include "app/lessons/answers.h"
#include "app/lessons/lesson_json.h"
#include "app/lessons/lesson_page.h"
#include "app/lessons/pack.h"
#include "app/lessons/progress.h"
#include "app/lessons/verdict.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

using nlohmann::ordered_json;

void put(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string read_answers_file(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) throw Error("There is no file " + in_quotes(path) + ".");
  if (!S_ISREG(found.st_mode)) throw Error(in_quotes(path) + " is no file of answers.");
  if (found.st_size > 1 << 20) throw Error(in_quotes(path) + " is larger than 1 MiB, and no answers.");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error(in_quotes(path) + " cannot be read.");
  return text;
}

std::string progress_name(const Pack& pack, const std::string& lesson) {
  return pack.folder.empty() ? lesson : pack.folder + "/" + lesson;
}

// Damaged ones are named, and the others are listed.
int list_lessons(const LessonWish& wish, bool json) {
  const Pack pack = pack_in(wish.pack);
  const Progress progress = kept_progress();
  ordered_json out = ordered_json::array();
  TextTable table({"No.", "Lesson", "Title", "Minutes", "Steps", "Questions", "Solved"}, "rlwrrrr");
  std::string damaged;
  int number = 0;
  for (const PackedLesson& packed : pack.lessons) {
    ++number;
    try {
      const Lesson lesson = parsed(packed);
      const std::size_t questions = questions_of(lesson).size();
      const auto found = progress.find(progress_name(pack, lesson.name));
      const std::size_t solved = found == progress.end() ? 0 : found->second.solved.size();
      out.push_back({{"number", number},
                     {"id", lesson.name},
                     {"title", lesson.title},
                     {"about", lesson.summary},
                     {"reads", lesson.reads},
                     {"minutes", lesson.minutes},
                     {"steps", lesson.steps.size()},
                     {"questions", questions},
                     {"solved", solved},
                     {"done", found != progress.end() && found->second.done}});
      table.add({std::to_string(number), lesson.name, lesson.title,
                 lesson.minutes > 0 ? std::to_string(lesson.minutes) : "–", std::to_string(lesson.steps.size()),
                 std::to_string(questions), std::to_string(solved)});
    } catch (const Error& error) {
      damaged += std::string(error.what()) + "\n";
    }
  }
  put(json ? json_text(out) : table.text(output_columns()));
  if (damaged.empty()) return exit_done;
  std::fprintf(stderr, "%s", damaged.c_str());
  return exit_failed;
}

std::string machine_line(const Invocation& invocation) {
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  return "Figures of " + compute_for(invocation)->device().name + ", " + date +
         ", by Convoscope " CONVOSCOPE_VERSION ".";
}

int export_lesson(const Invocation& invocation, const Lesson& lesson, Values& values) {
  const LessonWish& wish = invocation.lesson;
  const std::string page = lesson_page(lesson, values, {wish.worksheet, wish.answers, machine_line(invocation)});
  write_file(expand_home(wish.html), page);
  return exit_done;
}

int check_answer(const Invocation& invocation, const Lesson& lesson, Values& values) {
  const LessonWish& wish = invocation.lesson;
  const std::vector<const Question*> questions = questions_of(lesson);
  const auto number = static_cast<std::size_t>(*wish.question);
  if (number > questions.size())
    throw Error("The lesson has " + counted(static_cast<long long>(questions.size()), "question") + ".");
  const Question& question = *questions[number - 1];
  const Verdict verdict = verdict_on(question, wish.typed, values);
  if (invocation.json)
    put(json_text({{"question", number},
                   {"right", verdict.right},
                   {"said", verdict.said},
                   {"answer", verdict.right ? ordered_json(right_answer(question, values)) : ordered_json()}}));
  else
    put(printable(verdict.said) + "\n");
  return verdict.right ? exit_done : exit_check_failed;
}

int check_answers(const Invocation& invocation, const Lesson& lesson, Values& values) {
  const std::string& file = invocation.lesson.files.at(0);
  const Answers answers = parse_answers(read_answers_file(file), file);
  const std::vector<AnswerResult> results = results_of(lesson, answers, values);
  if (invocation.json) {
    put(json_text(results_json(lesson, answers, results)));
  } else {
    TextTable table({"Question", "Answer", "", "What is said"}, "rwlw");
    for (std::size_t i = 0; i < results.size(); ++i)
      table.add({std::to_string(i + 1), i < answers.typed.size() ? printable(answers.typed[i]) : "",
                 results[i].right      ? "right"
                 : results[i].answered ? "wrong"
                                       : "open",
                 printable(results[i].said)});
    put(table.text(output_columns()));
  }
  return std::ranges::all_of(results, &AnswerResult::right) ? exit_done : exit_check_failed;
}

// Each file names its lesson. One that is damaged is told, and costs itself only.
int class_results(const Invocation& invocation, const Pack& pack, const Evaluate& evaluate) {
  std::map<std::string, std::pair<Lesson, std::unique_ptr<Values>>> lessons;
  std::vector<ClassRow> rows;
  int failed = 0;
  for (const std::string& file : invocation.lesson.files) {
    try {
      ClassRow row{parse_answers(read_answers_file(file), file), {}};
      auto found = lessons.find(row.answers.lesson);
      if (found == lessons.end())
        found = lessons
                    .emplace(row.answers.lesson, std::pair{parsed(lesson_named(pack, row.answers.lesson)),
                                                           std::make_unique<Values>(evaluate)})
                    .first;
      row.results = results_of(found->second.first, row.answers, *found->second.second);
      if (row.answers.student.empty()) row.answers.student = name_of(file);
      rows.push_back(std::move(row));
    } catch (const Error& error) {
      std::fprintf(stderr, "%s: %s\n", printable(file).c_str(), error.what());
      ++failed;
    }
  }
  if (invocation.lesson.csv) {
    put(class_csv(rows));
  } else {
    TextTable table({"Student", "Lesson", "Right", "of"}, "wlrr");
    for (const ClassRow& row : rows)
      table.add({printable(row.answers.student), printable(row.answers.lesson),
                 std::to_string(std::ranges::count(row.results, true, &AnswerResult::right)),
                 std::to_string(row.results.size())});
    put(table.text(output_columns()));
  }
  if (failed == 0) return exit_done;
  return rows.empty() ? exit_failed : exit_cut_short;
}

int run_command(const Invocation& invocation, const StopSignal& stop) {
  check_device(invocation);
  const LessonWish& wish = invocation.lesson;
  if (wish.what == LessonWish::What::list) return list_lessons(wish, invocation.json);
  const ComputesUntilSignal until(stop);
  const Evaluate evaluate = lesson_evaluation(invocation.settings.backend, invocation.settings.device);
  const Pack pack = pack_in(wish.pack);
  if (wish.what == LessonWish::What::results) return class_results(invocation, pack, evaluate);
  const Lesson lesson = parsed(lesson_named(pack, wish.name));
  Values values(evaluate, !wish.quick);
  switch (wish.what) {
    case LessonWish::What::check:
      return wish.question ? check_answer(invocation, lesson, values) : check_answers(invocation, lesson, values);
    case LessonWish::What::export_page:
      return export_lesson(invocation, lesson, values);
    default:
      break;
  }
  if (invocation.json) {
    put(json_text(lesson_json(lesson, values, wish.step)));
    return exit_done;
  }
  if (wish.blank) {
    put(json_text(answers_template(lesson, values)));
    return exit_done;
  }
  return run_lesson_in_terminal(lesson, values, progress_name(pack, lesson.name), stop);
}

}  // namespace
}  // namespace convoscope::lessons

namespace convoscope {

int run_lesson(const Invocation& invocation, const StopSignal& stop) { return lessons::run_command(invocation, stop); }

}  // namespace convoscope
