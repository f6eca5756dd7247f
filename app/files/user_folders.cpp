#include "app/files/user_folders.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "app/files/paths.h"

namespace convoscope {
namespace {

constexpr int most_lines = 1000;  // the file has some ten

bool is_folder(const std::string& path) {
  std::error_code unknown;
  return !path.empty() && path.front() == '/' && std::filesystem::is_directory(path, unknown);
}

// Lines as XDG_PICTURES_DIR="$HOME/Pictures", which shells can read: quoted, with the backslashes of a shell.
std::map<std::string, std::string> named_folders(const std::string& home) {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  const std::string folder = config && config[0] == '/' ? config : join(home, ".config");
  std::ifstream file(join(folder, "user-dirs.dirs"));
  std::map<std::string, std::string> named;
  std::string line;
  for (int i = 0; i < most_lines && std::getline(file, line); ++i) {
    const std::size_t begin = line.find_first_not_of(" \t"), equals = line.find("=\"");
    const std::size_t end = line.rfind('"');
    if (begin == std::string::npos || line[begin] == '#' || equals == std::string::npos || end < equals + 2) continue;
    std::string path;
    for (std::size_t at = equals + 2; at < end; ++at) {
      if (line[at] == '\\' && at + 1 < end) ++at;
      path += line[at];
    }
    constexpr std::string_view of_home = "$HOME";
    if (path.starts_with(of_home)) path = home + path.substr(of_home.size());
    named[line.substr(begin, equals - begin)] = path;
  }
  return named;
}

}  // namespace

UserFolders user_folders(const std::string& otherwise) {
  const std::string home = home_folder();
  const std::map<std::string, std::string> named = named_folders(home);
  const auto find = [&](const char* name, const char* usual) {
    if (const auto found = named.find(name); found != named.end() && is_folder(found->second)) return found->second;
    if (const std::string path = join(home, usual); is_folder(path)) return path;
    return is_folder(home) ? home : otherwise;
  };
  return {find("XDG_PICTURES_DIR", "Pictures"), find("XDG_VIDEOS_DIR", "Videos")};
}

}  // namespace convoscope
