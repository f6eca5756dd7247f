#include "kernels/threads/thread_pool.h"

#include <sched.h>

#include <algorithm>

#include "kernels/threads/background.h"

namespace convoscope {
namespace {

constinit thread_local bool beside = false;

}  // namespace

CoresBeside::CoresBeside() { beside = true; }

CoresBeside::~CoresBeside() { beside = false; }

ThreadPool::ThreadPool(int threads) {
  for (int worker = 1; worker < threads; ++worker)
    threads_.emplace_back([this, worker](const std::stop_token& stop) { serve(worker, stop); });
}

ThreadPool::~ThreadPool() {
  for (std::jthread& thread : threads_) thread.request_stop();  // all of them, before the first is waited for
}

void ThreadPool::run(int count, int workers, Task task, void* context) {
  const Job job{count, task, context, stopping::at_hand ? *stopping::at_hand : stopping::Wish()};
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

void ThreadPool::work(const Job& job, int worker) {
  const StopScope scope(job.wish);
  for (int i = next_.fetch_add(1, std::memory_order_relaxed); i < job.count && !stop_requested();
       i = next_.fetch_add(1, std::memory_order_relaxed))
    job.task(job.context, i, worker);
}

void ThreadPool::serve(int worker, const std::stop_token& stop) {
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

int core_count() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(CPU_COUNT(&allowed), 1);
  return std::max<int>(std::thread::hardware_concurrency(), 1);
}

void parallel_for(int count, int workers, ThreadPool::Task task, void* context) {
  Background* const background = workers > 1 && count > 1 ? Background::current() : nullptr;
  if (background) return (beside ? background->cores_beside() : background->cores()).run(count, workers, task, context);
  for (int i = 0; i < count && !stop_requested(); ++i) task(context, i, 0);
}

}  // namespace convoscope
