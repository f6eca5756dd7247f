#pragma once
// What the sheet of lessons shows and what was done on it. The sheet fills in wishes, and the step of lessons
// (app/steps/) obeys them and fills in all else, both on the window's thread.
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace convoscope {

struct LessonCard {
  struct Entry {
    std::string name, title, about;
    int minutes = 0, solved = 0, questions = 0;
    bool done = false;
  };
  struct Block {
    enum class Kind { paragraph, item, code, table } kind = Kind::paragraph;
    std::string text;
    std::vector<std::vector<std::string>> rows;  // of a table
  };
  struct Question {
    int number = 0;  // in the lesson, from 1
    bool choice = false, strategy = false;
    std::vector<Block> asks, solution;
    std::string takes;  // "a number"
    std::vector<std::string> choices, hints;
    std::size_t hints_shown = 0;
    std::array<char, 256> typed{};
    int chosen = -1;
    bool waits = false, right = false;
    bool solution_shown = false;  // asked for, without a right answer
    bool again = false;           // the typed answer was wrong, and the field has the keyboard for another
    std::string said;             // of the last answer; empty: none yet
    std::string answer;           // once it is right
  };
  struct Step {
    std::string title;
    bool loaded = false;
    bool awaits_times = false;  // "…" stands for what is measured
    std::vector<Block> text;
    std::string look, act;
    std::string show;     // a mark; empty: none
    std::string session;  // JSON; empty: none
    std::vector<Question> questions;
  };

  bool open = false;
  std::vector<Entry> entries;  // of the course
  std::string name, title;     // of the lesson that is shown; empty: the list is
  std::string problem;         // why there is nothing to show: a sentence
  std::vector<Step> steps;
  int step = 0;
  bool has_own_state = false;  // a session of the lesson is shown, and what was before is kept
  bool to_top = false;         // another step: it is read from its beginning
  std::string pointed;         // the mark that is pointed at
  double pointed_until = 0;    // in ImGui's time

  struct Wishes {
    bool list = false;                 // the entries
    std::optional<std::string> begin;  // this lesson
    std::optional<int> step;           // of it
    bool session = false;              // of the step
    bool own_state = false;            // what was before the lesson
    std::optional<int> answer;         // of this question, by its number: what is typed or chosen
  } wishes;
};

LessonCard& lesson_card();

}  // namespace convoscope
