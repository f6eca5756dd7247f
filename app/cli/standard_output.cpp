#include "app/cli/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <new>

#include "kernels/files/descriptor.h"

namespace convoscope {

StandardOutput::StandardOutput(const StopSignal& stop) : stop_(stop) {
  own_ = ::fopencookie(this, "w", {.read = nullptr, .write = write, .seek = nullptr, .close = nullptr});
  if (!own_) throw std::bad_alloc();
  std::setvbuf(own_, nullptr, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
  stdout = own_;
}

StandardOutput::~StandardOutput() {
  stdout = before_;
  std::fclose(own_);
}

int StandardOutput::send() {
  std::fflush(own_);
  return problem_;
}

ssize_t StandardOutput::write(void* self, const char* bytes, std::size_t count) {
  auto& its = *static_cast<StandardOutput*>(self);
  const auto stopped = [&] { return static_cast<bool>(its.stop_); };
  if (its.problem_ == 0 && !write_all_until(STDOUT_FILENO, {bytes, count}, stopped)) its.problem_ = errno;
  return its.problem_ == 0 ? static_cast<ssize_t>(count) : 0;
}

}  // namespace convoscope
