#include "kernels/own/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernels/files/descriptor.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope::own {
namespace {

constexpr std::size_t most_output = 1 << 20;

// Between fork and exec: nothing that may wait for another thread; glibc keeps its heap usable there.
[[noreturn]] void become(char* const* arguments, const char* folder, int output) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setenv("LC_ALL", "C", 1);
  const rlimit memory{4ull << 30, 4ull << 30}, core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &core);
  const int input = open("/dev/null", O_RDONLY);
  if (chdir(folder) == 0 && input >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
      dup2(output, STDERR_FILENO) >= 0)
    execv(arguments[0], arguments);
  _exit(127);
}

// Whether it has come to its end.
bool read_some(int from, std::string& text) {
  char buffer[4096];
  const ssize_t count = read(from, buffer, sizeof buffer);
  if (count > 0 && text.size() < most_output) text.append(buffer, static_cast<std::size_t>(count));
  return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
}

}  // namespace

Ran run_program(const std::vector<std::string>& command, const std::string& folder,
                std::chrono::milliseconds patience) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) become(arguments.data(), folder.c_str(), to.get());
  to.close();

  Ran ran;
  const auto end = std::chrono::steady_clock::now() + patience;
  for (bool over = false; !over;) {
    pollfd ready{from.get(), POLLIN, 0};
    if (poll(&ready, 1, 50) > 0) over = read_some(from.get(), ran.output);
    ran.timed_out = std::chrono::steady_clock::now() > end;
    if (!over && (ran.timed_out || stop_requested())) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);  // it may not have a group yet
      break;
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ran.timed_out) ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* const path = std::getenv("PATH");
  for (const std::string_view folder : split(path ? path : "/usr/bin:/bin", ':')) {
    const std::string candidate = std::string(folder) + "/" + name;
    if (folder.starts_with('/') && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

TemporaryFolder::TemporaryFolder() {
  const char* const base = std::getenv("TMPDIR");
  path_ = std::string(base && *base == '/' ? base : "/tmp") + "/convoscope-kernel-XXXXXX";
  if (!mkdtemp(path_.data()))
    throw Error("There is no folder for temporary files: " + in_quotes(path_) + ", " + std::strerror(errno) +
                ". Set TMPDIR to one that can be written to.");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::write(const std::string& name, std::string_view text) const {
  std::ofstream file(path_ + "/" + name, std::ios::binary);
  file << text;
  if (!file.flush()) throw Error("The folder for temporary files is full: " + in_quotes(path_) + ".");
}

}  // namespace convoscope::own
