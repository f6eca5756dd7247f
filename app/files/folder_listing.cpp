#include "app/files/folder_listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "app/files/file_kinds.h"
#include "app/files/natural_order.h"
#include "app/files/paths.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::string why_not(const std::string& folder, int error) {
  const std::string quoted = "'" + printable(folder) + "'";
  switch (error) {
    case ENOENT:
      return "There is no folder " + quoted + ". It was moved or deleted; choose another.";
    case ENOTDIR:
      return quoted + " is not a folder. Choose another.";
    case EACCES:
    case EPERM:
      return "You have no permission to look into " + quoted + ". Choose another folder.";
    default:
      return quoted + " cannot be read: " + std::strerror(error) + ". Choose another folder.";
  }
}

bool holds(std::string_view name, const FolderQuestion& question) {
  const std::string_view part = question.contains;
  if (name.starts_with('.') && !part.starts_with('.')) return false;
  if (question.begins) return name.starts_with(part);
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return !std::ranges::search(name, part, same).empty() || part.empty();
}

bool is_wanted(FileKind kind, FileKind wanted) {
  return kind == wanted || (wanted == FileKind::video && (kind == FileKind::picture || kind == FileKind::sound));
}

void sort(FolderListing& listing) {
  const FolderQuestion& question = listing.question;
  const auto group = [&](const FileEntry& entry) {
    return entry.kind == FileKind::folder ? 0 : is_wanted(entry.kind, question.wanted) ? 1 : 2;
  };
  std::ranges::sort(listing.entries, [&](const FileEntry& a, const FileEntry& b) {
    if (group(a) != group(b)) return group(a) < group(b);
    if (question.order == FileOrder::date && a.changed != b.changed) return a.changed > b.changed;
    return natural_less(a.name, b.name);
  });
}

}  // namespace

FolderListing list_folder(const FolderQuestion& question, const std::atomic<bool>& stop,
                          std::atomic<std::size_t>& read) {
  FolderListing listing;
  listing.question = question;
  read = 0;
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(question.folder.c_str()));
  if (!folder) {
    listing.problem = why_not(question.folder, errno);
    return listing;
  }
  while (!stop) {
    errno = 0;
    const dirent* const found = ::readdir(folder.get());
    if (!found) {
      if (errno != 0) listing.problem = why_not(question.folder, errno);
      break;
    }
    ++read;
    const std::string_view name = found->d_name;
    if (name == "." || name == ".." || !holds(name, question)) continue;
    if (listing.entries.size() == most_listed) {
      listing.cut = true;
      break;
    }
    struct stat status {};
    if (::fstatat(::dirfd(folder.get()), found->d_name, &status, 0) != 0) continue;  // gone, or a link to nothing
    FileEntry entry;
    entry.name = name;
    entry.kind = S_ISDIR(status.st_mode)   ? FileKind::folder
                 : S_ISREG(status.st_mode) ? kind_of_file(name)
                                           : FileKind::other;
    const auto& endings = question.endings;
    if (entry.kind != FileKind::folder && !endings.empty() &&
        std::ranges::find(endings, ending_of(name)) == endings.end())
      continue;
    entry.bytes = status.st_size;
    entry.changed = status.st_mtime;
    listing.pictures += entry.kind == FileKind::picture;
    listing.entries.push_back(std::move(entry));
  }
  sort(listing);
  return listing;
}

FolderListing list_whole_folder(const std::string& folder) {
  const std::atomic<bool> never{false};
  std::atomic<std::size_t> read{0};
  FolderQuestion question;
  question.folder = folder;
  FolderListing listing = list_folder(question, never, read);
  if (!listing.problem.empty()) throw Error(listing.problem);
  return listing;
}

PathFacts facts_about(const std::string& path) {
  PathFacts facts;
  struct stat status {};
  const std::string parent = parent_of(path);
  facts.exists = ::stat(path.c_str(), &status) == 0;
  facts.folder = facts.exists && S_ISDIR(status.st_mode);
  facts.readable = facts.exists && ::access(path.c_str(), R_OK) == 0;
  struct stat around {};
  facts.has_folder = ::stat(parent.c_str(), &around) == 0 && S_ISDIR(around.st_mode);
  facts.writable = ::access(facts.exists ? path.c_str() : parent.c_str(), facts.folder ? W_OK | X_OK : W_OK) == 0;
  return facts;
}

}  // namespace convoscope
