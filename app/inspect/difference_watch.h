#pragma once
// How much the compared panes differ, kept up to date a few times a second while View::difference is shown.
#include <memory>
#include <span>

#include "app/gl/compositor/difference_meter.h"
#include "app/panes/pane_set.h"
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

class DifferenceWatch {
 public:
  // Once a frame, once Stats::source speaks of what the textures hold. By the thread of the OpenGL context; nothing
  // waits. Fills Stats::difference; throws Error once when the graphics driver cannot do it.
  void observe(std::span<const PaneTexture>, PaneSet&, const Settings&, Stats&);

 private:
  // What the figures are of. The same again: they stand, and nothing is computed for a picture that rests.
  struct Subject {
    int first = -1, second = -1;  // positions
    unsigned first_version = 0, second_version = 0;
    int generation = -1;  // of pictures that come when they are there
    std::int64_t shown = -1, frame = -1;
    bool operator==(const Subject&) const = default;
    // Perhaps filtered once more.
    bool shows_the_same(const Subject& other) const {
      return first == other.first && second == other.second && first_version == other.first_version &&
             second_version == other.second_version && frame == other.frame;
    }
  };

  std::unique_ptr<DifferenceMeter> meter_;  // made when first asked for
  Subject asked_, found_of_;
  double asked_at_ = -1e9;
  int times_asked_ = 0;  // for this subject
  bool under_way_ = false, failed_ = false;
};

}  // namespace convoscope
