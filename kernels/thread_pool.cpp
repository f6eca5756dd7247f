#include "kernels/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace convoscope {
namespace {

struct Job {
  int count = 0;
  void (*task)(void*, int, int) = nullptr;
  void* context = nullptr;
};

class Pool {
 public:
  explicit Pool(int threads) {
    for (int worker = 1; worker < threads; ++worker)
      threads_.emplace_back([this, worker](std::stop_token stop) { serve(worker, stop); });
  }
  ~Pool() {
    for (std::jthread& thread : threads_) thread.request_stop();
    wake_.notify_all();
  }

  void run(const Job& job, int workers) {
    const std::lock_guard turn(turn_);
    {
      const std::lock_guard lock(mutex_);
      job_ = job;
      next_ = 0;
      workers_ = std::min(workers, static_cast<int>(threads_.size()) + 1);
      running_ = workers_ - 1;
      ++generation_;
    }
    wake_.notify_all();
    work(job, 0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void work(const Job& job, int worker) {
    for (int i = next_.fetch_add(1, std::memory_order_relaxed); i < job.count;
         i = next_.fetch_add(1, std::memory_order_relaxed))
      job.task(job.context, i, worker);
  }

  void serve(int worker, const std::stop_token& stop) {
    unsigned seen = 0;
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, stop, [&] { return generation_ != seen; });
      if (stop.stop_requested()) return;
      seen = generation_;
      if (worker >= workers_) continue;
      const Job job = job_;
      lock.unlock();
      work(job, worker);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex turn_, mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  std::atomic<int> next_ = 0;
  Job job_;
  int workers_ = 0, running_ = 0;
  unsigned generation_ = 0;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace

int core_count() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(CPU_COUNT(&allowed), 1);
  return std::max<int>(std::thread::hardware_concurrency(), 1);
}

void parallel_for(int count, int workers, void (*task)(void*, int, int), void* context) {
  if (workers <= 1 || count <= 1) {
    for (int i = 0; i < count; ++i) task(context, i, 0);
    return;
  }
  static Pool pool(core_count());
  pool.run({count, task, context}, workers);
}

}  // namespace convoscope
