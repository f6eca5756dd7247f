#pragma once
// What a GPU computes is enqueued on the stream of the frame, pane after pane, and nothing waits.
#include "app/panes/pane_executor.h"
#include "app/panes/pane_list.h"
#include "app/panes/pane_outputs.h"

namespace convoscope {

class GpuExecutor final : public PaneExecutor {
 public:
  GpuExecutor(const PaneList& panes, PaneOutputs& outputs) : panes_(panes), outputs_(outputs) {}

  bool is_of(const PaneRunner& pane) const override { return !pane.on_cores(); }
  bool filters_again(const PaneRunner&, const PaneFiltering& how) const override { return how.again; }
  void add(const PaneTurn& turn, const DeviceImage& in, const PaneFiltering& how, bool counts) override {
    turn.pane.run(in, counts, how.frame);
  }
  void begin(const DeviceImage& in, const PaneFiltering& how, bool) override {
    outputs_.set_input(in, how.frame);
    outputs_.see_input();
  }
  void take_before(const Image& picture, const FrameId& frame) override {
    for (const IdentifiedPane& each : panes_)
      if (is_of(*each.runner)) each.runner->take_before(picture, frame);
  }

 private:
  const PaneList& panes_;
  PaneOutputs& outputs_;
};

}  // namespace convoscope
