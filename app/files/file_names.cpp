#include "app/files/file_names.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/files/file_kinds.h"
#include "app/files/paths.h"

namespace convoscope {
namespace {

constexpr std::size_t longest_name = 120;  // bytes; a disk takes 255, the ending included
constexpr NamePart parts[] = {{"{kind}", "recording, render, screenshot, animation or sweep"},
                              {"{number}", "the first free number, from 001 on"},
                              {"{date}", "the day, such as 2026-11-22"},
                              {"{time}", "the hour, minute and second, such as 143059"},
                              {"{source}", "the name of the clip, camera or pattern"},
                              {"{filter}", "the name of the filter"}};

std::string time_text(std::time_t time, const char* format) {
  std::tm parts_of_time{};
  localtime_r(&time, &parts_of_time);
  char text[32] = {};
  std::strftime(text, sizeof text, format, &parts_of_time);
  return text;
}

std::string value_of(std::string_view part, const NameFacts& facts, int number) {
  if (part == "{kind}") return facts.kind;
  if (part == "{date}") return time_text(facts.time, "%Y-%m-%d");
  if (part == "{time}") return time_text(facts.time, "%H%M%S");
  if (part == "{source}") return std::filesystem::path(name_of(facts.source)).stem().string();
  if (part == "{filter}") return facts.filter;
  char text[16];
  std::snprintf(text, sizeof text, "%03d", number);
  return text;
}

}  // namespace

std::span<const NamePart> name_parts() { return parts; }

std::string fill_name(const std::string& pattern, const NameFacts& facts, int number) {
  std::string name = pattern;
  for (const NamePart& each : parts) {
    const std::string value = value_of(each.part, facts, number);
    const std::size_t length = std::char_traits<char>::length(each.part);
    for (std::size_t at = name.find(each.part); at != std::string::npos; at = name.find(each.part, at + value.size()))
      name.replace(at, length, value);
  }
  name = printable(name);
  for (char& c : name)
    if (std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos) c = '-';
  if (name.size() > longest_name) {
    std::size_t end = longest_name;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
    name.resize(end);
  }
  while (name.starts_with('.') || name.starts_with(' ')) name.erase(0, 1);
  while (name.ends_with(' ')) name.pop_back();
  return name.empty() ? "convoscope" : name;
}

std::string part_name(const std::string& path) {
  const std::filesystem::path whole = path;
  return (whole.parent_path() / (whole.stem().string() + ".part" + whole.extension().string())).string();
}

std::string free_path(const std::string& folder, const std::string& pattern, const NameFacts& facts,
                      const std::string& ending) {
  const auto is_there = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
  };
  // What comes before it may be so long that the number is cut off.
  const bool is_numbered = fill_name(pattern, facts, 1) != fill_name(pattern, facts, 2);
  for (int i = 1;; ++i) {
    std::string name = fill_name(pattern, facts, i);
    if (i > 1 && !is_numbered) name += "-" + std::to_string(i);
    const std::string path = join(folder, name + "." + ending);
    if (!is_there(path) && !is_there(part_name(path))) return path;  // what was killed is kept
  }
}

std::string with_ending(const std::string& path, std::span<const std::string> endings) {
  if (endings.empty() || std::ranges::find(endings, ending_of(path)) != endings.end()) return path;
  return path + "." + endings.front();
}

}  // namespace convoscope
