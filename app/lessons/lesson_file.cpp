// Reads the text of a lesson, line by line.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/lessons/lesson.h"
#include "app/lessons/prose.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

constexpr std::size_t most_steps = 40, most_questions = 40, most_expressions = 400;
constexpr int most_nesting = 64;  // of a session's JSON

class LessonReader {
 public:
  LessonReader(std::string_view text, const std::string& name, const std::string& file) : file_(file) {
    lesson_.name = name;
    if (text.size() > most_lesson_bytes)
      throw Error(in_quotes(file) + " is larger than 256 KiB, and no lesson that somebody has written.");
    for (const std::string_view line : split(text, '\n'))
      lines_.push_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
  }

  Lesson read() {
    try {
      for (; at_ < lines_.size(); ++at_) take_line(lines_[at_]);
      end_paragraph();
      end_question();
      check();
    } catch (const Error& error) {
      throw Error(in_quotes(file_) + ", line " + std::to_string(std::min(at_ + 1, lines_.size())) + ": " +
                  error.what());
    }
    return std::move(lesson_);
  }

 private:
  void take_line(std::string_view line) {
    if (line.starts_with("```")) return take_fenced(trim(line.substr(3)));
    if (line.starts_with("### ")) return begin_question(trim(line.substr(4)));
    if (line.starts_with("## ")) return begin_step(trim(line.substr(3)));
    if (line.starts_with("# ")) return take_title(trim(line.substr(2)));
    if (trim(line).empty()) return end_paragraph();
    if (lesson_.steps.empty()) return take_header(line);
    if (line.starts_with("- [")) return take_choice(line);
    if (const auto colon = line.find(": "); colon != std::string_view::npos && take_key(line.substr(0, colon), colon))
      return;
    if (line.starts_with("- ")) {
      end_paragraph();
      paragraph_is_item_ = true;
      line.remove_prefix(2);
    }
    paragraph_ += (paragraph_.empty() ? "" : " ") + std::string(trim(line));
    if (paragraph_line_ == 0) paragraph_line_ = number();
  }

  int number() const { return static_cast<int>(at_) + 1; }
  Step& step() { return lesson_.steps.back(); }
  Question& question(const char* what) {
    if (!asks_) throw Error(std::string(what) + " belongs to a question: begin one with `### Question: number`.");
    return step().questions.back();
  }
  Prose& prose() {
    if (!asks_) return step().text;
    Question& asked = step().questions.back();
    return solves_ ? asked.solution : asked.text;
  }

  void take_title(std::string_view title) {
    if (!lesson_.title.empty()) throw Error("A lesson has one title; a step begins with two hash signs.");
    lesson_.title = title;
  }

  void take_header(std::string_view line) {
    if (lesson_.title.empty()) throw Error("A lesson begins with its title, a line like `# One dimension, by hand`.");
    if (line.starts_with("let ")) return take_name(line.substr(4));
    const std::size_t colon = line.find(':');
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = colon == std::string_view::npos ? "" : trim(line.substr(colon + 1));
    if (key == "minutes")
      lesson_.minutes = static_cast<int>(bounded(value, "minutes", 1, 600));
    else if (key == "reads")
      lesson_.reads = value;
    else if (key == "about")
      lesson_.summary = joined_lines(value);
    else
      throw Error("The header of a lesson has minutes:, reads:, about: and `let NAME = …`, and not " + in_quotes(line) +
                  ". A step begins with `## `.");
  }

  void take_name(std::string_view rest) {
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) throw Error("`let` needs an equals sign: let seven = compute input=…");
    const std::string name(trim(rest.substr(0, equals)));
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9'); };
    if (name.empty() || !std::ranges::all_of(name, is_letter) || name == "list" || name == "compute" || name == "bench")
      throw Error(in_quotes(name) + " is no name: small letters, digits and _ , and no command.");
    for (const NamedExpression& each : lesson_.named)
      if (each.name == name) throw Error("The name " + in_quotes(name) + " is given twice.");
    const std::string text = joined_lines(trim(rest.substr(equals + 1)));
    lesson_.named.push_back({name, parse_expression(text, lesson_.named, false)});
  }

  // With the lines that follow, as long as they begin with blanks.
  std::string joined_lines(std::string_view first) {
    std::string text(first);
    while (at_ + 1 < lines_.size() && lines_[at_ + 1].starts_with("  ") && !trim(lines_[at_ + 1]).empty())
      text += " " + std::string(trim(lines_[++at_]));
    return text;
  }
  Sentence sentence(std::string_view first) {
    const int line = number();
    return read_sentence(joined_lines(first), line);
  }
  Sentence read_sentence(std::string_view text, int line) {
    Sentence made;
    try {
      made = parse_sentence(text, lesson_.named, line);
    } catch (const Error&) {
      at_ = static_cast<std::size_t>(line) - 1;  // where it begins
      throw;
    }
    expressions_ += static_cast<std::size_t>(std::ranges::count(made, Span::Kind::value, &Span::kind));
    if (expressions_ > most_expressions) throw Error("A lesson has 400 expressions at most.");
    return made;
  }

  void begin_step(std::string_view title) {
    end_paragraph();
    end_question();
    if (lesson_.title.empty()) throw Error("A lesson begins with its title, a line like `# One dimension, by hand`.");
    if (title.empty()) throw Error("A step needs a title behind its two hash signs.");
    if (lesson_.steps.size() >= most_steps) throw Error("A lesson has 40 steps at most.");
    lesson_.steps.emplace_back().title = title;
  }

  void begin_question(std::string_view title) {
    end_paragraph();
    end_question();
    if (lesson_.steps.empty()) throw Error("A question belongs to a step, which begins with `## `.");
    if (++questions_ > most_questions) throw Error("A lesson has 40 questions at most.");
    const std::string kind(title.starts_with("Question:") ? trim(title.substr(9)) : std::string_view());
    Question made;
    made.line = number();
    bool known = false;
    for (const auto each :
         {Question::Kind::number, Question::Kind::choice, Question::Kind::badge, Question::Kind::faster})
      if (kind == word_of(each)) made.kind = each, known = true;
    if (!known) throw Error("A question is begun by `### Question:` and number, choice, badge or faster.");
    step().questions.push_back(std::move(made));
    asks_ = true;
    solves_ = false;
  }

  void end_paragraph() {
    if (!paragraph_.empty()) {
      if (lesson_.steps.empty()) throw Error("A text belongs to a step, which begins with `## `.");
      prose().push_back({paragraph_is_item_ ? Block::Kind::item : Block::Kind::paragraph,
                         read_sentence(paragraph_, paragraph_line_)});
    }
    paragraph_.clear();
    paragraph_line_ = 0;
    paragraph_is_item_ = false;
  }

  void take_fenced(std::string_view what) {
    end_paragraph();
    if (lesson_.steps.empty()) throw Error("Code and sessions belong to a step, which begins with `## `.");
    const std::size_t began = at_;
    std::string text;
    for (++at_; at_ < lines_.size() && !lines_[at_].starts_with("```"); ++at_) text += std::string(lines_[at_]) + "\n";
    if (at_ >= lines_.size()) {
      at_ = began;
      throw Error("Three backquotes begin here, and no other three end it.");
    }
    if (what == "session") return take_session(text, began);
    prose().push_back({Block::Kind::code, {{Span::Kind::plain, text, {}}}});
  }

  void take_session(const std::string& text, std::size_t began) {
    if (!step().session.empty()) throw Error("A step has one session.");
    const auto object = nesting(text) > most_nesting ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
    if (!object.is_object()) {
      at_ = began;
      throw Error("The session is no JSON object, like {\"workbench\": \"picture\"}.");
    }
    step().session = object.dump();
  }

  // At least as deep as it is: brackets within texts count as well.
  static int nesting(std::string_view json) {
    int depth = 0, most = 0;
    for (const char c : json) {
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      most = std::max(most, depth);
    }
    return most;
  }

  void take_choice(std::string_view line) {
    Question& asked = question("A choice");
    if (asked.kind != Question::Kind::choice) throw Error("Choices belong to `### Question: choice`.");
    end_paragraph();
    const bool right = line.starts_with("- [x] ");
    if (!right && !line.starts_with("- [ ] "))
      throw Error("A choice begins with `- [ ] ` or, the right one, `- [x] `.");
    const int at = number();
    const std::string text = joined_lines(line.substr(6));
    const std::size_t parts = text.find(" -- ");
    Choice choice{right, read_sentence(text.substr(0, parts), at), {}};
    if (parts != std::string::npos) choice.why = read_sentence(text.substr(parts + 4), at);
    asked.choices.push_back(std::move(choice));
  }

  // False: it is a sentence with a colon.
  bool take_key(std::string_view key, std::size_t colon) {
    const std::string_view value = trim(lines_[at_].substr(colon + 1));
    if (key == "look" || key == "do" || key == "show") {
      end_paragraph();
      end_question();
      if (key == "show")
        step().show = value;
      else
        (key == "look" ? step().look : step().act) = sentence(value);
      return true;
    }
    if (key == "hint" || key == "solution" || key == "answer" || key == "tolerance" || key == "than" ||
        key == "among" || key == "shown" || key.starts_with("if ")) {
      end_paragraph();
      take_answer_key(key, value);
      return true;
    }
    return false;
  }

  void take_answer_key(std::string_view key, std::string_view value) {
    Question& asked = question(std::string(key).c_str());
    if (key == "hint") {
      asked.hints.push_back(sentence(value));
    } else if (key == "solution") {
      const int line = number();
      solves_ = true;
      asked.solution.push_back({Block::Kind::paragraph, read_sentence(joined_lines(value), line)});
    } else if (key == "answer") {
      asked.answer = braced(joined_lines(value), asked.kind == Question::Kind::number);
    } else if (key == "tolerance") {
      asked.tolerance = bounded(value, "tolerance", 0, 1e9);
    } else if (key.starts_with("if ")) {
      take_foreseen(asked, trim(key.substr(3)), value);
    } else {
      std::vector<std::string>& list = key == "than" ? asked.than : key == "among" ? asked.among : asked.shown;
      for (const std::string_view each : split(value, ',')) list.emplace_back(trim(each));
    }
  }

  void take_foreseen(Question& asked, std::string_view value, std::string_view text) {
    Foreseen foreseen;
    if (value.starts_with('{'))
      foreseen.value = braced(value, true);
    else
      foreseen.as_typed = value;
    foreseen.text = sentence(text);
    asked.foreseen.push_back(std::move(foreseen));
  }

  Expression braced(std::string_view text, bool wants_column) {
    if (!text.starts_with('{') || !text.ends_with('}'))
      throw Error("An answer is an expression in braces, so that it cannot be out of date: {compute outputs[0] …}.");
    Expression made = parse_expression(text.substr(1, text.size() - 2), lesson_.named, wants_column);
    made.line = number();
    if (++expressions_ > most_expressions) throw Error("A lesson has 400 expressions at most.");
    return made;
  }

  static double bounded(std::string_view text, const char* what, double least, double most) {
    const double value = parse_number(text, what);
    if (value < least || value > most)
      throw Error(std::string(what) + " " + in_quotes(text) + " is not from " + number_text(least) + " to " +
                  number_text(most) + ".");
    return value;
  }

  void end_question() {
    if (std::exchange(asks_, false)) check_question(step().questions.back());
  }

  // `at_` is behind it: the message names the line of the question instead.
  void check_question(const Question& asked) {
    const auto refuse = [&](const std::string& why) {
      at_ = static_cast<std::size_t>(asked.line) - 1;
      throw Error(why);
    };
    if (asked.text.empty()) refuse("The question asks nothing: its text is missing.");
    if (asked.solution.empty()) refuse("The question has no `solution:`.");
    if (asked.kind == Question::Kind::choice) {
      if (asked.choices.size() < 2 || std::ranges::count(asked.choices, true, &Choice::right) != 1)
        refuse("A choice needs two answers or more, and one that is right: `- [x] `.");
      return;
    }
    if (asked.answer.command.empty()) refuse("The question has no `answer:`.");
    if (asked.kind == Question::Kind::badge && asked.answer.command != "compute")
      refuse("The answer to make right is what `compute` computes.");
    if (asked.kind == Question::Kind::faster && (asked.answer.command != "bench" || asked.than.empty()))
      refuse("A question for what is faster needs an answer that `bench` measures, and `than:` a strategy.");
    if (asked.kind != Question::Kind::number && asked.shown.empty())
      refuse("The question needs `shown:`, strategies that solve it.");
  }

  void check() {
    if (lesson_.title.empty()) throw Error("There is no title: a line like `# One dimension, by hand`.");
    if (lesson_.steps.empty()) throw Error("There are no steps, which begin with `## `.");
  }

  const std::string file_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0, questions_ = 0, expressions_ = 0;
  Lesson lesson_;
  std::string paragraph_;
  int paragraph_line_ = 0;
  bool paragraph_is_item_ = false, asks_ = false, solves_ = false;
};

}  // namespace

Lesson parse_lesson(std::string_view text, const std::string& name, const std::string& file) {
  return LessonReader(text, name, file).read();
}

}  // namespace convoscope::lessons
