#pragma once
// Every core, for the CPU strategies: threads that wait between frames, so that a frame starts none and allocates
// nothing.
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "kernels/threads/stop.h"

namespace convoscope {

// Cores that this process may use, at least 1.
int core_count();

class ThreadPool {
 public:
  using Task = void (*)(void* context, int index, int worker);

  explicit ThreadPool(int threads);  // the caller's counts as one of them
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void run(int count, int workers, Task, void* context);  // see parallel_for()

 private:
  struct Job {
    int count = 0;
    Task task = nullptr;
    void* context = nullptr;
    stopping::Wish wish;  // of who asked for it
  };
  void work(const Job&, int worker);
  void serve(int worker, const std::stop_token&);

  std::mutex turn_, mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  std::atomic<int> next_ = 0;
  Job job_;
  int workers_ = 0, running_ = 0;
  unsigned generation_ = 0;
  std::vector<std::jthread> threads_;  // last: they use all of the above, and are joined before it goes
};

// While it lives, parallel_for() takes other threads for this one than for all the rest: those may stand still (see
// Pause) half way through what they do.
class CoresBeside {
 public:
  CoresBeside();
  ~CoresBeside();
  CoresBeside(const CoresBeside&) = delete;
  CoresBeside& operator=(const CoresBeside&) = delete;
};

// Calls task(context, index, worker) for every index of 0 … count-1, each once, on up to `workers` threads of the
// process's Background (see background.h), the calling one among them; returns when all are done. worker: 0 …
// workers-1, one thread at a time each, to pick scratch memory by. Calls from several threads take turns. The task must
// not throw. Where the caller is asked to stop (see stop.h), indices that have not begun are left out, and tasks that
// ask are told.
void parallel_for(int count, int workers, ThreadPool::Task, void* context);

template <class Body>
void parallel_for(int count, int workers, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  parallel_for(
      count, workers, [](void* context, int index, int worker) { (*static_cast<Plain*>(context))(index, worker); },
      const_cast<std::remove_const_t<Plain>*>(&body));
}

}  // namespace convoscope
