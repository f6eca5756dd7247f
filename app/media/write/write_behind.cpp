#include "app/media/write/write_behind.h"

#include <cerrno>
#include <utility>

#include "kernels/files/descriptor.h"

namespace convoscope {

WriteBehind::WriteBehind(int file, std::size_t bytes, std::function<bool()> stopped)
    : file_(file), stopped_(std::move(stopped)) {
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
    const bool written =
        write_all_until(file_, {reinterpret_cast<const char*>(buffer.data()), buffer.size()}, stopped_);
    const int problem = written ? 0 : errno;
    lock.lock();
    problem_ = problem;
    on_its_way_ = false;
    changed_.notify_all();
  }
}

}  // namespace convoscope
