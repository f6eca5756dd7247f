#pragma once
// Who carries out what panes compute: there is one for each kind of device, and a pane belongs to one of them at a
// time.
#include <functional>

#include "app/panes/frame_id.h"
#include "app/panes/pane_runner.h"

namespace convoscope {

using SeenPanes = std::function<bool(int)>;  // whether the pane at this position is in sight; empty: all are
inline bool is_in_sight(const SeenPanes& seen, int position) { return !seen || seen(position); }

// How a frame goes through the panes.
struct PaneFiltering {
  // Also through panes whose picture is of `in`, as the settings now say, already; on cores where they are timed.
  bool again = true, again_on_cores = true;
  bool quiet = true;      // false: the machine is known to be busy otherwise, so no time counts
  FrameId frame = {};     // which it is
  bool together = false;  // panes on cores appear all at once, however long the slowest takes
  bool unhurried = true;  // the picture stays: panes that are not seen may take long
  SeenPanes seen{};
  std::function<void()> before{};  // what makes the pixels of `in`, to be called by the thread of the cores
};

// A pane that is to filter the frame.
struct PaneTurn {
  PaneRunner& pane;
  bool is_seen;
  bool is_made;  // its picture is there already: it is filtered again for its time alone
};

// All calls from the thread that owns the panes.
class PaneExecutor {
 public:
  virtual ~PaneExecutor() = default;
  virtual bool is_of(const PaneRunner&) const = 0;  // whether this pane is one of its
  // Whether one of its panes is filtered again whose picture is there already.
  virtual bool filters_again(const PaneRunner&, const PaneFiltering&) const = 0;
  // First add() for each of its panes that is to filter the frame, then begin() once, also where there was none. The
  // input stays as it is for as long as panes hold it. `counts`: whether the times do.
  virtual void add(const PaneTurn&, const DeviceImage& in, const PaneFiltering&, bool counts) = 0;
  virtual void begin(const DeviceImage& in, const PaneFiltering&, bool counts) = 0;
  // A frame that goes into its panes' pictures before the next one, where several do.
  virtual void take_before(const Image& picture, const FrameId&) = 0;
};

}  // namespace convoscope
