#pragma once
// The sweep beside the view: starting it, following it, its files, and whether the picture is held while a point is
// measured.
#include <string>

#include "app/measure/sweep/sweep.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/message_poster.h"

namespace convoscope {

class SweepStep {
 public:
  explicit SweepStep(const MessagePoster& poster) : poster_(poster) {}

  void obey(const Requests&, const Settings&, Stats&);  // fills Stats::sweep
  void follow(const Settings&, SweepStats&);            // once a frame
  void cancel() { sweep_.cancel(); }
  bool measuring() const { return sweep_.measuring(); }  // a point, right now
  // While a point is measured, unless the user wants the view to go on.
  bool holds_view(const Settings& settings) const { return measuring() && settings.sweep.hold_view; }

 private:
  void save(const std::string& path, const Settings&, const SweepStats&) const;  // throws Error

  const MessagePoster& poster_;
  Sweep sweep_;
};

}  // namespace convoscope
