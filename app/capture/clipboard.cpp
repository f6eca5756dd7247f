#include "app/capture/clipboard.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "app/media/write/png.h"
#include "kernels/text/error.h"

extern char** environ;

namespace convoscope {
namespace {

constexpr auto asking_patience = std::chrono::seconds(5);

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

struct Helper {
  const char* package;
  std::vector<const char*> command;
};

Helper helper() {
  if (set("WAYLAND_DISPLAY")) return {"wl-clipboard", {"wl-copy", "--type", "image/png", nullptr}};
  if (set("DISPLAY")) return {"xclip", {"xclip", "-selection", "clipboard", "-t", "image/png", nullptr}};
  throw Error("There is no clipboard without a display. Save a screenshot instead.");
}

// A file that is gone when this is, whatever happens.
class TemporaryFile {
 public:
  TemporaryFile() {
    const int file = mkstemps(path_, 4);
    if (file < 0) throw Error("The picture cannot be copied: there is no room for it in /tmp.");
    ::close(file);
  }
  ~TemporaryFile() { ::unlink(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const char* path() const { return path_; }

 private:
  char path_[40] = "/tmp/convoscope-copy-XXXXXX.png";
};

// The helper's exit status; 127 when it is not installed, −1 when it does not end.
int run(const Helper& helper, const char* input) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input, O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t plain;  // it stays for as long as it has the clipboard, and ends when it is told to
  posix_spawnattr_init(&plain);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&plain, &none);
  sigset_t broken_pipe;  // which this program ignores
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&plain, &broken_pipe);
  posix_spawnattr_setflags(&plain, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, helper.command[0], &files, &plain, const_cast<char* const*>(helper.command.data()), environ);
  posix_spawnattr_destroy(&plain);
  posix_spawn_file_actions_destroy(&files);
  if (failed) return 127;
  const auto end = std::chrono::steady_clock::now() + asking_patience;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void copy_to_clipboard(const Image& rgba) {
  const Helper with = helper();
  const TemporaryFile file;
  write_png(file.path(), rgba, {{"Software", "Convoscope"}});
  const int status = run(with, file.path());
  if (status == 0) return;
  const std::string name = with.command[0];
  if (status == 127)
    throw Error("The picture cannot be copied: " + name + " is not installed. Install it (sudo apt install " +
                with.package + "), or save a screenshot.");
  throw Error("The picture cannot be copied: " + name + (status < 0 ? " does not answer." : " failed.") +
              " Save a screenshot instead.");
}

}  // namespace convoscope
