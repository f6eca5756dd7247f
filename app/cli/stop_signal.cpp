#include "app/cli/stop_signal.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

namespace convoscope {
namespace {

constexpr std::array handled{SIGINT, SIGTERM, SIGHUP};
// Some send theirs twice: timeout(1) to the program and to its group.
constexpr auto together = std::chrono::milliseconds(300);
constexpr int waking = SIGURG;  // which does nothing to a program that does not ask for it

sigset_t wanted() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : handled) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (number == SIGHUP && before.sa_handler == SIG_IGN) continue;  // nohup
    sigaddset(&set, number);
  }
  return set;
}

}  // namespace

StopSignal::StopSignal() : main_(pthread_self()) {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // without SA_RESTART: a read that waits returns
  sigaction(waking, &action, nullptr);
  sigset_t of_the_watcher = wanted();
  sigaddset(&of_the_watcher, waking);
  pthread_sigmask(SIG_BLOCK, &of_the_watcher, &before_);
  try {
    watcher_ = std::thread([this, of_the_watcher] { watch(of_the_watcher); });
  } catch (const std::system_error&) {  // no more threads: a signal then ends the program at once
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    return;
  }
  sigset_t only_waking;
  sigemptyset(&only_waking);
  sigaddset(&only_waking, waking);
  pthread_sigmask(SIG_UNBLOCK, &only_waking, nullptr);
}

StopSignal::~StopSignal() {
  if (!watcher_.joinable()) return;
  ends_ = true;
  pthread_kill(watcher_.native_handle(), waking);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignal::watch(const sigset_t& all) {
  for (;;) {
    const int number = sigwaitinfo(&all, nullptr);
    if (ends_) return;
    if (number <= 0 || number == waking) continue;
    // A terminal that goes away says so once itself and once by its shell, however long that takes on a busy machine:
    // nobody asks to leave at once by that.
    if (came_ && number == SIGHUP) continue;
    if (came_) _exit(128 + number);
    {
      const std::lock_guard hold(mutex_);
      came_ = number;
      if (other_) *other_ = true;
    }
    changed_.notify_all();
    pthread_kill(main_, waking);
    if (!pass_over_those_with_it(all)) return;
  }
}

// Also those that have waited because this thread got to run late. False: the destructor has been called.
bool StopSignal::pass_over_those_with_it(const sigset_t& all) const {
  using namespace std::chrono;
  const auto end = steady_clock::now() + together;
  for (;;) {
    const nanoseconds left = std::max<nanoseconds>(end - steady_clock::now(), 0ns);
    const timespec time{0, static_cast<long>(left.count())};
    const bool none = sigtimedwait(&all, nullptr, &time) < 0 && errno == EAGAIN;
    if (ends_) return false;
    if (none && left == 0ns) return true;
  }
}

void StopSignal::wait(const std::stop_token& done) const {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, done, [this] { return came_ != 0; });
}

int StopSignal::number() const { return came_; }

const char* StopSignal::name() const {
  switch (number()) {
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "SIGINT";
  }
}

void StopSignal::also_set(std::atomic<bool>* flag) {
  const std::lock_guard hold(mutex_);
  other_ = flag;
  if (flag && came_) *flag = true;
}

UntilSignal::UntilSignal(const StopSignal& stop)
    : watcher_([this, &stop](const std::stop_token& done) {
        stop.wait(done);
        if (stop) stop_.request_stop();
      }) {}

}  // namespace convoscope
