#include "app/media/read/local_files.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "app/media/ffmpeg/demuxer.h"
#include "app/media/read/image_list.h"
#include "app/media/read/playlist.h"
#include "kernels/contract/error.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  struct stat status {};
  return !path.empty() && ::stat(path.c_str(), &status) == 0;
}

std::string without_percent(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string digits = text.substr(i + 1, 2);
    if (text[i] == '%' && digits.size() == 2 &&
        digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
      out += static_cast<char>(std::stoi(digits, nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Names like frame%04d.png, as image2 counts.
std::vector<fs::path> members_of_sequence(const fs::path& pattern) {
  std::string expression;
  const std::string name = pattern.filename().string();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::size_t end = name[i] == '%' ? name.find_first_not_of("0123456789", i + 1) : std::string::npos;
    if (end != std::string::npos && name[end] == 'd') {
      expression += "+([0-9])";
      i = end;
    } else {
      expression += std::isalnum(static_cast<unsigned char>(name[i])) ? "" : "\\";
      expression += name[i];
    }
  }
  std::vector<fs::path> found;
  std::error_code error;
  const fs::path folder = pattern.has_parent_path() ? pattern.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (::fnmatch(expression.c_str(), at->path().filename().c_str(), FNM_EXTMATCH) == 0) found.push_back(at->path());
  return found;
}

std::vector<fs::path> members_of_list(const std::string& folder_or_pattern) {
  try {
    const ImageList list(folder_or_pattern);
    return {list.paths().begin(), list.paths().end()};
  } catch (const Error&) {  // there are none
    return {};
  }
}

// "concat:a|b", "async:file:///a": whatever comes after a colon or a bar may be a path.
std::vector<fs::path> parts_that_exist(const std::string& address) {
  std::vector<fs::path> found;
  for (std::size_t begin = 0; begin <= address.size();) {
    const std::size_t end = std::min(address.find('|', begin), address.size());
    const std::string part = address.substr(begin, end - begin);
    for (std::size_t at = 0; at != std::string::npos; at = part.find(':', at)) {
      if (at > 0) ++at;
      if (const std::string path = local_path(part.substr(at)); exists(path)) found.emplace_back(path);
      if (at == 0) at = 1;
    }
    begin = end + 1;
  }
  return found;
}

}  // namespace

std::string local_path(const std::string& input) {
  constexpr std::string_view scheme = "file:", host = "//localhost/";
  if (!input.starts_with(scheme) || exists(input)) return input;
  std::string path = input.substr(scheme.size());
  if (path.starts_with(host)) path.erase(0, host.size() - 1);
  if (path.starts_with("//"))
    path.erase(0, path.find_first_not_of('/') == std::string::npos ? 1 : path.find_first_not_of('/') - 1);
  return exists(path) ? path : without_percent(path);
}

std::vector<fs::path> local_files(const std::string& input) {
  std::vector<fs::path> files;
  switch (kind_of(input)) {
    case SourceKind::file:
      if (const std::string path = local_path(input); exists(path)) {
        files = playlist_members(path);
        files.insert(files.begin(), path);
      }
      break;
    case SourceKind::sequence:
      files = is_image_list(input) ? members_of_list(input) : members_of_sequence(local_path(input));
      break;
    case SourceKind::address:
      files = parts_that_exist(input);
      break;
    default:
      break;
  }
  return files;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  struct stat first {
  }, second{};
  const bool both = ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0;
  if (both) return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  std::error_code error;
  const fs::path one = fs::weakly_canonical(fs::absolute(a), error),
                 other = fs::weakly_canonical(fs::absolute(b), error);
  return !error && one == other;
}

void check_is_not_input(const std::string& what, const fs::path& output, const std::string& input) {
  std::error_code error;
  if (!fs::is_regular_file(output, error)) return;
  const std::vector<fs::path> files = local_files(input);
  if (std::ranges::none_of(files, [&](const fs::path& file) { return is_same_file(file, output); })) return;
  const bool is_whole = is_same_file(local_path(input), output);
  const std::string name = input.starts_with("file:") ? local_path(input) : input;
  throw Error(what + " '" + output.string() + "' is " +
              (is_whole ? "the INPUT itself" : "a part of the INPUT '" + name + "'") +
              ", which would be overwritten. Choose another name.");
}

}  // namespace convoscope
