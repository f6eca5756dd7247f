#include "kernels/files/part_mark.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace convoscope {
namespace {

constexpr const char* part_attribute = "user.convoscope.part";

bool bears_mark(const Descriptor& file) {
  struct stat status {};
  return file.get() >= 0 && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::fgetxattr(file.get(), part_attribute, nullptr, 0) >= 0;
}

}  // namespace

void begin_part(const Descriptor& file) {
  ::flock(file.get(), LOCK_EX | LOCK_NB);
  ::fsetxattr(file.get(), part_attribute, "1", 1, 0);
}

void end_part(const Descriptor& file) { ::fremovexattr(file.get(), part_attribute); }

bool remove_left_part(const std::string& path) { return remove_left_part(AT_FDCWD, path); }

bool remove_left_part(int folder, const std::string& name) {
  const Descriptor file(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!bears_mark(file) || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return false;
  // Another run may have begun its own under this name since it was opened here.
  struct stat opened {
  }, named{};
  return ::fstat(file.get(), &opened) == 0 && ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino && ::unlinkat(folder, name.c_str(), 0) == 0;
}

std::optional<Descriptor> read_part(const std::string& path) {
  struct stat status {};
  // Whoever writes into a pipe would take this for its reader.
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!bears_mark(file)) return {};
  ::flock(file.get(), LOCK_SH | LOCK_NB);
  return file;
}

}  // namespace convoscope
