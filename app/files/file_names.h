#pragma once
// Names for what is saved: a pattern such as "convoscope-{kind}-{date}" filled in, and the first one that is free.
#include <ctime>
#include <span>
#include <string>

namespace convoscope {

struct NameFacts {
  std::string kind;            // "recording"
  std::string source, filter;  // as the user gave them; a path's folders are left out
  std::time_t time = 0;
};

// What may stand in a pattern, and what it becomes: for the panel.
struct NamePart {
  const char *part, *meaning;
};
std::span<const NamePart> name_parts();

// A name without folder and ending, of characters that every disk takes. Never empty.
std::string fill_name(const std::string& pattern, const NameFacts&, int number = 1);

// "out.part.mkv" of "out.mkv": where a video is until it is whole.
std::string part_name(const std::string& path);
// A path that no file has yet, nor a part of one: {number} counts up; without one, "-2", "-3" are added. Looks at the
// disk.
std::string free_path(const std::string& folder, const std::string& pattern, const NameFacts&,
                      const std::string& ending);

// With the first of the endings added, unless the name has one of them.
std::string with_ending(const std::string& path, std::span<const std::string> endings);

}  // namespace convoscope
