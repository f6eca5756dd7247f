#pragma once
// Looking closely: checks against the reference, the pixel under the cursor, histogram and vectorscope, how much the
// compared panes differ. All calls with the OpenGL context current.
#include <memory>
#include <span>

#include "app/gl/compositor/compositor.h"
#include "app/gl/compositor/scopes.h"
#include "app/inspect/cell_reader.h"
#include "app/inspect/difference_watch.h"
#include "app/inspect/inspector.h"
#include "app/inspect/kept_pin.h"
#include "app/inspect/pane_check.h"
#include "app/panes/filter_step.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/ui.h"

namespace convoscope {

class InspectStep {
 public:
  void begin(Compute&);  // what panes compute on from now on; throws Error when there is no memory
  void end();            // before that goes
  void end_threads() { checker_.reset(); }

  // Of panes that can be read between two runs alone: before they filter.
  void observe_at_rest(FilterStep&, const Settings&, Stats&);
  // All others, after they are presented, so that no copy of this lies between the panes and the screen. Results of
  // earlier frames come in, and this frame's are asked for.
  void observe(FilterStep&, const Settings&, Stats&);
  // Where the pictures lie, which of their pixels is looked at, and how their colours are spread. The textures hold
  // this frame.
  void look_at_picture(const Composition&, std::span<const PaneTexture>, Settings&, Stats&, UiLayout&);
  // Once Stats::source speaks of what the textures hold; throws Error once when the graphics driver cannot do it.
  void compare(std::span<const PaneTexture> textures, PaneSet& panes, const Settings& settings, Stats& stats) {
    difference_.observe(textures, panes, settings, stats);
  }

 private:
  void read(FilterStep&, const Settings&, Stats&);
  void count_colours(std::span<const PaneTexture>, const Settings&, Stats&);

  std::unique_ptr<PaneChecker> checker_;
  std::unique_ptr<Inspector> inspector_;
  std::unique_ptr<CellReader> cells_;
  std::unique_ptr<Scopes> scopes_;  // made when first asked for
  DifferenceWatch difference_;
  KeptPin pin_;
  bool observed_at_rest_ = false;  // in this frame
};

}  // namespace convoscope
