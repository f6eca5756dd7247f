#pragma once
// Which frames of a source have come, which one the user asked for, and which is seen.
#include <optional>

#include "app/panes/frame_id.h"

namespace convoscope {

struct FrameInSource {
  FrameId id;
  double seconds = 0;  // from the source's beginning
};

class FrameLog {
 public:
  // Of a frame that comes. `at_once`: the user asked for it; one that is stepped to is the next one, and no jump.
  FrameId next_id(std::int64_t number, bool at_once) {
    const bool another = last_.source != source_;
    const bool jumps = another || number < last_.number || (at_once && number > last_.number + 1);
    return last_ = {number, last_.course + jumps, source_};
  }
  void begin_source() {  // frames will be another source's
    ++source_;
    seen_.reset();
    first_.reset();
  }

  void ask_for(const FrameInSource& frame) { asked_for_ = frame; }
  void forget_asked_for() { asked_for_.reset(); }
  void will_be_first(const FrameInSource& frame) { first_ = frame; }  // of those that are seen
  void see(const FrameInSource& frame) {
    seen_ = frame;
    if (asked_for_ && frame.id >= asked_for_->id) asked_for_.reset();
  }

  // The newest frame of this source that is seen.
  const std::optional<FrameInSource>& seen() const { return seen_; }
  // That one, or the first that is to come; none before.
  const std::optional<FrameInSource>& at() const { return seen_ ? seen_ : first_; }
  // That the user asked for, until it or a later one is seen.
  const std::optional<FrameInSource>& asked_for() const { return asked_for_; }

 private:
  FrameId last_;
  int source_ = 1;
  std::optional<FrameInSource> first_, seen_, asked_for_;
};

}  // namespace convoscope
