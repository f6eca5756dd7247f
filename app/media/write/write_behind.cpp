#include "app/media/write/write_behind.h"

#include <unistd.h>

#include <cerrno>

namespace convoscope {

int write_all(int file, const void* bytes, std::size_t count) {
  for (std::size_t done = 0; done < count;) {
    const ssize_t written = ::write(file, static_cast<const std::uint8_t*>(bytes) + done, count - done);
    if (written >= 0)
      done += static_cast<std::size_t>(written);
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

WriteBehind::WriteBehind(int file, std::size_t bytes) : file_(file) {
  for (auto& buffer : buffers_) buffer.resize(bytes);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

int WriteBehind::send() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !on_its_way_; });
  if (problem_ != 0) return problem_;
  on_its_way_ = true;
  filling_ = 1 - filling_;
  changed_.notify_all();
  return 0;
}

int WriteBehind::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !on_its_way_; });
  return problem_;
}

void WriteBehind::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return on_its_way_; })) {
    const auto& buffer = buffers_[1 - filling_];
    lock.unlock();
    const int problem = write_all(file_, buffer.data(), buffer.size());
    lock.lock();
    problem_ = problem;
    on_its_way_ = false;
    changed_.notify_all();
  }
}

}  // namespace convoscope
