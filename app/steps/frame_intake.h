#pragma once
// What is taken from the source: the frame that is to be seen next, and where several go into a picture those around
// it.
#include <cstdint>
#include <functional>
#include <optional>

#include "app/panes/centring.h"
#include "app/panes/filter_step.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/source_step.h"

namespace convoscope {

class FrameIntake {
 public:
  // Where frames come from and go to, and how.
  struct Way {
    SourceStep& source;  // with a player
    FilterStep& filter;
    PlaybackSettings playback;
    bool may_lead_in = false;             // a picture that stays may get its neighbours in the source
    std::function<bool(int)> seen{};      // see FilterStep::Conditions
    std::function<void()> began_another;  // source than before; called before its first frame is taken in
  };

  // Another source, or the same one anew. `reach`: so many frames on either side go into each picture that is made of
  // it. `from`: seconds; what is before is not seen.
  void begin_source(int reach, std::optional<double> from) { centring_ = Centring(reach, from); }
  // The next one to be seen, if it is there. Those that lead up to it go to the filter on the way. Throws Error.
  std::optional<VideoFrame> next(const Way&, Settings&, Stats&);
  // Where several frames go into a picture that stays, they are its neighbours in the source, whatever was shown before
  // it. False: nothing is missing, or it cannot be had. Else the frame comes once more, after those before it.
  static bool lead_in(std::int64_t number, const Way&, const Settings&, const Stats&);
  bool has_more() const { return centring_.has_more(); }  // after the source's last frame

 private:
  std::optional<VideoFrame> centred(std::optional<VideoFrame>, SourceStep&);

  Centring centring_;
};

}  // namespace convoscope
