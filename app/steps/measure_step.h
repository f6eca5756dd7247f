#pragma once
// The last step of a frame: what it cost, and what the device was doing meanwhile.
#include <memory>

#include "app/gl/gl_timer.h"
#include "app/gl/interop/interop.h"
#include "app/inspect/timed_read_back.h"
#include "app/measure/dropped_frames.h"
#include "app/measure/health_monitor.h"
#include "app/measure/limits_finder.h"
#include "app/measure/pane_statistics.h"
#include "app/measure/same_frames.h"
#include "app/media/play/player.h"
#include "app/panes/filter_step.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/message_poster.h"

namespace convoscope {

class MeasureStep {
 public:
  explicit MeasureStep(const MessagePoster& poster) : poster_(poster) {}

  // Health and limits of Stats::device, which computes from now on.
  void watch(Stats&, bool may_measure_limits);
  void reset(Stats&);                                               // the statistics begin anew
  void begin_source(const Player*, const FilterStep&);              // another one
  void waited(double milliseconds) { waited_ms_ += milliseconds; }  // in this frame
  void rested() { last_swap_ = 0; }                                 // so long that it is no time of a frame

  int window() const { return window_; }  // Settings::timing_window, once it holds
  bool measures_limits() const { return limits_->is_measuring(); }
  void measure_limits_again() { limits_->measure_again(); }

  struct Timed {
    FilterStep& filter;
    Interop& interop;
    GlTimer& draw;
    TimedReadBack* read_back;  // null: none
    Player* player;            // null: none
  };
  void measure(const Timed&, const Settings&, Stats&);  // once a frame, after what the panes tell was collected
  void finish(const Settings&, Stats&);                 // what is still to be computed, at once
  void end_threads();

 private:
  const MessagePoster& poster_;
  std::unique_ptr<HealthMonitor> health_;
  std::unique_ptr<LimitsFinder> limits_;
  PaneStatistics pane_statistics_;
  SameFrames same_frames_;
  DroppedFrames dropped_;
  int window_ = 0;  // 0: the times are still to be sized
  double last_swap_ = 0, waited_ms_ = 0;
};

}  // namespace convoscope
