#include "app/media/play/stuck_threads.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace convoscope {
namespace {

std::atomic<StuckThreads*> keeper = nullptr;

}  // namespace

StuckThreads::StuckThreads() { keeper = this; }

StuckThreads::~StuckThreads() {
  keeper = nullptr;
  for (Stuck& each : threads_) each.thread.join();
}

void StuckThreads::add(std::thread thread, std::shared_ptr<const std::atomic<bool>> finished) {
  StuckThreads* const kept_by = keeper;
  if (!kept_by) return thread.join();
  const std::lock_guard lock(kept_by->mutex_);
  kept_by->join_finished();
  kept_by->threads_.push_back({std::move(thread), std::move(finished)});
}

void StuckThreads::join_finished() {
  std::erase_if(threads_, [](Stuck& each) {
    if (!*each.finished) return false;
    each.thread.join();
    return true;
  });
}

bool StuckThreads::are_back_within(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      join_finished();
      if (threads_.empty()) return true;
    }
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

int StuckThreads::leave(int exit_code) {
  if (are_back_within(std::chrono::milliseconds(300))) return exit_code;
  std::fflush(nullptr);
  std::_Exit(exit_code);
}

}  // namespace convoscope
