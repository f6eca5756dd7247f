#include "kernels/emulator/scheduler.h"

#include <cstdlib>
#include <exception>
#include <new>
#include <numeric>

#include "kernels/emulator/fiber.h"
#include "kernels/emulator/mbarrier.h"
#include "kernels/text/error.h"
#include "kernels/threads/stop.h"

namespace convoscope::emulated {

constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{};
constinit thread_local dim3 gridDim{};

namespace {

struct Aborted {};  // unwinds the other threads of a block in which one has failed
struct Stopped {};  // nobody wants the grid any more

std::atomic<std::uint64_t>& seed_value() {
  static std::atomic<std::uint64_t> value = [] {
    const char* text = std::getenv("CONVOSCOPE_EMULATOR_SEED");
    return text && *text ? std::strtoull(text, nullptr, 10) : 1ull;
  }();
  return value;
}

// splitmix64: a generator for shuffling needs no more.
class Random {
 public:
  explicit Random(std::uint64_t state) : state_(state) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  void shuffle(std::span<int> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[((next() >> 32) * i) >> 32]);
  }

 private:
  std::uint64_t state_;
};

std::string location(const std::source_location& where) {
  const std::string file = where.file_name();
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(where.line());
}

std::string triple(unsigned x, unsigned y, unsigned z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

struct Thread {
  Fiber* fiber = nullptr;  // while suspended
  bool finished = false;
  const char* waits_for = nullptr;
  std::source_location where;
  std::vector<AsyncCopy> copies;    // issued and not yet waited for, oldest first
  std::vector<std::size_t> groups;  // how many copies each committed group has, oldest first
  std::size_t uncommitted = 0;
};

struct FreeAligned {
  void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{128}); }
};

class Grid;
thread_local Grid* running = nullptr;

bool same(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && (a.file_name() == b.file_name() || std::string_view(a.file_name()) == b.file_name());
}

class Grid {
 public:
  Grid(dim3 block, std::size_t shared_bytes, const std::function<void()>& kernel)
      : kernel_(kernel),
        threads_(block.count()),
        warps_((block.count() + 31) / 32),
        shared_(new (std::align_val_t{128}) std::byte[shared_bytes]),
        shared_bytes_(shared_bytes) {}

  void run_block(std::uint64_t linear_block) {
    std::memset(shared_.get(), 0xFF, shared_bytes_);
    for (Thread& thread : threads_) thread = Thread{};
    for (auto& warp : warps_) warp.clear();
    order_.resize(threads_.size());
    std::iota(order_.begin(), order_.end(), 0);
    random_ = Random(seed() * 0x100000001b3ull + linear_block);
    if (seed() != 0) random_.shuffle(order_);
    started_ = 0;
    at_barrier_ = 0;
    finished_ = 0;
    ready_.clear();
    forget_mbarriers();
    while (!failure_ && step()) {
    }
    if (failure_) {
      unwind();
      std::rethrow_exception(failure_);
    }
  }

  int current = 0;
  std::span<std::byte> shared() const { return {shared_.get(), shared_bytes_}; }
  Thread& thread() { return threads_[current]; }
  std::vector<std::unique_ptr<WarpMeeting>>& warp() { return warps_[current / 32]; }
  // Meetings are many and short, so those that are over are used again.
  std::unique_ptr<WarpMeeting> new_meeting() {
    if (spare_.empty()) return std::make_unique<WarpMeeting>();
    std::unique_ptr<WarpMeeting> meeting = std::move(spare_.back());
    spare_.pop_back();
    meeting->arrived = meeting->left = 0;
    meeting->complete = meeting->is_made = false;
    return meeting;
  }
  void end(const WarpMeeting* meeting) {
    const auto over = std::ranges::find(warp(), meeting, &std::unique_ptr<WarpMeeting>::get);
    spare_.push_back(std::move(*over));
    warp().erase(over);
  }
  std::size_t thread_count() const { return threads_.size(); }

  // Leaves the running thread until the scheduler makes it ready.
  void wait(const char* waits_for, std::source_location where) {
    const int me = current;
    Thread& thread = threads_[me];
    thread.waits_for = waits_for;
    thread.where = where;
    thread.fiber = active_;
    if (Observer* const seen_by = observer()) seen_by->paused();
    active_->suspend();
    if (failure_) throw Aborted{};
    threads_[me].waits_for = nullptr;
  }

  void barrier(std::source_location where) {
    if (at_barrier_++ > 0 && !same(where, barrier_))
      fail("waits at __syncthreads() in " + location(where) + " while other threads of the block wait at the one in " +
           location(barrier_) + ": the barrier is in divergent code");
    barrier_ = where;
    if (finished_ > 0) fail_missing(where);
    wait("__syncthreads()", where);
  }

  void make_ready(int thread) { ready_.push_back(thread); }

 private:
  // One resumption of one fiber; false when the block is done.
  bool step() {
    if (has_to_stop()) return false;
    const bool unstarted = started_ < threads_.size();
    if (!ready_.empty() && (!unstarted || (random_.next() & 1))) {
      if (seed() != 0) std::swap(ready_.back(), ready_[random_.next() % ready_.size()]);
      const int next = ready_.back();
      ready_.pop_back();
      enter(next, std::exchange(threads_[next].fiber, nullptr));
      return true;
    }
    if (unstarted) {
      enter(order_[started_], idle_fiber());
      return true;
    }
    if (at_barrier_ == threads_.size()) {
      at_barrier_ = 0;
      ready_.resize(threads_.size());
      std::iota(ready_.rbegin(), ready_.rend(), 0);
      return true;
    }
    return !check_all_finished();
  }

  // A fresh fiber runs threads one after another for as long as none of them waits.
  void start_threads() {
    while (started_ < threads_.size() && !failure_ && !has_to_stop()) {
      set_current(order_[started_++]);
      run_thread(kernel_);
    }
  }

  bool has_to_stop() {
    if (!stop_requested()) return false;
    if (!failure_) failure_ = std::make_exception_ptr(Stopped{});
    return true;
  }

  void run_thread(const std::function<void()>& body) {
    const int me = current;
    try {
      body();
      if (!threads_[me].copies.empty())
        fail("returned with " + std::to_string(threads_[me].copies.size()) +
             " asynchronous copies that it never waited for");
    } catch (const Aborted&) {
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
    if (Observer* const seen_by = observer()) seen_by->paused();
    threads_[me].finished = true;
    ++finished_;
  }

  void enter(int thread, Fiber* fiber) {
    set_current(thread);
    active_ = fiber;
    fiber->resume();
    // A fiber that no thread waits in has come to its end and can be used again.
    if (threads_[current].fiber != fiber) pool().idle.push_back(fiber);
  }

  void set_current(int thread) {
    current = thread;
    const unsigned linear = static_cast<unsigned>(thread);
    threadIdx = {linear % blockDim.x, linear / blockDim.x % blockDim.y, linear / blockDim.x / blockDim.y};
  }

  bool check_all_finished() {
    if (finished_ == threads_.size()) return true;
    const auto stuck = std::find_if(threads_.begin(), threads_.end(), [](const Thread& t) { return t.waits_for; });
    set_current(static_cast<int>(stuck - threads_.begin()));
    try {
      if (stuck->waits_for == std::string_view("__syncthreads()")) fail_missing(stuck->where);
      fail("waits at " + std::string(stuck->waits_for) + " in " + location(stuck->where) + " for threads of its " +
           (stuck->waits_for == std::string_view("an mbarrier") ? "block" : "warp") + " that never come");
    } catch (...) {
      failure_ = std::current_exception();
    }
    return false;
  }

  [[noreturn]] void fail_missing(const std::source_location& where) {
    fail("waits at __syncthreads() in " + location(where) + ", which " + std::to_string(finished_) +
         " threads of the block have returned without reaching: every thread of a block must reach every barrier");
  }

  void unwind() {
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (Fiber* fiber = std::exchange(threads_[i].fiber, nullptr)) enter(static_cast<int>(i), fiber);
  }

  // Fibers outlive launches: making a stack costs more than a small block's work.
  struct Pool {
    std::vector<std::unique_ptr<Fiber>> all;
    std::vector<Fiber*> idle;
  };
  static Pool& pool() {
    thread_local Pool instance;
    return instance;
  }
  static Fiber* idle_fiber() {
    auto& [all, idle] = pool();
    if (idle.empty()) {
      all.push_back(std::make_unique<Fiber>([] { running->start_threads(); }));
      return all.back().get();
    }
    Fiber* fiber = idle.back();
    idle.pop_back();
    return fiber;
  }

  const std::function<void()>& kernel_;
  std::vector<Thread> threads_;
  std::vector<std::vector<std::unique_ptr<WarpMeeting>>> warps_;
  std::vector<std::unique_ptr<WarpMeeting>> spare_;
  std::unique_ptr<std::byte[], FreeAligned> shared_;
  std::size_t shared_bytes_;
  Random random_{0};
  std::vector<int> order_, ready_;
  std::size_t started_ = 0, at_barrier_ = 0, finished_ = 0;
  std::source_location barrier_;
  Fiber* active_ = nullptr;
  std::exception_ptr failure_;
};

}  // namespace

void set_seed(std::uint64_t value) { seed_value() = value; }
std::uint64_t seed() { return seed_value().load(std::memory_order_relaxed); }

void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& kernel) {
  if (running) throw Error("an emulated kernel cannot launch another one");
  const std::size_t blocks = grid.count(), threads = block.count();
  if (blocks == 0 || grid.y > 65535 || grid.z > 65535)
    throw Error("a launch of " + triple(grid.x, grid.y, grid.z) + " blocks is not possible");
  if (threads == 0 || threads > 1024 || block.z > 64)
    throw Error("a launch with " + triple(block.x, block.y, block.z) +
                " threads a block is not possible: the most is 1024");
  Grid runner(block, shared_bytes, kernel);
  struct Scope {
    explicit Scope(Grid* g) { running = g; }
    ~Scope() { running = nullptr; }
  } scope(&runner);
  gridDim = grid;
  blockDim = block;
  if (Observer* const seen_by = observer()) seen_by->launched();
  std::vector<int> order(blocks);
  std::iota(order.begin(), order.end(), 0);
  if (seed() != 0) Random(seed()).shuffle(order);
  for (const int linear : order) {
    const unsigned b = static_cast<unsigned>(linear);
    blockIdx = {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
    try {
      runner.run_block(b);
    } catch (const Stopped&) {
      return;
    }
  }
}

void __syncthreads(std::source_location where) {
  if (running->thread_count() > 1) running->barrier(where);
}

std::string current_thread() {
  return "block " + triple(blockIdx.x, blockIdx.y, blockIdx.z) + ", thread " +
         triple(threadIdx.x, threadIdx.y, threadIdx.z);
}

void fail(const std::string& what) { throw Error("emulated kernel, " + current_thread() + ": " + what); }

std::span<std::byte> block_shared_memory() { return running->shared(); }

int current_lane() { return running->current % 32; }

int current_thread_index() { return running->current; }
void wait_until_ready(const char* waits_for, std::source_location where) { running->wait(waits_for, where); }
void make_thread_ready(int thread) { running->make_ready(thread); }

WarpMeeting& WarpMeeting::join(unsigned mask, const void* value, std::size_t bytes, std::source_location where) {
  if (bytes > value_bytes) fail("brings " + std::to_string(bytes) + " bytes to a warp operation; the most is 64");
  const int lane = current_lane(), first = running->current - lane;
  const std::size_t in_warp = std::min<std::size_t>(32, running->thread_count() - static_cast<std::size_t>(first));
  const unsigned present = in_warp == 32 ? 0xffffffffu : (1u << in_warp) - 1;
  if (!(mask >> lane & 1))
    fail("takes part in a warp operation in " + location(where) + " whose mask does not name it");
  auto& meetings = running->warp();
  auto found = std::find_if(meetings.begin(), meetings.end(),
                            [&](const auto& m) { return !m->complete && m->members == (mask & present); });
  if (found == meetings.end()) {
    meetings.push_back(running->new_meeting());
    found = meetings.end() - 1;
    (*found)->members = mask & present;
    (*found)->where = where;
  }
  WarpMeeting& meeting = **found;
  if (!same(meeting.where, where))
    fail("waits at a warp operation in " + location(where) + " while other threads of its warp wait at the one in " +
         location(meeting.where));
  if (bytes) std::memcpy(meeting.values[lane], value, bytes);
  meeting.arrived |= 1u << lane;
  if (meeting.arrived == meeting.members) {
    meeting.complete = true;
    for (int other = 0; other < 32; ++other)
      if ((meeting.members >> other & 1) && other != lane) running->make_ready(first + other);
  } else {
    running->wait("a warp operation", where);
  }
  return meeting;
}

void WarpMeeting::leave() {
  left |= 1u << current_lane();
  if (left == members) running->end(this);
}

void __syncwarp(unsigned mask, std::source_location where) { WarpMeeting::join(mask, nullptr, 0, where).leave(); }

void issue_async_copy(const AsyncCopy& copy) {
  running->thread().copies.push_back(copy);
  ++running->thread().uncommitted;
}

void commit_async_copies() {
  Thread& thread = running->thread();
  thread.groups.push_back(std::exchange(thread.uncommitted, 0));
}

void wait_async_copies(int groups_left_pending) {
  Thread& thread = running->thread();
  while (thread.groups.size() > static_cast<std::size_t>(groups_left_pending)) {
    const auto end = thread.copies.begin() + static_cast<std::ptrdiff_t>(thread.groups.front());
    for (auto copy = thread.copies.begin(); copy != end; ++copy)
      std::memcpy(copy->destination, copy->data, copy->bytes);
    thread.copies.erase(thread.copies.begin(), end);
    thread.groups.erase(thread.groups.begin());
  }
}

}  // namespace convoscope::emulated
