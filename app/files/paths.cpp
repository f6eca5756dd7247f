#include "app/files/paths.h"

#include <cstdlib>
#include <filesystem>

namespace convoscope {
namespace {

// The length of the character that begins here, 0 where no valid one does.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

}  // namespace

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? home : "";
}

std::string expand_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const std::string home = home_folder();
  return home.empty() ? path : home + path.substr(1);
}

std::string parent_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "/" : parent;
}

std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string source_name(const std::string& input) {
  if (input.find("://") != std::string::npos) return input;
  const std::size_t last = input.find_last_not_of('/');
  if (last == std::string::npos) return input;
  return name_of(input.substr(0, last + 1));
}

std::string join(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::string whole_path(const std::string& path, const std::string& base) {
  const std::filesystem::path given = expand_home(path);
  std::string whole = (given.is_absolute() ? given : std::filesystem::path(base) / given).lexically_normal().string();
  if (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  return whole;
}

std::string printable(std::string_view name) {
  std::string line;
  while (!name.empty()) {
    const std::size_t length = utf8_length(name);
    const auto first = static_cast<unsigned char>(name[0]);
    const bool second_set = first == 0xc2 && length == 2 && static_cast<unsigned char>(name[1]) < 0xa0;
    if (length == 0 || first < 0x20 || first == 0x7f || second_set)  // a terminal may obey them
      line += '?';
    else
      line += name.substr(0, length);
    name.remove_prefix(length == 0 ? 1 : length);
  }
  return line;
}

TypedPath split_typed(const std::string& typed, const std::string& base) {
  const std::string path = typed == "~" ? "~/" : typed;
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return {base, path};
  return {whole_path(path.substr(0, slash + 1), base), path.substr(slash + 1)};
}

bool is_glob(std::string_view path) { return path.find_first_of("*?[") != std::string_view::npos; }

}  // namespace convoscope
