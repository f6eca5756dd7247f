#pragma once
// How far somebody is in the lessons: in $XDG_STATE_HOME/convoscope/lessons.json, beside the session.
#include <map>
#include <set>
#include <string>
#include <vector>

namespace convoscope::lessons {

struct LessonProgress {
  int step = 0;          // from 0, where it was left
  std::set<int> solved;  // questions, from 1
  bool done = false;     // its last step was left behind
  bool operator==(const LessonProgress&) const = default;
};
using Progress = std::map<std::string, LessonProgress>;  // by the name of the lesson; of a pack "FOLDER/NAME"

std::string progress_text(const Progress&);
// What makes no sense is left out: progress is no reason to fail.
Progress parse_progress(const std::string& text);

std::string progress_path();  // empty where there is no home
Progress kept_progress();     // empty where nothing is kept. Reads the disk
// One lesson's, beside what other windows have kept meanwhile. Returns why not, a sentence; empty: done. Writes the
// disk.
std::string keep_progress(const std::string& lesson, const LessonProgress&);

}  // namespace convoscope::lessons
