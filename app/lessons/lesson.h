#pragma once
// A lesson as it was read: steps with their texts, and questions. Nothing here is evaluated.
#include <string>
#include <vector>

#include "app/lessons/expression.h"

namespace convoscope::lessons {

// A piece of a sentence.
struct Span {
  enum class Kind { plain, strong, code, value } kind = Kind::plain;
  std::string text;       // of a value as it was written
  Expression expression;  // of a value
};
using Sentence = std::vector<Span>;

struct Block {
  enum class Kind { paragraph, item, code } kind = Kind::paragraph;
  Sentence spans;
};
using Prose = std::vector<Block>;

struct Choice {
  bool right = false;
  Sentence text, why;  // said of a wrong one that was chosen; may be empty
};

// A wrong answer that is likely, and what it is a sign of.
struct Foreseen {
  Expression value;      // where it has a command
  std::string as_typed;  // else
  Sentence text;
};

struct Question {
  enum class Kind {
    number,  // one, or as many as the answer has, as `compute --input` takes them
    choice,
    badge,   // a strategy that computes `answer` right
    faster,  // a strategy that takes less time for `answer` than one of `than` that runs here
  } kind = Kind::number;
  Prose text;
  Expression answer;
  double tolerance = -1;  // −1: as exact as it is shown
  std::vector<Choice> choices;
  std::vector<std::string> than;   // faster: the first that runs here counts
  std::vector<std::string> among;  // badge: these alone; empty: any
  std::vector<std::string> shown;  // badge and faster: strategies that answer it, the first that runs here is shown
  std::vector<Foreseen> foreseen;
  std::vector<Sentence> hints;
  Prose solution;
  int line = 0;
};

struct Step {
  std::string title;
  Prose text;
  std::string session;  // JSON, as the program's own sessions; empty: none
  Sentence look, act;   // what to look at, what to do; may be empty
  std::string show;     // the mark of a control that is pointed at: "panel/filter"; empty: none
  std::vector<Question> questions;
};

struct Lesson {
  std::string name;  // of its file, without the ending: "01-one-dimension"
  std::string title, summary, reads;
  int minutes = 0;
  std::vector<NamedExpression> named;
  std::vector<Step> steps;
};

const char* word_of(Question::Kind);

// All questions in order, as they are numbered from 1.
std::vector<const Question*> questions_of(const Lesson&);
// Every expression there is, in order: of texts, answers and foreseen answers.
std::vector<const Expression*> expressions_of(const Lesson&);

// `file` is named in messages: "'01-one-dimension.lesson', line 12: …". Throws Error for what is damaged, and for a
// lesson that is larger than any that people write. Looks at nothing but the text.
Lesson parse_lesson(std::string_view text, const std::string& name, const std::string& file);

inline constexpr std::size_t most_lesson_bytes = 256 << 10;

}  // namespace convoscope::lessons
