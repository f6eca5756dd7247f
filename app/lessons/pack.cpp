#include "app/lessons/pack.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/files/natural_order.h"
#include "app/files/paths.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_lessons = 200;

// Through no link: a pack has nothing outside its folder.
std::string text_in_pack(const fs::path& file) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() != fs::file_type::regular)
    throw Error("The pack's file " + in_quotes(file.string()) + " is no file of its own, or is not there.");
  if (fs::file_size(file, error) > most_lesson_bytes || error)
    throw Error("The pack's file " + in_quotes(file.string()) + " is larger than 256 KiB.");
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw Error("The pack's file " + in_quotes(file.string()) + " cannot be read.");
  return text;
}

PackedLesson packed(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / (name + ".md");
  return {name, file.string(), text_in_pack(file)};
}

std::vector<std::string> names_of_course(const fs::path& list) {
  std::vector<std::string> names;
  int number = 0;
  const std::string text = text_in_pack(list);
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    std::string name(line);
    if (name.ends_with(".md")) name.resize(name.size() - 3);
    if (name.find('/') != std::string::npos || name.starts_with('.'))
      throw Error(in_quotes(list.string()) + ", line " + std::to_string(number) + ": " + in_quotes(name) +
                  " is no name of a lesson in this folder.");
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> names_of_files(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path file = entry.path();
    if (file.extension() != ".md" || file.stem() == "README") continue;
    if (names.size() >= most_lessons)
      throw Error("The folder " + in_quotes(folder.string()) + " has more than 200 lessons.");
    names.push_back(file.stem().string());
  }
  std::ranges::sort(names, natural_less);
  return names;
}

// "one-dimension" of "01-one-dimension".
std::string_view without_digits(std::string_view name) {
  const std::size_t letters = name.find_first_not_of("0123456789-_ ");
  return letters == std::string_view::npos ? name : name.substr(letters);
}

}  // namespace

Pack own_lessons() {
  Pack pack;
  for (const EmbeddedLesson& lesson : embedded_lessons())
    pack.lessons.push_back({std::string(lesson.name), std::string(lesson.name) + ".md", std::string(lesson.text)});
  std::ranges::sort(pack.lessons, natural_less, &PackedLesson::name);
  return pack;
}

Pack read_pack(const std::string& folder) {
  const fs::path place = expand_home(folder);
  try {
    if (!fs::is_directory(place))
      throw Error("There is no folder " + in_quotes(folder) + ". A pack is a folder of lessons, .md files.");
    Pack pack{place.string(), {}};
    const fs::path list = place / "course.txt";
    const std::vector<std::string> names =
        fs::symlink_status(list).type() == fs::file_type::not_found ? names_of_files(place) : names_of_course(list);
    if (names.empty()) throw Error("The folder " + in_quotes(folder) + " has no lessons, which are .md files.");
    if (names.size() > most_lessons) throw Error("The course of " + in_quotes(folder) + " has more than 200 lessons.");
    for (const std::string& name : names) pack.lessons.push_back(packed(place, name));
    return pack;
  } catch (const fs::filesystem_error& error) {
    throw Error("The folder " + in_quotes(folder) + " cannot be read: " + error.code().message() + ".");
  }
}

Pack pack_in(const std::string& folder) { return folder.empty() ? own_lessons() : read_pack(folder); }

const PackedLesson& lesson_named(const Pack& pack, const std::string& name) {
  const std::vector<PackedLesson>& all = pack.lessons;
  if (!name.empty() && name.size() < 4 && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); })) {
    const std::size_t number = std::stoul(name);
    if (number >= 1 && number <= all.size()) return all[number - 1];
    throw Error("There is no lesson " + name + "; there are " + std::to_string(all.size()) + ", numbered from 1.");
  }
  const std::string wanted = name.ends_with(".md") ? name.substr(0, name.size() - 3) : name;
  std::vector<std::string> names;
  const PackedLesson* begins = nullptr;
  for (const PackedLesson& each : all) {
    if (each.name == wanted || without_digits(each.name) == wanted) return each;
    if (!begins && !wanted.empty() && (each.name.starts_with(wanted) || without_digits(each.name).starts_with(wanted)))
      begins = &each;
    names.emplace_back(without_digits(each.name));
  }
  if (begins) return *begins;
  const std::string near = nearest_word(wanted, names);
  throw Error("There is no lesson " + in_quotes(name) + "." +
              (near.empty() ? " `convoscope lesson list` names them all." : " Did you mean " + in_quotes(near) + "?"));
}

Lesson parsed(const PackedLesson& lesson) { return parse_lesson(lesson.text, lesson.name, lesson.file); }

}  // namespace convoscope::lessons
