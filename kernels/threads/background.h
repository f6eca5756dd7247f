#pragma once
// The threads that kernels/ works on beside its caller's: the cores of the CPU strategies, the compiler of kernels that
// are written for a filter, and the planner that makes what `auto` wants to try.
#include <mutex>
#include <optional>

#include "kernels/threads/thread_pool.h"
#include "kernels/threads/worker.h"

namespace convoscope {

// Owns them. A program makes one before it plans or filters anything, and lets go of every plan before it ends; while
// there is none, all of this is done by the calling thread, which waits. The threads start when they are first needed
// and end, in order, with the object. One at a time.
class Background {
 public:
  Background();
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  static Background* current();  // null while there is none

  ThreadPool& cores();
  ThreadPool& cores_beside();  // see CoresBeside
  Worker& compiler() { return compiler_; }
  Worker& planner() { return planner_; }

 private:
  std::once_flag cores_made_, cores_beside_made_;
  std::optional<ThreadPool> cores_,
      cores_beside_;  // a plan that is being made may use these and the compiler, so they end later
  Worker compiler_, planner_;
};

}  // namespace convoscope
