#include "kernels/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "kernels/files/part_mark.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr int most_drafts = 1000;          // beside one name
constexpr int most_links = 40;             // as many as the system follows
constexpr std::size_t longest_name = 200;  // of a draft, without what is added; file systems take 255 bytes

[[noreturn]] void fail(const std::string& path, int problem) {
  throw Error("'" + path + "' cannot be written: " + std::strerror(problem) + ". " + what_to_do_about(problem));
}

[[noreturn]] void leave_as_it_is(const std::string& path, int problem) {
  throw Error("'" + path + "' cannot be replaced: its folder takes no new file (" + std::strerror(problem) +
              "), and what is in it would be lost if writing failed. Choose a name in another folder.");
}

// False: the name is taken, or errno says what else is wrong.
bool rename_to_free_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // Not every file system can, nor has every one links.
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0;
  if (errno == EEXIST) return false;
  struct stat status {};
  if (::lstat(to.c_str(), &status) == 0) errno = EEXIST;
  return errno != EEXIST && std::rename(from.c_str(), to.c_str()) == 0;
}

bool is_device_name(const std::string& path) { return path.starts_with("/dev/") || path.starts_with("/proc/"); }

// The file that is meant, by a name without links. What cannot be found out is told when it is opened.
std::string without_links(const std::string& path) {
  fs::path target = path;
  std::error_code error;
  struct stat status {};
  for (int i = 0; ::stat(target.c_str(), &status) != 0; ++i) {
    if (errno == ELOOP || i == most_links)
      throw Error("'" + path +
                  "' cannot be written: the links on the way to it lead in a circle, so there is no file " +
                  "to write to. Remove them, or choose another name.");
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;
  }
  const fs::path whole = fs::weakly_canonical(target, error);
  return error || whole.empty() ? target.string() : whole.string();
}

// Half of a picture or a text is worth nothing under any name.
void write_draft(OutputFile& file, const std::string& path, std::string_view bytes) {
  Descriptor to(::open(file.draft().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (to.get() >= 0 && write_all(to, bytes) && to.close()) return;
  const int problem = errno;
  file.discard();
  fail(path, problem);
}

}  // namespace

std::string what_to_do_about(int problem) {
  if (problem == ENAMETOOLONG) return "Choose a shorter name.";
  if (problem == EMFILE || problem == ENFILE) return "Close other programs, or raise the limit (ulimit -n).";
  return "Check that the folder exists, may be written to, and has room.";
}

bool is_named_pipe(const std::string& path) {
  struct stat status {};
  return !is_device_name(path) && ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

void check_can_be_replaced(const std::string& path) {
  if (is_device_name(path)) return;
  const fs::path target = without_links(path);
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return;
  if (::access(target.parent_path().c_str(), W_OK) != 0) leave_as_it_is(path, errno);
}

OutputFile::OutputFile(const std::string& path, Use use) : use_(use), given_(path), path_(path), draft_(path) {
  if (is_device_name(path)) return;
  draft_ = path_ = without_links(path);
  if (is_named_pipe(path_))
    throw Error("'" + path + "' is a named pipe, which would wait for its reader. Give the name of a file.");
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (!exists && errno == ENAMETOOLONG) fail(path, ENAMETOOLONG);  // a draft's name is cut, the name itself is not
  if (exists && S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return;
  if (exists) before_ = version_of(path_);
  const fs::path target(path_);
  const std::string folder = (target.parent_path() / "").string();
  const bool made = stays() ? make_draft(folder, target.stem().string(), target.extension().string())
                            : make_draft(folder, "." + target.filename().string(), "");
  const int problem = errno;
  if (!made) {
    // In a folder that takes no new file an old one could only be written over, and what fails then leaves nothing.
    if (!exists || ::access(path_.c_str(), W_OK) != 0) fail(path, problem);
    if (status.st_size > 0) leave_as_it_is(path, problem);
    return;
  }
  if (exists && ::chmod(draft_.c_str(), status.st_mode & 0777) != 0) return;  // then it has the usual rights
}

// errno says why not.
bool OutputFile::create(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return false;
  pinned_.emplace(std::move(file));
  device_ = status.st_dev;
  file_ = status.st_ino;
  begin_part(*pinned_);
  return made_ = true;
}

bool OutputFile::is_there() const {
  struct stat status {};
  return !made_ || (::lstat(draft_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == file_);
}

void OutputFile::check_is_there() const {
  if (is_there()) return;
  throw Error(
      "'" + given_ + "' has not been " + (before_ ? "replaced" : "written") + ": the new file beside it, '" +
      shown_draft() +
      "', or its folder was deleted, moved away or replaced meanwhile. What is under the name now was left as it "
      "is. If the file was moved, what was written is in it; otherwise start again.");
}

// errno says why not.
bool OutputFile::make_draft(const std::string& folder, const std::string& name, const std::string& ending) {
  for (int i = 1; i <= most_drafts; ++i) {
    const std::string part = i == 1 ? ".part" : ".part-" + std::to_string(i);
    const std::string candidate = folder + name.substr(0, longest_name) + part + ending;
    remove_left_part(candidate);
    if (create(candidate)) {
      draft_ = candidate;
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

OutputFile::~OutputFile() {
  if (settled_ || !made_ || !is_there()) return;
  struct stat status {};
  const bool worth_something = stays() && ::stat(draft_.c_str(), &status) == 0 && status.st_size > 0;
  if (!worth_something) ::unlink(draft_.c_str());
}

std::optional<OutputFile::Version> OutputFile::version_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return Version{status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size};
}

void OutputFile::keep() {
  settled_ = true;
  check_is_there();
  if (!made_ || in_place()) return;
  ::fsync(pinned_->get());  // a computer that loses power must not find the name on an empty file
  end_part(*pinned_);
  pinned_.reset();  // shared folders may not rename what is open
  const bool replaces = before_ && before_ == version_of(path_);
  if (replaces ? std::rename(draft_.c_str(), path_.c_str()) == 0 : rename_to_free_name(draft_, path_)) return;
  const int problem = errno;
  if (!replaces && problem == EEXIST) {
    if (use_ == Use::whole_or_nothing) take_free_name();
    throw Error("'" + given_ + "' has been written by somebody else meanwhile and is left as it is. What was written " +
                "here is in " + where_left() + ".");
  }
  throw Error("'" + given_ + "' cannot be replaced: " + std::strerror(problem) + ". What was written is in " +
              where_left() + ".");
}

bool OutputFile::keep_if(bool whole) {
  if (whole || in_place()) {
    keep();
    return true;
  }
  settled_ = true;
  check_is_there();
  return false;
}

// "shot-2.png" beside "shot.png"; or it stays where it is.
void OutputFile::take_free_name() {
  const fs::path taken(path_);
  for (int i = 2; i <= most_drafts; ++i) {
    const std::string name = taken.stem().string().substr(0, longest_name) + "-" + std::to_string(i);
    const std::string free = (taken.parent_path() / (name + taken.extension().string())).string();
    if (rename_to_free_name(draft_, free)) {
      draft_ = free;
      return;
    }
    if (errno != EEXIST) return;
  }
}

void OutputFile::discard() {
  settled_ = true;
  if (made_ && is_there()) ::unlink(draft_.c_str());
}

bool OutputFile::take_in(Descriptor file, const std::string& path) {
  struct stat was {
  }, is{};
  if (!made_ || !is_there() || ::stat(draft_.c_str(), &was) != 0 || ::fstat(file.get(), &is) != 0) return false;
  ::fchmod(file.get(), was.st_mode & 0777);  // where that is not possible, it has the usual rights
  begin_part(file);                          // no whole one yet, while it has this name
  // A computer that loses power must not find the name on an empty file.
  if (::fsync(file.get()) != 0 || std::rename(path.c_str(), draft_.c_str()) != 0) return false;
  device_ = is.st_dev;
  file_ = is.st_ino;
  pinned_.emplace(std::move(file));
  return true;
}

// In the folder that was given, as that was written; a link may have led into another one.
std::string OutputFile::shown_draft() const {
  if (in_place()) return given_;
  std::error_code error;
  const fs::path folder = fs::path(given_).parent_path(), draft = draft_;
  const auto here = [](const fs::path& path) { return path.empty() ? fs::path(".") : path; };
  if (!fs::equivalent(here(folder), here(draft.parent_path()), error)) return draft_;
  return (folder / draft.filename()).string();
}

std::string OutputFile::where_left() const { return is_there() ? "'" + shown_draft() + "'" : ""; }

std::string OutputFile::what_is_left() const {
  struct stat status {};
  if (!is_there() || ::stat(draft_.c_str(), &status) != 0 || status.st_size == 0) return "";
  return "What was written plays" + (in_place() ? "" : " and is in " + where_left()) + ". ";
}

void write_file(const std::string& path, std::string_view bytes, OutputFile::Use use) {
  OutputFile file(path, use);
  write_draft(file, path, bytes);
  file.keep();
}

std::string write_part(const std::string& path, std::string_view bytes) {
  OutputFile file(path, OutputFile::Use::part_until_whole);
  write_draft(file, path, bytes);
  return file.keep_if(false) ? "" : file.where_left();
}

}  // namespace convoscope
