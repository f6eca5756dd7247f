#pragma once
// A program that is run and waited for, like a compiler.
#include <chrono>
#include <string>
#include <vector>

namespace convoscope::own {

struct Ran {
  int exit_code = -1;  // 128 + n: ended by signal n; -1: it could not be started, or took too long
  std::string output;  // of standard output and standard error, up to a megabyte
  bool timed_out = false;
};

// In `folder`, in English, with 4 GiB of address space at most. Returns when it has ended; it is killed when the time
// is over, or when this thread is asked to stop (kernels/threads/stop.h).
Ran run_program(const std::vector<std::string>& command, const std::string& folder, std::chrono::milliseconds patience);

// Where a program of this name is, by PATH; empty: nowhere.
std::string find_program(const std::string& name);

// A folder of its own below the system's temporary one, which goes with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();  // throws Error
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  void write(const std::string& name, std::string_view text) const;  // throws Error

 private:
  std::string path_;
};

}  // namespace convoscope::own
