#pragma once
// Paths as people type and read them. Nothing here looks at the disk.
#include <string>
#include <string_view>

namespace convoscope {

std::string home_folder();                         // empty when there is none
std::string expand_home(const std::string& path);  // "~" and "~/…"
std::string parent_of(const std::string& path);    // "/" for the root
std::string name_of(const std::string& path);      // what is behind the last '/'
// What people call a source: of a path the file's name, of an address or a device all of it.
std::string source_name(const std::string& input);
std::string join(const std::string& folder, const std::string& name);
// From the root on, without "." and ".."; "~" is the home folder.
std::string whole_path(const std::string& path, const std::string& base);

// For the screen: a line of valid UTF-8, whatever bytes a name has.
std::string printable(std::string_view name);

// What is typed, as a folder to look into and the beginning of a name there.
struct TypedPath {
  std::string folder, rest;
};
TypedPath split_typed(const std::string& typed, const std::string& base);

bool is_glob(std::string_view path);  // has *, ? or […]

}  // namespace convoscope
