#pragma once
// What computes: the backend and the GPU that the settings ask for, or what stands in for them.
#include <memory>

#include "app/cli/arguments.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/compute/compute.h"

namespace convoscope {

class ChosenDevice {
 public:
  // Makes what the settings ask for, instead of what there was. Where somebody watches, the CPU stands in for a GPU
  // that cannot be used, and a notice says so. Fills what Stats says of it. Throws Error where nobody watches and what
  // the command line asks for by name is not there.
  void choose(const Invocation&, const Settings&, Stats&);
  // The settings ask for another one by now.
  bool is_other(const Settings&) const;
  // The strategies that the workbench has here, into Stats::ladder.
  static void list_strategies(const Settings&, Stats&);

  bool is_there() const { return compute_ != nullptr; }
  bool is_gpu() const { return compute_->device().backend == Backend::cuda; }
  Compute& compute() const { return *compute_; }

 private:
  std::unique_ptr<Compute> make(const Invocation&, const Settings&, Stats&) const;

  std::unique_ptr<Compute> compute_;
  BackendChoice backend_ = BackendChoice::automatic;  // as they were asked for
  int device_ = 0;                                    // number of the GPU
};

}  // namespace convoscope
