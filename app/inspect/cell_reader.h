#pragma once
// All values of all panes while the source is numbers, to be shown as such: of a picture its pixels, of a layer its
// maps. They are those of a frame or two ago, for nothing waits for them.
#include <optional>
#include <vector>

#include "app/panes/pane_set.h"
#include "app/panes/patch_download.h"
#include "app/state/stats.h"

namespace convoscope {

inline constexpr std::size_t most_cells = 4096;  // of a pane; of one with more nothing is read

class CellReader {
 public:
  explicit CellReader(Compute& compute) : compute_(compute) {}

  // Once a frame, after the panes have filtered, by the thread of the Compute. Fills InspectStats::cells, or empties it
  // where they are not wanted. Takes its memory at the first use; throws Error when there is none.
  void observe(PaneSet&, bool wanted, InspectStats&);

 private:
  void ask(PaneSet&);
  void take(InspectStats&);

  Compute& compute_;
  std::optional<PatchDownload> download_;
  bool asked_ = false;
  std::vector<int> planes_;  // that were asked for, of each pane
};

}  // namespace convoscope
