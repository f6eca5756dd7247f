#pragma once
// What `convoscope lesson` is asked for, and which lesson the window begins with.
#include <optional>
#include <string>
#include <vector>

namespace convoscope {

struct LessonWish {
  enum class What { list, run, check, export_page, results };
  What what = What::list;
  std::string name;                // of the lesson, or its number; empty: none
  std::string pack;                // a folder; empty: the program's own lessons
  std::vector<std::string> files;  // of answers
  std::string html;                // export: the page
  std::optional<int> step;         // run, as JSON: this one alone, from 0
  bool quick = false;              // run, as JSON: nothing is measured
  std::optional<int> question;     // check: this one alone, from 1, answered by `typed`
  std::string typed;
  bool blank = false;                       // run: prints answers to be filled in
  bool worksheet = false, answers = false;  // export
  bool csv = false;                         // results
};

}  // namespace convoscope
