#include "app/session/places.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "app/session/text_file.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr int most_windows = 32;

// The specification: a relative path counts as unset.
fs::path folder(const char* variable, const char* below_home) {
  const char* const value = std::getenv(variable);
  if (value && fs::path(value).is_absolute()) return fs::path(value) / "convoscope";
  const char* const home = std::getenv("HOME");
  if (!home || !fs::path(home).is_absolute()) return {};
  return fs::path(home) / below_home / "convoscope";
}

}  // namespace

fs::path settings_path() {
  const fs::path there = folder("XDG_CONFIG_HOME", ".config");
  return there.empty() ? there : there / "settings.json";
}

fs::path session_path() {
  const fs::path there = folder("XDG_STATE_HOME", ".local/state");
  return there.empty() ? there : there / "session.json";
}

SessionSlot::SessionSlot() {
  const fs::path first = session_path();
  if (first.empty()) return;
  path_ = first;
  if (!make_folders(first.parent_path()).empty()) return;  // saving will tell
  for (int number = 1; number <= most_windows; ++number) {
    const fs::path path = number == 1 ? first : first.parent_path() / ("session-" + std::to_string(number) + ".json");
    const int lock = ::open((path.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                            S_IRUSR | S_IWUSR);
    if (lock < 0) return;
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
      path_ = path;
      number_ = number;
      lock_ = lock;
      return;
    }
    ::close(lock);
  }
  path_.clear();
}

SessionSlot::~SessionSlot() {
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace convoscope
