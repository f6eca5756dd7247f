#include "app/media/read/local_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "app/media/sources/source.h"
#include "kernels/files/part_mark.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

std::string local_path(const std::string& input) {
  constexpr std::string_view scheme = "file:", host = "//localhost/";
  if (!input.starts_with(scheme) || is_on_disk(input)) return input;
  std::string path = input.substr(scheme.size());
  if (path.starts_with(host)) path.erase(0, host.size() - 1);
  if (path.starts_with("//"))
    path.erase(0, path.find_first_not_of('/') == std::string::npos ? 1 : path.find_first_not_of('/') - 1);
  return is_on_disk(path) ? path : without_percent(path);
}

std::vector<fs::path> local_files(const std::string& input) {
  const Source& source = source_for(input);
  return source.files ? source.files(input) : std::vector<fs::path>();
}

std::vector<Descriptor> held_parts(const std::string& input) {
  std::vector<Descriptor> parts;
  if (input == "-") return parts;
  for (const fs::path& file : local_files(input))
    if (std::optional<Descriptor> part = read_part(file.string())) parts.push_back(std::move(*part));
  return parts;
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
