#pragma once
// The ladder of a kind as rows: which strategies there are, which of them can run here, and why the others cannot. Host
// only.
#include <string>
#include <vector>

#include "kernels/contract/device.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

// One row of the ladder as the user sees it: CUDA rows are listed also where they cannot run.
struct StrategyRow {
  const Strategy* strategy;  // of the backend that would run it; the emulated one supplies the texts when not built
  Backend backend;           // cpu or cuda
  bool available;
  std::string reason;  // why not; empty when available
};
std::vector<StrategyRow> ladder(const Kind& = image_kind);
// Why the row does not run the problem on the device, a sentence; empty when it does.
std::string why_cannot_run(const StrategyRow&, const Problem&, const Device&);

// ladder() as the user of this backend sees it: the CPU's rows and those of the backend can be chosen; on the CPU
// CUDA's are listed with a reason why they cannot.
std::vector<StrategyRow> ladder_of(Backend, const Kind& = image_kind);

}  // namespace convoscope
