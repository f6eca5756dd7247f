#include "kernels/files/own_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kernels/files/descriptor.h"
#include "kernels/files/replaced_file.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr mode_t others_write = S_IWGRP | S_IWOTH, others = S_IRWXG | S_IRWXO;

}  // namespace

fs::path cache_home() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/') return cache;
  if (const char* home = std::getenv("HOME"); home && *home == '/') return fs::path(home) / ".cache";
  return {};
}

OwnFolder::OwnFolder(const fs::path& place, Missing missing) {
  const fs::path home = cache_home();
  if (home.empty()) return;
  if (missing == Missing::is_made) {
    std::error_code error;
    fs::create_directories(home, error);
    if (error) {
      why_ = error.message();
      return;
    }
  }
  folder_ = ::open(home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) {
    failed();
    return;
  }
  for (const fs::path& name : place)
    if (!open_next(name, missing)) return;
}

OwnFolder::~OwnFolder() {
  if (folder_ >= 0) ::close(folder_);
}

bool OwnFolder::open_next(const std::string& name, Missing missing) {
  const Descriptor above(std::exchange(folder_, -1));
  if (missing == Missing::is_made && ::mkdirat(above.get(), name.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return failed();
  const int next = ::openat(above.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (next < 0) return failed();
  folder_ = next;
  struct stat status {};
  if (::fstat(next, &status) != 0) {
    ::close(std::exchange(folder_, -1));
    return failed();
  }
  const bool own = status.st_uid == ::geteuid();
  if (own && ((status.st_mode & others) == 0 || ::fchmod(next, S_IRWXU) == 0)) return true;
  failed(own ? "the folder " + name + " cannot be closed to other users"
             : "the folder " + name + " belongs to another user");
  ::close(std::exchange(folder_, -1));
  return false;
}

bool OwnFolder::failed(const std::string& why) {
  why_ = why;
  return false;
}

bool OwnFolder::failed() {
  const int error = errno;
  return failed(error == ENOENT                      ? ""
                : error == ELOOP || error == ENOTDIR ? "a link or a file is where a folder of this program belongs"
                                                     : std::strerror(error));
}

std::optional<std::string> OwnFolder::read(const std::string& name, std::size_t most_bytes) {
  why_.clear();
  // Not blocking: a pipe would wait for whoever writes into it.
  const Descriptor file(::openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) {
    failed(errno == ENOENT  ? ""
           : errno == ELOOP ? "is a link"
                            : std::string("cannot be read: ") + std::strerror(errno));
    return {};
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || status.st_uid != ::geteuid() || (status.st_mode & others_write) != 0) {
    failed("may have been written by another user");
    return {};
  }
  return read_whole(file, most_bytes, why_);
}

bool OwnFolder::write(const std::string& name, std::string_view content) {
  why_.clear();
  return replace_as_whole(folder_, name, content) || failed(std::strerror(errno));
}

}  // namespace convoscope
