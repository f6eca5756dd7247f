#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

constexpr int patience_seconds = 120;  // sanitizers on a busy machine

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void redirect(const std::string& path, int to) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(126);
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments, const std::string& folder,
                    bool may_override_permissions) {
  const std::string out = folder + "/.stdout", err = folder + "/.stderr", config = folder + "/.config",
                    cache = folder + "/.cache";
  std::vector<std::string> words{CONVOSCOPE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) _exit(126);
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    setenv("XDG_CONFIG_HOME", config.c_str(), 1);
    setenv("XDG_STATE_HOME", config.c_str(), 1);
    setenv("XDG_CACHE_HOME", cache.c_str(), 1);
    // Mesa and FFmpeg keep memory until the end; these tests look for crashes.
    setenv("ASAN_OPTIONS", "detect_leaks=0:exitcode=99", 1);
    setenv("UBSAN_OPTIONS", "print_stacktrace=1:exitcode=99", 1);
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    if (!may_override_permissions && geteuid() == 0) {
      constexpr int dac_override = 1, dac_read_search = 2;  // from linux/capability.h
      prctl(PR_CAPBSET_DROP, dac_override);
      prctl(PR_CAPBSET_DROP, dac_read_search);
    }
    execv(argv[0], argv.data());
    _exit(127);
  }

  int status = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(patience_seconds);
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Outcome outcome;
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.out = content(out);
  outcome.err = content(err);
  return outcome;
}

int bash(const std::string& folder, const std::string& line) {
  setenv("CONVOSCOPE", CONVOSCOPE_PROGRAM, 1);
  setenv("ASAN_OPTIONS", "detect_leaks=0:exitcode=99", 1);
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"})
    setenv(name, (folder + "/.state").c_str(), 1);
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) unsetenv(name);
  const int status = std::system(("cd '" + folder + "' && bash -o pipefail -c '" + line + "'").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char part[4096];
  for (std::size_t count; (count = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, count);
  pclose(pipe);
  return text;
}

std::string probe(const std::string& file, const std::string& arguments) {
  return output_of("ffprobe -v error -of csv=p=0 " + arguments + " '" + file + "' 2>/dev/null");
}

std::vector<double> times(const std::string& file) {
  std::vector<double> out;
  std::istringstream lines(probe(file, "-select_streams v:0 -show_entries frame=pts_time"));
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) out.push_back(std::stod(line));
  return out;
}

void shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

}  // namespace convoscope
