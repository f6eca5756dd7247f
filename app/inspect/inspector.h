#pragma once
// The pixel that is looked at: fetches it and its surroundings from every pane, and tells how it was made. Values are
// those of a frame or two ago, for nothing waits for them.
#include "app/panes/pane_set.h"
#include "app/panes/patch_download.h"
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

inline constexpr int patch_radius = 7;  // of what is fetched around the pixel: 15 × 15

class Inspector {
 public:
  explicit Inspector(Compute&);  // throws Error when there is no memory

  // Once a frame, after the panes have filtered. InspectStats::pixel says where to look (set by whoever knows the
  // cursor); fills values, patches, map_values and explained with what has arrived since.
  void observe(PaneSet&, const Settings&, std::span<const PaneStats>, InspectStats&);

 private:
  void take_arrived(InspectStats&);
  void ask(PaneSet&, const Settings&, std::span<const PaneStats>, const InspectStats&);
  void ask_for_map(const PaneSet&, const PaneRunner&, const PaneStats&, const PixelAddress&);
  void ask_for_explanation(const PaneRunner&, const PaneStats&, int pane, const PixelAddress&);
  void ask_for_inputs(const PaneRunner&);

  PatchDownload download_;
  int pictures_asked_ = 0;
  bool asked_ = false, explanation_asked_ = false;
  // Of the download under way.
  struct MapAsked {
    int pane = 0;  // its id
    MapPlace place;
    bool comes = false;  // a patch holds the value
    bool waits = false;  // the maps are being made anew: what is known of this place stays
  };
  std::vector<MapAsked> maps_;
  PixelExplanation explained_;
  // Whose explained_.problem is: told from these, for its weights may be many.
  struct ProblemOf {
    const PaneRunner* runner = nullptr;
    int pane = 0;  // its id
    unsigned version = 0;
    bool operator==(const ProblemOf&) const = default;
  };
  ProblemOf problem_of_;
  std::vector<int> planes_asked_;  // of its inputs, in their order
  std::vector<int> maps_of_;       // ids of the panes that InspectStats::map_values is of
};

}  // namespace convoscope
