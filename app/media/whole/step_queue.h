#pragma once
// What one thread hands on to the next, in order, and how long either has waited for the other.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace convoscope {

// One thread pushes, one pops; end(), abort() and the waits from any.
template <class Item>
class StepQueue {
 public:
  explicit StepQueue(std::size_t most) : most_(most) {}

  // Waits while it is full; `meanwhile`, if there is one, is called a few times a second of that. False: nobody takes
  // anything any more, and the item is dropped.
  bool push(Item item, const std::function<void()>& meanwhile = {}) {
    std::unique_lock lock(mutex_);
    const auto has_room = [this] { return aborted_ || items_.size() < most_; };
    const Clock::time_point start = Clock::now();
    while (!changed_.wait_for(lock, between_calls, has_room)) {
      if (!meanwhile) continue;
      lock.unlock();
      meanwhile();
      lock.lock();
    }
    held_up_ += Clock::now() - start;
    if (aborted_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  // Waits for the next one. Empty: there is none any more.
  std::optional<Item> pop() {
    std::unique_lock lock(mutex_);
    const Clock::time_point start = Clock::now();
    changed_.wait(lock, [this] { return aborted_ || ended_ || !items_.empty(); });
    if (aborted_ || items_.empty()) return {};
    starved_ += Clock::now() - start;  // not of the end, which is no item
    Item first = std::move(items_.front());
    items_.pop_front();
    changed_.notify_all();
    return first;
  }

  void end() {  // what is in it is the last
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  void abort() {  // what is in it is dropped
    std::deque<Item> dropped;
    const std::lock_guard lock(mutex_);
    aborted_ = true;
    dropped.swap(items_);
    changed_.notify_all();
  }

  double held_up() const { return seconds(held_up_); }  // the one that pushes
  double starved() const { return seconds(starved_); }  // the one that pops

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds between_calls{100};

  double seconds(const Clock::duration& waited) const {
    const std::lock_guard lock(mutex_);
    return std::chrono::duration<double>(waited).count();
  }

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  Clock::duration held_up_{}, starved_{};
  bool ended_ = false, aborted_ = false;
};

}  // namespace convoscope
