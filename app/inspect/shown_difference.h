#pragma once
// From which pictures View::difference is drawn: two that are of one frame. Others say nothing of the strategies and
// do not take their place.
#include <optional>

#include "app/panes/pane_set.h"
#include "app/state/settings.h"

namespace convoscope {

class ShownDifference {
 public:
  // Whether pictures may have to stay where they are drawn from: where a GPU makes both, they are always of one frame.
  static bool may_stay(PaneSet&, const Settings&);
  // Before so many pictures of this shape go to where they are drawn from. False: those that are there stay.
  bool takes(PaneSet&, const Settings&, int pictures, const Image& shape);
  // Those that are there may be compared.
  bool is_there() const { return there_.has_value(); }

 private:
  struct Pictures {
    int first_id = 0, second_id = 0;
    int first = 0, second = 0;  // positions
    int count = 0, width = 0, height = 0;
    PixelFormat format = PixelFormat::rgba8;
    bool operator==(const Pictures&) const = default;
  };

  std::optional<Pictures> there_;
};

}  // namespace convoscope
