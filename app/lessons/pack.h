#pragma once
// Where lessons come from: those within the program, or a folder of somebody else's (a pack).
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/lesson.h"

namespace convoscope::lessons {

// One lesson's text, not parsed.
struct PackedLesson {
  std::string name;  // of its file without the ending: "01-one-dimension"
  std::string file;  // for messages
  std::string text;
};

struct Pack {
  std::string folder;                 // empty: the program's own
  std::vector<PackedLesson> lessons;  // in the order of the course
};

// The program's own, in the order of their names.
Pack own_lessons();
// The .md files of a folder in the order of their names or, where there is a course.txt, those that it lists, a name a
// line. Reads nothing outside the folder, also through no link. Throws Error naming the file and the line. Not for the
// window's thread.
Pack read_pack(const std::string& folder);
// own_lessons() for an empty one.
Pack pack_in(const std::string& folder);

// By its number in the course (1 the first), its name, or the beginning of its name, with or without its digits. Throws
// Error with what there is.
const PackedLesson& lesson_named(const Pack&, const std::string& name);
Lesson parsed(const PackedLesson&);  // throws Error as parse_lesson()

// Made by third_party/embed_texts.cmake of the files in lessons/.
struct EmbeddedLesson {
  std::string_view name, text;
};
std::vector<EmbeddedLesson> embedded_lessons();

}  // namespace convoscope::lessons
