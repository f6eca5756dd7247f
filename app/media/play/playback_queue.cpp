#include "app/media/play/playback_queue.h"

#include <algorithm>
#include <cstdio>

#include "app/files/log.h"

namespace convoscope {

bool PlaybackQueue::holds_wrapped() const {
  return std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.wrapped; });
}

double PlaybackQueue::due_after(double due, const Item& current, const Item& next, double speed) const {
  constexpr double usual = 1.0 / 25, longest = 10;
  const double gap = next.frame.seconds - current.frame.seconds;
  // Times that jump say nothing about how long the frame before is to stay.
  const bool jump = next.wrapped || gap <= 0 || gap > longest;
  return due + (jump ? (current.duration > 0 ? current.duration : usual) : gap) / std::clamp(speed, 0.1, 4.0);
}

void PlaybackQueue::become_current(double due) {
  due_ = due;
  current_ = Item{{}, items_.front().duration, items_.front().wrapped, items_.front().on_arrival};
  current_->frame.seconds = items_.front().frame.seconds;
  current_->frame.number = items_.front().frame.number;
}

VideoFrame PlaybackQueue::take_first(double now) {
  become_current(now);
  VideoFrame frame = std::move(items_.front().frame);
  items_.pop_front();
  return frame;
}

std::optional<double> PlaybackQueue::overtaken_at(double speed) const {
  if (items_.size() < 2 || !current_) return {};
  if (items_[1].on_arrival) return due_;
  const double first = items_[0].on_arrival ? due_ : due_after(due_, *current_, items_[0], speed);
  return due_after(first, items_[0], items_[1], speed);
}

std::int64_t PlaybackQueue::drop_late(double now, double speed) {
  std::int64_t count = 0;
  // Going back to a loop's start takes its time: the frame before stays meanwhile, and none after it is late.
  for (std::optional<double> when;
       !items_.empty() && !items_[0].wrapped && (when = overtaken_at(speed)) && *when <= now; ++count) {
    become_current(items_[0].on_arrival ? now : due_after(due_, *current_, items_[0], speed));
    if (log::says(log::Level::debug)) {
      char text[160];
      std::snprintf(text, sizeof(text),
                    "Frame %lld of the source is dropped: it fell due %.1f ms ago, the next %.1f ms ago",
                    static_cast<long long>(items_[0].frame.number), (now - due_) * 1e3, (now - *when) * 1e3);
      log::debug(text);
    }
    items_.pop_front();
  }
  dropped_ += count;
  return count;
}

std::optional<VideoFrame> PlaybackQueue::take_due(double now, double speed) {
  if (items_.empty()) return {};
  if (!current_) return take_first(now);
  drop_late(now, speed);
  const Item& next = items_.front();
  const double due = next.on_arrival ? now : due_after(due_, *current_, next, speed);
  constexpr double early = 0.0005;  // waiting for the next call would be a longer error
  if (due > now + early) return {};
  // The decoder cannot keep up, or the source was held up: go on from here, slower, instead of dropping all that comes.
  const bool behind = items_.size() == 1 && now - due > std::max(0.1, 2 * next.duration);
  return take_first(behind || next.wrapped ? now : due);
}

}  // namespace convoscope
