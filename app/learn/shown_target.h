#pragma once
// What a pane of the picture workbench makes of the pictures that a layer learns from. By the thread that learns.
#include <memory>

#include "app/panes/pane_plan.h"
#include "kernels/compute/compute.h"

namespace convoscope {

class ShownTarget {
 public:
  // By the strategy of the pane, or by what stands in for it where that cannot run or could be disturbed. The Compute
  // outlives it.
  ShownTarget(Compute& compute, const PaneSettings& pane) : compute_(compute), pane_(pane) {}

  // In the Compute's memory until the next call, enqueued on its stream. Throws Error naming what is wrong.
  Image of(const Image& picture);

 private:
  void make_plan(const Image& picture);

  Compute& compute_;
  const PaneSettings pane_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Compute> host_;  // of a strategy of the CPU beside those of a GPU
  DeviceImage made_, on_host_, made_on_host_;
};

}  // namespace convoscope
