#include "kernels/files/replaced_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>

#include "kernels/files/descriptor.h"
#include "kernels/files/part_mark.h"

namespace convoscope {
namespace {

constexpr int most_new_files = 1000;  // beside one name: of who writes now, and of others
constexpr int usual_new_files = 4;    // as many as are written at once, and so may be left

struct NewFile {
  std::string name;
  std::optional<Descriptor> file;  // none: errno says why
};

NewFile make_new_file(int folder, const std::string& of) {
  NewFile draft;
  int problem = EEXIST;
  for (int number = 1; number <= (draft.file ? usual_new_files : most_new_files) && problem == EEXIST; ++number) {
    std::string name = of + ".new" + (number == 1 ? "" : "-" + std::to_string(number));
    remove_left_part(folder, name);
    if (draft.file) continue;
    // Never through a file or link that somebody else has put there.
    Descriptor file(
        ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.get() < 0) {
      problem = errno;
      continue;
    }
    draft.name = std::move(name);
    begin_part(draft.file.emplace(std::move(file)));
  }
  errno = problem;
  return draft;
}

// Whether all of it is with the system. Some file systems tell only when a file is closed, and closing this one would
// end its lock.
bool write_new_file(const Descriptor& file, std::string_view content) {
  return write_all(file, content) && Descriptor(::dup(file.get())).close();
}

bool take_name_of_old(int folder, NewFile& draft, const std::string& name) {
  const auto renamed = [&] { return ::renameat(folder, draft.name.c_str(), folder, name.c_str()) == 0; };
  if (renamed()) {
    end_part(*draft.file);
    return true;
  }
  end_part(*draft.file);
  draft.file.reset();  // shared folders may not rename what is open
  return renamed();
}

}  // namespace

bool replace_as_whole(int folder, const std::string& name, std::string_view content) {
  NewFile draft = make_new_file(folder, name);
  if (!draft.file) return false;
  if (write_new_file(*draft.file, content) && take_name_of_old(folder, draft, name)) return true;
  const int problem = errno;
  ::unlinkat(folder, draft.name.c_str(), 0);
  errno = problem;
  return false;
}

}  // namespace convoscope
