#include "app/panes/overtaking.h"

#include <utility>

#include "kernels/threads/stop.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {

bool is_slow(const PaneRunner* pane) {
  return pane->expected_seconds() > std::chrono::duration<double>(slow_pane_patience).count();
}

bool is_quick_beside(const PaneRunner* pane, double seconds) {
  constexpr double many = 4;
  return !is_slow(pane) || many * pane->expected_seconds() < seconds;
}

void Overtaking::begin(std::vector<PaneRunner*> panes, const DeviceImage& in, std::function<void()> before) {
  panes_ = std::move(panes);
  in_ = in;
  finished_ = 0;
  is_prepared_ = false;
  error_.clear();
  pause_.begin();
  worker_.start([this, before = std::move(before)] {
    const Clock::time_point began = Clock::now();
    work(in_.image(), before);
    ended_ = Clock::now();
    took_ = ended_ - began;
    pause_.end();
  });
}

// On the worker's thread.
void Overtaking::work(const Image& in, const std::function<void()>& before) {
  const CoresBeside others;  // those of what stands still do so half way
  try {
    before();
  } catch (const std::exception& error) {
    error_ = error.what();
    return;
  }
  if (stop_requested()) return;
  is_prepared_ = true;
  for (PaneRunner* const pane : panes_) {
    if (!pane->compute(in)) return;
    ++finished_;
  }
}

DeviceImage Overtaking::take_finished_pictures() {
  if (!under_way() || !worker_.idle()) return {};
  for (std::size_t i = 0; i < panes_.size(); ++i) {
    if (i < finished_) panes_[i]->show(in_);
    panes_[i]->settle();
  }
  panes_.clear();
  const DeviceImage in = std::exchange(in_, {});
  return is_prepared_ ? in : DeviceImage();
}

DeviceImage Overtaking::cancel() {
  if (under_way()) worker_.cancel();
  return take_finished_pictures();
}

}  // namespace convoscope
