#include "app/session/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "kernels/files/descriptor.h"
#include "kernels/files/replaced_file.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = 16 << 20;  // anything larger is not ours
constexpr int most_put_aside = 100;

std::string reason() { return std::strerror(errno); }

fs::path first_free(const fs::path& path, const char* word) {
  for (int number = 1; number <= most_put_aside; ++number) {
    fs::path name = path.string() + "." + word + (number == 1 ? "" : "." + std::to_string(number));
    std::error_code error;
    if (!fs::exists(fs::symlink_status(name, error))) return name;
  }
  return {};
}

}  // namespace

std::string make_folders(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return {};
  if (const std::string why = make_folders(folder.parent_path()); !why.empty()) return why;
  return ::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST ? std::string() : reason();
}

FileText read_small_file(const fs::path& path) {
  // O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return {{}, errno == ENOENT || errno == ENOTDIR ? std::string() : "cannot be read: " + reason()};
  FileText result;
  result.text = read_whole(file, largest_file, result.problem);
  return result;
}

std::string replace_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  if (error || target.empty()) target = path;
  if (const std::string why = make_folders(target.parent_path()); !why.empty()) return why;
  return replace_as_whole(AT_FDCWD, target.string(), text) ? std::string() : reason();
}

fs::path put_aside(const fs::path& path, const char* word) {
  const fs::path name = first_free(path, word);
  std::error_code error;
  if (!name.empty()) fs::rename(path, name, error);
  return error ? fs::path() : name;
}

fs::path copy_aside(const fs::path& path, const char* word) {
  const fs::path name = first_free(path, word);
  std::error_code error;
  return !name.empty() && fs::copy_file(path, name, error) ? name : fs::path();
}

}  // namespace convoscope
