#pragma once
// The program itself as a process of its own, for what the window must not wait for or be broken by.
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace convoscope {

// From the thread that made it; nothing waits but the destructor, which ends one that still runs.
class OwnProcess {
 public:
  struct Result {
    bool left = false;  // with an exit code; else a signal has ended it
    int exit_code = 0;
    std::string output, words;  // of standard output and standard error, 4 MiB of each at most
  };

  OwnProcess() = default;
  ~OwnProcess() { cancel(); }
  OwnProcess(const OwnProcess&) = delete;
  OwnProcess& operator=(const OwnProcess&) = delete;

  // Only while none runs. Throws Error where it cannot be started.
  void start(const std::vector<std::string>& arguments, const std::string& program = "/proc/self/exe");
  bool running() const { return process_ > 0; }
  std::optional<Result> poll();  // once it has ended
  void cancel();

 private:
  void close_pipes();

  pid_t process_ = -1;
  int output_ = -1, words_ = -1;
  Result result_;
};

}  // namespace convoscope
