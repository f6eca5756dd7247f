#pragma once
// Decoded frames waiting for their time, and the clock that says when it has come. Not locked: its owner does that.
#include <cstdint>
#include <deque>
#include <optional>

#include "kernels/convert/video_frame.h"

namespace convoscope {

class PlaybackQueue {
 public:
  struct Item {
    VideoFrame frame;
    double duration = 0;      // seconds on screen at normal speed; 0: unknown
    bool wrapped = false;     // the first after a loop's seam: follows whatever came before
    bool on_arrival = false;  // of a live source, or after a jump: due as soon as it is here
  };

  explicit PlaybackQueue(std::size_t capacity) : capacity_(capacity) {}
  void set_capacity(std::size_t capacity) { capacity_ = capacity; }
  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool full() const { return items_.size() >= capacity_; }
  bool holds_wrapped() const;
  void push(Item item) { items_.push_back(std::move(item)); }
  void clear() { items_.clear(); }

  // Takes the first frame, due or not, and starts the clock from it. `now` in seconds of a steady clock.
  VideoFrame take_first(double now);
  // Takes the frame that is due, after dropping those that the next one has overtaken.
  std::optional<VideoFrame> take_due(double now, double speed);
  // Drops every frame that the one after it has overtaken; how many.
  std::int64_t drop_late(double now, double speed);
  // When the second frame falls due, so that the first may be dropped; empty with fewer than two.
  std::optional<double> overtaken_at(double speed) const;
  // The frame on screen stays until its whole duration has passed from now: after a pause, or when all was held up.
  void restart_clock(double now) { due_ = now; }
  double due() const { return due_; }  // when the frame taken last fell due
  std::int64_t dropped() const { return dropped_; }

 private:
  double due_after(double due, const Item& current, const Item& next, double speed) const;
  void become_current(double due);

  std::size_t capacity_;
  std::deque<Item> items_;
  std::optional<Item> current_;  // without its pixels
  double due_ = 0;               // when current_ fell due
  std::int64_t dropped_ = 0;
};

}  // namespace convoscope
