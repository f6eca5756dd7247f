#pragma once
// Rendering: the view as it is set up, into a file, every frame of the source once, while the window goes on.
#include <optional>
#include <string>

#include "app/capture/capture.h"
#include "app/gl/compositor/compositor.h"
#include "app/panes/filter_step.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/source_step.h"

namespace convoscope {

class RenderStep {
 public:
  // What plays the source, filters it, and writes the file.
  struct Way {
    SourceStep& source;
    const FilterStep& filter;
    Capture& capture;
  };

  // Begins the file; not while one is rendered. Returns the second from which the source is to be opened once more.
  // Throws Error with why it cannot be.
  double start(const std::string& path, bool with_panels, const Composition&, const Way&, const Settings&, Stats&);
  // Once a frame, after the source has been asked for one. What is to be said where the file ends here, which may be
  // nothing; none: it goes on.
  std::optional<std::string> over(bool new_frame, const Way&) const;
  // Begins to finish the file; the remark is told with it. Returns the second at which the source is to be opened for
  // whoever watches.
  double end(const std::string& remark, const Way&, Stats&);

  bool running() const { return rendered_.has_value(); }
  // While it runs: how the source is played, the second before which nothing is seen, and where the user was.
  const PlaybackSettings& playback() const { return rendered_->playback; }
  std::optional<double> from() const { return rendered_ ? rendered_->from : std::nullopt; }
  double position() const { return rendered_->position; }

 private:
  struct Rendered {
    PlaybackSettings playback;        // the user's stay as they are
    std::optional<double> from, end;  // seconds
    double position = 0;
  };
  std::optional<Rendered> rendered_;
};

}  // namespace convoscope
