#pragma once
// What a pane's last run has read and made, of whatever kind its problem is.
#include <vector>

#include "app/panes/pane_set.h"
#include "app/panes/pane_view.h"
#include "app/panes/patch_download.h"

namespace convoscope {

struct PlacedTensor {
  Tensor tensor;
  PatchDownload::Memory memory = PatchDownload::Memory::device;
};

// Pictures may always be read: a run on cores leaves them alone. What lies between pictures and plan is empty before
// the first run, and on cores each run writes it anew, on another thread, and leaves it unfinished where it is given
// up.
inline bool is_read_at_rest(const PaneRunner& runner) { return runner.view() && runner.on_cores(); }
inline bool can_be_read(const PaneSet& panes, const PaneRunner& runner) {
  if (is_read_at_rest(runner) && (panes.at_work() || !panes.is_complete() || runner.is_unfinished())) return false;
  return !runner.view() || runner.is_current();
}

// These where that is so and there is a strategy; of a layer as float32 in planes.
std::vector<PlacedTensor> inputs_of(const PaneRunner&);
PlacedTensor output_of(const PaneRunner&);

}  // namespace convoscope
