#include "kernels/compute/processor_use.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

namespace convoscope {
namespace {

// The scheduler's own account of a thread: nanoseconds that it ran, nanoseconds that it waited for a core, and how
// often it ran (Linux, Documentation/scheduler/sched-stats). Where the kernel keeps none, there is no such file.
class ScheduleFile {
 public:
  ScheduleFile() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}
  ~ScheduleFile() {
    if (file_ >= 0) ::close(file_);
  }
  ScheduleFile(const ScheduleFile&) = delete;
  ScheduleFile& operator=(const ScheduleFile&) = delete;

  double waited_ms() const {
    char text[96];
    const ssize_t length = file_ < 0 ? 0 : ::pread(file_, text, sizeof text - 1, 0);
    if (length <= 0) return 0;
    text[length] = '\0';
    long long ran = 0, waited = 0;
    return std::sscanf(text, "%lld %lld", &ran, &waited) == 2 ? static_cast<double>(waited) * 1e-6 : 0;
  }

 private:
  const int file_;
};

}  // namespace

ProcessorUse processor_use() {
  thread_local const ScheduleFile schedule;
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return {static_cast<double>(spent.tv_sec) * 1e3 + static_cast<double>(spent.tv_nsec) * 1e-6, schedule.waited_ms()};
}

}  // namespace convoscope
