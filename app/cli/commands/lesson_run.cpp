#include "app/cli/commands/lesson_run.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "app/cli/commands/text_table.h"
#include "app/cli/exit_codes.h"
#include "app/files/paths.h"
#include "app/lessons/progress.h"
#include "app/lessons/verdict.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

constexpr std::size_t most_columns = 88, longest_line = 1 << 16;

// Standard input line by line; a signal is noticed while nothing comes.
class LineReader {
 public:
  explicit LineReader(const StopSignal& stop) : stop_(stop) {}

  std::optional<std::string> next() {
    std::fflush(stdout);
    for (;;) {
      if (const std::size_t end = waiting_.find('\n'); end != std::string::npos) {
        std::string line = waiting_.substr(0, end);
        waiting_.erase(0, end + 1);
        return line;
      }
      if (ended_) return waiting_.empty() ? std::nullopt : std::optional(std::exchange(waiting_, {}));
      read_more();
    }
  }

 private:
  void read_more() {
    constexpr int milliseconds = 200;
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&input, 1, milliseconds);
    if (stop_) throw Stopped();
    if (ready == 0 || (ready < 0 && errno == EINTR)) return;
    std::array<char, 4096> bytes{};
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got > 0)
      waiting_.append(bytes.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      ended_ = true;
    if (waiting_.size() > longest_line) ended_ = true;  // nobody has typed that
  }

  const StopSignal& stop_;
  std::string waiting_;
  bool ended_ = false;
};

class TerminalLesson {
 public:
  TerminalLesson(const Lesson& lesson, Values& values, const std::string& progress_name, const StopSignal& stop)
      : lesson_(lesson), values_(values), progress_name_(progress_name), lines_(stop) {}

  int run() {
    heading(lesson_.title, '=');
    if (!lesson_.summary.empty()) say(lesson_.summary);
    say("Enter goes on. At a question type the answer, or: hint, solution, skip. quit ends.");
    int solved = 0, asked = 0;
    for (std::size_t i = 0; i < lesson_.steps.size() && !ended_; ++i) {
      progress_.step = static_cast<int>(i);
      show(lesson_.steps[i], i);
      for (const Question& question : lesson_.steps[i].questions) {
        if (!ended_ && ask(question, ++asked)) progress_.solved.insert(asked), ++solved;
        keep();
      }
      if (!ended_ && lesson_.steps[i].questions.empty() && i + 1 < lesson_.steps.size()) wait();
    }
    const std::size_t all = questions_of(lesson_).size();
    progress_.done = !ended_;
    keep();
    say(counted(solved, "question") + " of " + std::to_string(all) + " solved." +
        (ended_ ? " The lesson goes on when it is run again." : ""));
    return !ended_ && static_cast<std::size_t>(solved) == all ? exit_done : exit_cut_short;
  }

 private:
  static void say(const std::string& text, const std::string& begin = {}) {
    const std::size_t columns = std::min(output_columns(), most_columns);
    const std::size_t room = columns > begin.size() + 20 ? columns - begin.size() : columns;
    bool first = true;
    std::string lines;
    const std::string broken = in_lines(text, room);
    for (const std::string_view line : split(broken, '\n')) {
      lines += (first ? begin : std::string(begin.size(), ' ')) + printable(line) + "\n";
      first = false;
    }
    while (lines.ends_with("\n\n")) lines.pop_back();
    std::printf("%s\n", lines.c_str());
  }
  static void heading(const std::string& text, char line) {
    std::size_t width = 0;
    for (const char c : text) width += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
    std::printf("\n%s\n%s\n\n", printable(text).c_str(), std::string(width, line).c_str());
  }
  void say(const Prose& prose) {
    for (const Block& block : prose) {
      if (block.kind != Block::Kind::code) {
        say(values_.text(block.spans), block.kind == Block::Kind::item ? "- " : "");
        continue;
      }
      for (const std::string_view line : split(trim(block.spans[0].text), '\n'))
        std::printf("    %s\n", printable(line).c_str());
      std::printf("\n");
    }
  }

  void show(const Step& step, std::size_t number) {
    heading(std::to_string(number + 1) + " of " + std::to_string(lesson_.steps.size()) + ": " + step.title, '-');
    say(step.text);
    if (!step.look.empty()) say(values_.text(step.look), "Look: ");
    if (!step.act.empty()) say(values_.text(step.act), "Do: ");
  }

  // True: solved.
  bool ask(const Question& question, int number) {
    heading("Question " + std::to_string(number), '.');
    say(question.text);
    for (std::size_t i = 0; i < question.choices.size(); ++i)
      say(values_.text(question.choices[i].text), std::string(1, letter_of(i)) + ") ");
    const std::string form = form_of_answer(question, values_);
    std::size_t hint = 0;
    for (;;) {
      std::printf("Your answer (%s): ", form.c_str());
      const std::optional<std::string> line = lines_.next();
      const std::string typed(line ? trim(*line) : std::string_view());
      ended_ = !line || typed == "quit";
      std::printf("\n");
      if (ended_ || typed == "skip") return false;
      if (typed == "solution") {
        solution(question);
        return false;
      }
      if (typed == "hint") {
        say(hint < question.hints.size() ? values_.text(question.hints[hint]) : "There are no more hints.", "Hint: ");
        ++hint;
        continue;
      }
      const Verdict verdict = verdict_on(question, typed, values_);
      say(verdict.said);
      if (verdict.right) {
        solution(question);
        return true;
      }
    }
  }

  void solution(const Question& question) {
    say(right_answer(question, values_), "Solution: ");
    say(question.solution);
  }

  void wait() {
    std::printf("[Enter] ");
    const std::optional<std::string> line = lines_.next();
    ended_ = !line || trim(*line) == "quit";
    std::printf("\n");
  }

  // What was solved before stays so.
  void keep() {
    Progress before = kept_progress();
    const auto found = before.find(progress_name_);
    if (found != before.end()) {
      progress_.solved.insert(found->second.solved.begin(), found->second.solved.end());
      progress_.done |= found->second.done;
    }
    if (const std::string why_not = keep_progress(progress_name_, progress_); !why_not.empty() && !warned_) {
      std::fprintf(stderr, "%s\n", why_not.c_str());
      warned_ = true;
    }
  }

  const Lesson& lesson_;
  Values& values_;
  const std::string progress_name_;
  LineReader lines_;
  LessonProgress progress_;
  bool ended_ = false, warned_ = false;
};

}  // namespace

int run_lesson_in_terminal(const Lesson& lesson, Values& values, const std::string& progress_name,
                           const StopSignal& stop) {
  return TerminalLesson(lesson, values, progress_name, stop).run();
}

}  // namespace convoscope::lessons
