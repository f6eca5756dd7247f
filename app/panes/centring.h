#pragma once
// Where a file is made of pictures that each are the middle of several frames: the k-th is to be of the k-th frame,
// from the first to the last, although what follows a frame has to come before its picture can be made.
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "kernels/convert/video_frame.h"

namespace convoscope {

class Centring {
 public:
  // `reach`: how many frames lie on either side of the middle. `from`: seconds; what is before is not seen.
  explicit Centring(int reach = 0, std::optional<double> from = {})
      : reach_(static_cast<std::size_t>(reach)), from_(from) {}

  // Goes in. Its picture is of the time that it says now; it leads while there is no such picture yet.
  VideoFrame take_frame(VideoFrame frame) {
    waiting_.push_back(frame.seconds);
    if (reach_ > 0) last_ = frame;
    return named(std::move(frame));
  }
  // After the last one: once more the last one, which stands in for those after it, for each that is still to be seen.
  std::optional<VideoFrame> take_border() {
    if (waiting_.empty()) return {};
    std::optional<VideoFrame> frame = last_;
    ++last_.number;
    frame->number = last_.number;
    ++at_border_;
    return named(std::move(*frame));
  }
  bool has_more() const { return !waiting_.empty(); }

 private:
  VideoFrame named(VideoFrame frame) {
    frame.leads = true;
    if (waiting_.size() + at_border_ <= reach_) return frame;
    frame.seconds = waiting_.front();
    frame.leads = from_ && frame.seconds < *from_ - 1e-6;
    waiting_.pop_front();
    return frame;
  }

  std::size_t reach_;
  std::optional<double> from_;
  std::deque<double> waiting_;  // seconds of those that have not been in the middle yet
  VideoFrame last_;
  std::size_t at_border_ = 0;
};

}  // namespace convoscope
