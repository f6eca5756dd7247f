#include "tests/gl/xvfb.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace convoscope {

Xvfb::Xvfb(int width, int height) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const std::string descriptor = std::to_string(ends[1]);
  const std::string screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
  process_ = fork();
  if (process_ == 0) {
    close(ends[0]);
    const int quiet = open("/dev/null", O_WRONLY);
    dup2(quiet, STDERR_FILENO);
    // It finds a free number itself and writes it when it is ready.
    execlp("Xvfb", "Xvfb", "-displayfd", descriptor.c_str(), "-screen", "0", screen.c_str(), "-noreset", "-nolisten",
           "tcp", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::string number;
  for (char c = 0; c != '\n';) {
    pollfd ready{ends[0], POLLIN, 0};
    if (poll(&ready, 1, 30'000) != 1 || read(ends[0], &c, 1) != 1) break;
    if (c != '\n') number += c;
  }
  close(ends[0]);
  if (number.empty()) throw std::runtime_error("Xvfb did not start: is the package xvfb installed?");
  display_ = ":" + number;
  setenv("DISPLAY", display_.c_str(), 1);
  unsetenv("WAYLAND_DISPLAY");
}

Xvfb::~Xvfb() {
  unsetenv("DISPLAY");
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot start: " + command);
  std::string output;
  char block[65536];
  for (std::size_t got; (got = fread(block, 1, sizeof block, pipe)) > 0;) output.append(block, got);
  if (const int status = pclose(pipe); status != 0)
    throw std::runtime_error(command + " ended with " + std::to_string(status));
  return output;
}

}  // namespace convoscope
