#include "app/cli/stop_signal.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "kernels/contract/error.h"

namespace convoscope {
namespace {

constexpr std::array handled{SIGINT, SIGTERM, SIGHUP};
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

int checked(int descriptor) {
  if (descriptor >= 0) return descriptor;
  throw Error("The system gives no way to wait for signals: " + std::generic_category().message(errno) + ".");
}

}  // namespace

StopSignal::StopSignal()
    : main_(pthread_self()),
      signals_(wanted()),
      came_in_(checked(signalfd(-1, &signals_, SFD_CLOEXEC))),
      end_(checked(eventfd(0, EFD_CLOEXEC))) {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // without SA_RESTART: a read that waits returns
  sigaction(waking, &action, nullptr);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  watcher_ = std::thread([this] { watch(); });
}

StopSignal::~StopSignal() {
  eventfd_write(end_.get(), 1);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignal::watch() {
  for (;;) {
    std::array<pollfd, 2> asked{{{came_in_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}}};
    if (poll(asked.data(), asked.size(), -1) < 0) continue;
    if (asked[1].revents) return;
    signalfd_siginfo one;
    if (read(came_in_.get(), &one, sizeof one) != sizeof one) continue;
    const int number = static_cast<int>(one.ssi_signo);
    if (came_) _exit(128 + number);
    {
      const std::lock_guard hold(mutex_);
      came_ = number;
      if (other_) *other_ = true;
    }
    pthread_kill(main_, waking);
  }
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

ComputesUntilSignal::ComputesUntilSignal(const StopSignal& stop)
    : scope_(stop_.get_token()), watcher_([this, &stop](const std::stop_token& done) {
        constexpr auto look = std::chrono::milliseconds(30);
        while (!stop && !done.stop_requested()) std::this_thread::sleep_for(look);
        if (stop) stop_.request_stop();
      }) {}

}  // namespace convoscope
