#include "app/jobs/own_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr std::size_t most_said = 4 << 20;

Error why_not_started(int problem) {
  return Error(std::string("A process of the program cannot be started: ") + std::strerror(problem) + ".");
}

void close_if_open(int& end) {
  if (end >= 0) ::close(end);
  end = -1;
}

// False at the end of the stream.
bool read_what_is_there(int& from, std::string& into) {
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t count = from >= 0 ? ::read(from, bytes.data(), bytes.size()) : 0;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) {
      close_if_open(from);
      return false;
    }
    if (into.size() < most_said) into.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

void OwnProcess::start(const std::vector<std::string>& arguments, const std::string& program) {
  std::array<int, 2> output{-1, -1}, words{-1, -1};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) throw why_not_started(errno);
  if (::pipe2(words.data(), O_CLOEXEC) != 0) {
    const int problem = errno;
    for (int& end : output) close_if_open(end);
    throw why_not_started(problem);
  }
  std::vector<std::string> texts{"convoscope"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, words[1], STDERR_FILENO);
  const int status = posix_spawn(&process_, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close_if_open(output[1]);
  close_if_open(words[1]);
  output_ = output[0];
  words_ = words[0];
  result_ = {};
  if (status != 0) {
    process_ = -1;
    close_pipes();
    throw why_not_started(status);
  }
  for (const int end : {output_, words_}) ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
}

std::optional<OwnProcess::Result> OwnProcess::poll() {
  if (!running()) return std::nullopt;
  const bool says = read_what_is_there(output_, result_.output), warns = read_what_is_there(words_, result_.words);
  if (says || warns) return std::nullopt;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = -1;
  result_.left = WIFEXITED(status);
  result_.exit_code = result_.left ? WEXITSTATUS(status) : 0;
  return std::exchange(result_, {});
}

void OwnProcess::cancel() {
  if (running()) {
    ::kill(process_, SIGKILL);  // it keeps nothing that would have to be put away
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }
  close_pipes();
}

void OwnProcess::close_pipes() {
  close_if_open(output_);
  close_if_open(words_);
}

}  // namespace convoscope
