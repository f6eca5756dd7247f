#include "app/cli/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

namespace convoscope {
namespace {

constexpr std::array handled{SIGINT, SIGTERM, SIGHUP};

// A handler reaches nothing that is not global, and may touch only what has no lock.
std::atomic<int> came{0};
std::atomic<std::atomic<bool>*> other{nullptr};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::atomic<bool>*>::is_always_lock_free);

void on_signal(int number) {
  int none = 0;
  if (!came.compare_exchange_strong(none, number)) _exit(128 + number);
  if (std::atomic<bool>* flag = other) *flag = true;
}

}  // namespace

StopSignal::StopSignal() {
  came = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: a read that waits returns
  for (const int number : handled) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (number == SIGHUP && before.sa_handler == SIG_IGN) continue;  // nohup
    sigaction(number, &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (const int number : handled) signal(number, SIG_DFL);
  other = nullptr;
}

int StopSignal::number() const { return came; }

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
  other = flag;
  if (flag && came) *flag = true;
}

ComputesUntilSignal::ComputesUntilSignal(const StopSignal& stop)
    : scope_(stop_.get_token()), watcher_([this, &stop](const std::stop_token& done) {
        constexpr auto look = std::chrono::milliseconds(30);
        while (!stop && !done.stop_requested()) std::this_thread::sleep_for(look);
        if (stop) stop_.request_stop();
      }) {}

}  // namespace convoscope
