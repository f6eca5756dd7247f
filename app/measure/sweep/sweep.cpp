#include "app/measure/sweep/sweep.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>

#include "app/measure/sweep/sweep_file.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr std::string_view measuring_step = ": measuring";

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Error(std::string("The sweep cannot be started: ") + std::strerror(errno) + ".");
    read = ends[0], write = ends[1];
  }
};

void close_end(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

// Hands on every whole line that has come; false at the end of the stream.
bool read_lines(int& from, std::string& half, const std::function<void(const std::string&)>& take) {
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t count = from >= 0 ? read(from, bytes.data(), bytes.size()) : 0;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) {
      close_end(from);
      return false;
    }
    half.append(bytes.data(), static_cast<std::size_t>(count));
    for (std::size_t end; (end = half.find('\n')) != std::string::npos; half.erase(0, end + 1))
      take(half.substr(0, end));
  }
}

}  // namespace

Sweep::~Sweep() {
  if (running()) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close_end(rows_pipe_);
  close_end(progress_pipe_);
}

void Sweep::start(const SweepOrder& order, SweepStats& stats, const std::string& program) {
  if (running()) throw Error("A sweep is running already. Cancel it first.");
  Pipe rows, progress;
  std::vector<char*> arguments;
  std::vector<std::string> texts{"convoscope"};
  texts.insert(texts.end(), order.arguments.begin(), order.arguments.end());
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, rows.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, progress.write, STDERR_FILENO);
  const int status = posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close_end(rows.write);
  close_end(progress.write);
  if (status != 0) {
    process_ = -1;
    close_end(rows.read);
    close_end(progress.read);
    throw Error(std::string("The sweep cannot be started: ") + std::strerror(status) + ".");
  }
  for (const int end : {rows.read, progress.read}) fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK);
  close_end(rows_pipe_);
  close_end(progress_pipe_);
  rows_pipe_ = rows.read;
  progress_pipe_ = progress.read;
  half_row_.clear();
  half_progress_.clear();
  device_.clear();
  last_words_.clear();
  rows_.clear();
  measuring_ = cancelled_ = failed_ = false;
  stats.running = true;
  stats.kind = order.kind;
  stats.done = 0;
  stats.total = order.rows;
  stats.rows.clear();
  stats.device.clear();
  stats.doing = "starting";
  stats.beside_view = false;
}

void Sweep::cancel() {
  if (!running()) return;
  cancelled_ = true;
  kill(process_, SIGKILL);  // it keeps nothing that would have to be put away
}

std::string Sweep::poll(SweepStats& stats) {
  if (!running()) return {};
  const bool rows_open = read_lines(rows_pipe_, half_row_, [&](const std::string& line) { take_line(line, stats); });
  const bool progress_open =
      read_lines(progress_pipe_, half_progress_, [&](const std::string& line) { take_progress(line, stats); });
  stats.measuring = measuring_;
  if (rows_open || progress_open) return {};
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return {};
  process_ = -1;
  return end_of(status, stats);
}

void Sweep::take_line(const std::string& line, SweepStats& stats) {
  const auto row = sweep_row(line);
  if (!row) return;
  if (device_.empty()) {
    device_ = sweep_device(line);
    stats.device = sweep_device_name(line).value_or("");
  }
  measuring_ = false;
  rows_.push_back(line);
  stats.rows.push_back(*row);
  ++stats.done;
}

void Sweep::take_progress(const std::string& line, SweepStats& stats) {
  measuring_ = line.ends_with(measuring_step);
  if (measuring_ || line.ends_with(": computing the reference") || line.find(": checking ") != std::string::npos)
    stats.doing = line;
  else if (!line.empty())
    last_words_ = line;
}

std::string Sweep::end_of(int status, SweepStats& stats) {
  stats.running = stats.measuring = measuring_ = false;
  stats.doing.clear();
  const std::string rows = std::to_string(stats.done) + " of " + std::to_string(stats.total) + " points";
  if (cancelled_ && stats.done < stats.total) return "The sweep was cancelled after " + rows + ".";
  constexpr int failed_check = 1;  // a strategy was wrong: its row says so
  const bool done = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == failed_check);
  if (cancelled_ || done)  // whoever cancels may come after the last point
    return "The sweep has measured " + rows + ".";
  failed_ = true;
  return "The sweep ended early, after " + rows + ": " +
         (!last_words_.empty()  ? last_words_
          : WIFSIGNALED(status) ? "the measuring process was ended by signal " + std::to_string(WTERMSIG(status)) + "."
                                : "the measuring process left with " + std::to_string(WEXITSTATUS(status)) + ".");
}

}  // namespace convoscope
