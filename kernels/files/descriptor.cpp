#include "kernels/files/descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>

namespace convoscope {
namespace {

constexpr int asks_every = 100;  // milliseconds
constexpr auto last_chance = std::chrono::seconds(1);

// The same pipe once more, since whether writing waits is a matter of all who have it open by one opening. Several
// times as fast as small pieces. Below 0 where it may not be opened.
Descriptor without_waiting(int pipe) {
  return Descriptor(
      ::open(("/proc/self/fd/" + std::to_string(pipe)).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

}  // namespace

bool Descriptor::close() { return number_ < 0 || ::close(release()) == 0; }

std::optional<std::string> read_whole(const Descriptor& file, std::size_t most_bytes, std::string& why) {
  struct stat status {};
  why = "cannot be read: ";
  if (::fstat(file.get(), &status) != 0) {
    why += std::strerror(errno);
  } else if (!S_ISREG(status.st_mode)) {
    why += S_ISDIR(status.st_mode) ? "it is a folder" : "it is not an ordinary file";
  } else if (static_cast<std::size_t>(status.st_size) > most_bytes) {
    why += "it is far too large";
  } else {
    std::string content(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t got = 0;
    while (got < content.size()) {
      const ssize_t count = ::read(file.get(), content.data() + got, content.size() - got);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        why += std::strerror(errno);
        return {};
      }
      if (count == 0) break;
      got += static_cast<std::size_t>(count);
    }
    content.resize(got);
    why.clear();
    return content;
  }
  return {};
}

bool write_all(const Descriptor& file, std::string_view content) { return write_all(file.get(), content); }

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_all_until(int file, std::string_view content, const std::function<bool()>& stopped) {
  using Clock = std::chrono::steady_clock;
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0;
  const Descriptor pipe = known && S_ISFIFO(status.st_mode) ? without_waiting(file) : Descriptor(-1);
  const bool never_waits = pipe.get() >= 0 || (known && S_ISREG(status.st_mode));
  if (pipe.get() >= 0) file = pipe.get();
  // Otherwise what poll() has found room for: a longer write waits for the rest of its room.
  const std::size_t at_once = never_waits ? content.size() : PIPE_BUF;
  std::optional<Clock::time_point> end;
  while (!content.empty()) {
    pollfd to{.fd = file, .events = POLLOUT, .revents = 0};
    const int ready = ::poll(&to, 1, asks_every);
    if (!end && stopped()) end = Clock::now() + last_chance;
    if (end && Clock::now() >= *end) {
      errno = ECANCELED;
      return false;
    }
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t written = ::write(file, content.data(), std::min(content.size(), at_once));
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace convoscope
