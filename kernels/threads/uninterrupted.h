#pragma once
// INT, TERM and HUP are for the thread that looks at them. Libraries and drivers that are interrupted while they start,
// or whose own threads are, have crashed.
#include <signal.h>

namespace convoscope {

// While it lives, this thread does not get these signals: they wait, or another thread gets them. What it starts
// meanwhile never does.
class Uninterrupted {
 public:
  Uninterrupted() {
    sigset_t asynchronous;
    sigemptyset(&asynchronous);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&asynchronous, number);
    pthread_sigmask(SIG_BLOCK, &asynchronous, &before_);
  }
  ~Uninterrupted() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;

 private:
  sigset_t before_;
};

}  // namespace convoscope
