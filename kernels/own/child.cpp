#include "kernels/own/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <map>

#include "kernels/emulator/scheduler.h"
#include "kernels/files/descriptor.h"
#include "kernels/own/cases.h"
#include "kernels/own/confined.h"
#include "kernels/own/message.h"
#include "kernels/own/story.h"
#include "kernels/threads/stop.h"

namespace convoscope::own {
namespace {

constexpr int most_wrong = 10;                // cases, after which nothing new is learnt
constexpr std::size_t most_bytes = 16 << 20;  // that a child tells
constexpr double patience_besides = 30;       // seconds for the reference and for what is between two launches

// For the handler of signals, which may do nothing but write.
int signal_pipe = -1;
const Loaded* signal_loaded = nullptr;
Watch* signal_watch = nullptr;
char* signal_stack = nullptr;

std::uint64_t code_at(const void* context) {
#if defined(__x86_64__)
  const auto at = static_cast<std::uint64_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  const auto at = static_cast<std::uint64_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  const std::uint64_t at = 0;
#endif
  if (signal_loaded && signal_loaded->holds(reinterpret_cast<const void*>(at)))
    return signal_loaded->relative(reinterpret_cast<const void*>(at)) + 1;  // addresses are those behind an instruction
  const void* const last = signal_watch ? signal_watch->last_code() : nullptr;
  return last && signal_loaded ? signal_loaded->relative(last) : 0;
}

void on_signal(int number, siginfo_t*, void* context) {
  SignalMessage message{};
  std::memcpy(message.mark, signal_mark, sizeof message.mark);
  message.number = number;
  message.code = code_at(context);
  if (write(signal_pipe, &message, sizeof message) < 0) _exit(3);
  _exit(2);
}

void catch_signals() {
  constexpr std::size_t stack_bytes = 1 << 16;
  static std::vector<char> stack(stack_bytes);
  signal_stack = stack.data();
  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGALRM, SIGSYS})
    sigaction(number, &action, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void set_timer(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// Cases one after the other, until the kernel has been wrong often enough.
class Examination {
 public:
  Examination(const KernelFile& file, const Loaded& loaded, const GradeOptions& options, int pipe)
      : file_(file), options_(options), pipe_(pipe), bench_(file, loaded) {
    signal_loaded = &loaded;
    signal_watch = &bench_.watch();
  }

  Told run() {
    int wrong = 0;
    for (const Asked& asked : cases_for(file_, options_.seed, options_.secret)) {
      if (wrong >= most_wrong) break;
      emulated::set_seed(asked.seed + 1);  // threads and blocks in another order each time
      const Outcome outcome = one(asked, nullptr);
      if (outcome.state == Outcome::State::not_asked) {
        note_not_asked(outcome.why);
        continue;
      }
      ++told_.asked;
      if (outcome.state == Outcome::State::wrong) note_wrong(asked, outcome, wrong++);
    }
    bench_.watch().judge_kept_state();
    told_.faults = bench_.watch().faults();
    told_.wrong = wrong > 0 || !told_.faults.empty();
    for (const auto& [story, times] : stories_) told_.stories.push_back(story);
    std::ranges::stable_sort(told_.stories, [&](const auto& a, const auto& b) { return stories_[a] > stories_[b]; });
    if (!told_.wrong) count();
    return std::move(told_);
  }

 private:
  Outcome one(const Asked& asked, Tally* tally) {
    const Outcome outcome = bench_.run(
        asked,
        [&] {
          write_all(pipe_, ".");
          set_timer(options_.deadline);
        },
        tally);
    set_timer(0);
    return outcome;
  }

  void note_not_asked(const std::string& why) {
    ++told_.not_asked;
    const auto known = std::ranges::find(told_.why_not_asked, why, &std::pair<std::string, int>::first);
    if (known != told_.why_not_asked.end())
      ++known->second;
    else if (told_.why_not_asked.size() < 12)
      told_.why_not_asked.emplace_back(why, 1);
  }

  void note_wrong(const Asked& asked, const Outcome& outcome, int before) {
    if (before == 0) {
      told_.first_wrong = case_in_words(asked);
      told_.secret_only = asked.secret;
      if (outcome.worst.max_error > outcome.outputs.tolerance) told_.worst = worst_in_words(outcome.worst);
    }
    if (const std::string story = story_of_outputs(file_, asked, outcome); !story.empty()) ++stories_[story];
  }

  void count() {
    const Asked asked = asked_for_counts(file_);
    emulated::set_seed(0);
    if (one(asked, &told_.tally).state != Outcome::State::right) told_.tally = {};
    for (const auto& [code, place] : told_.tally.places)
      told_.code.push_back(signal_loaded->relative(reinterpret_cast<const void*>(code)));
  }

  const KernelFile& file_;
  const GradeOptions& options_;
  const int pipe_;
  Bench bench_;
  Told told_;
  std::map<std::string, int> stories_;
};

[[noreturn]] void be_the_child(const KernelFile& file, const Compiled& compiled, const GradeOptions& options,
                               int pipe) {
  signal_pipe = pipe;
  catch_signals();
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  Told told;
  const std::string not_confined = confine_this_process();
  try {
    const Loaded loaded(compiled.library);
    Examination examination(file, loaded, options, pipe);
    told = examination.run();
    told.not_confined = not_confined;
    told.whole = true;
    write_all(pipe, message_of(told));
    _exit(0);
  } catch (const SourceError& error) {
    told.unusable = error.what();
    told.unusable_at = error.place;
  } catch (const std::exception& error) {
    told.unusable = error.what();
  }
  told.whole = true;
  write_all(pipe, message_of(told));
  _exit(0);
}

const char* name_of_signal(int number) {
  switch (number) {
    case SIGFPE:
      return "divides a whole number by zero";
    case SIGILL:
    case SIGTRAP:
      return "comes to a place that the compiler takes for unreachable";
    case SIGABRT:
      return "ends the process";
    default:
      return "uses an address where nothing is";
  }
}

void take_signal(Told& told, const SignalMessage& message, double deadline) {
  Fault fault{.kind = Fault::Kind::crash, .words = name_of_signal(message.number), .name = {}, .code = message.code};
  if (message.number == SIGALRM) {
    fault.kind = Fault::Kind::deadline;
    fault.words = "does not come to an end: a launch was stopped after " + std::to_string(deadline).substr(0, 4) +
                  " seconds, at this place";
  }
  told.faults.push_back(std::move(fault));
  told.wrong = told.whole = true;
}

std::string listen(int from, pid_t child, double deadline) {
  std::string heard;
  auto last = std::chrono::steady_clock::now();
  const auto patience = std::chrono::duration<double>(deadline + patience_besides);
  for (;;) {
    pollfd ready{from, POLLIN, 0};
    const int count = poll(&ready, 1, 100);
    const auto now = std::chrono::steady_clock::now();
    if (count > 0) {
      char buffer[1 << 16];
      const ssize_t bytes = read(from, buffer, sizeof buffer);
      if (bytes == 0 || (bytes < 0 && errno != EINTR)) break;
      if (bytes > 0) heard.append(buffer, static_cast<std::size_t>(bytes));
      last = now;
    }
    if (stop_requested() || now - last > patience || heard.size() > most_bytes) {
      kill(child, SIGKILL);
      break;
    }
  }
  return heard;
}

}  // namespace

Told run_in_child(const KernelFile& file, const Compiled& compiled, const GradeOptions& options) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("No pipe can be made: ") + std::strerror(errno) + ".");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("No process can be started: ") + std::strerror(errno) + ".");
  if (child == 0) be_the_child(file, compiled, options, to.get());
  to.close();
  const std::string heard = listen(from.get(), child, options.deadline);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  SignalMessage signal{};
  Told told;
  if (const std::size_t at = heard.find(std::string_view(signal_mark, sizeof signal_mark));
      at != std::string::npos && heard.size() - at >= sizeof signal) {
    std::memcpy(&signal, heard.data() + at, sizeof signal);
    take_signal(told, signal, options.deadline);
    told.asked = static_cast<int>(std::ranges::count(heard.substr(0, at), '.'));
    return told;
  }
  if (const std::size_t at = heard.find('{'); at != std::string::npos && read_message(heard.substr(at), told))
    return told;
  // What no launch has to answer for: code of the file that runs by itself.
  const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  told.faults.push_back({.kind = Fault::Kind::crash,
                         .words = killed ? "is stopped outside of a launch: it takes too long there, or too much memory"
                                         : "ends its process without a word",
                         .name = {}});
  told.wrong = true;
  return told;
}

}  // namespace convoscope::own
