#include "app/cli/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <new>

#include "kernels/files/descriptor.h"

namespace convoscope {
namespace {

struct OpenOutput {
  std::FILE* file = nullptr;
  const StopSignal* stop = nullptr;  // none any more: nothing is sent
  int problem = 0;
} in_its_place;

ssize_t send_printed(void*, const char* bytes, std::size_t count) {
  const auto stopped = [] { return static_cast<bool>(*in_its_place.stop); };
  if (in_its_place.stop && in_its_place.problem == 0 && !write_all_until(STDOUT_FILENO, {bytes, count}, stopped))
    in_its_place.problem = errno;
  return in_its_place.problem == 0 ? static_cast<ssize_t>(count) : 0;
}

}  // namespace

StandardOutput::StandardOutput(const StopSignal& stop) {
  if (!in_its_place.file) {
    in_its_place.file =
        ::fopencookie(nullptr, "w", {.read = nullptr, .write = send_printed, .seek = nullptr, .close = nullptr});
    if (!in_its_place.file) throw std::bad_alloc();
    std::setvbuf(in_its_place.file, nullptr, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
  }
  in_its_place.stop = &stop;
  in_its_place.problem = 0;
  stdout = in_its_place.file;
}

StandardOutput::~StandardOutput() {
  std::fflush(in_its_place.file);
  in_its_place.stop = nullptr;
  stdout = before_;
}

int StandardOutput::send() {
  std::fflush(in_its_place.file);
  return in_its_place.problem;
}

}  // namespace convoscope
