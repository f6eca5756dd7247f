#pragma once
// The plan for what a pane wants: of the strategy that the user chose or, while that cannot run, of the likely fastest
// one that can.
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/state/settings.h"
#include "kernels/contract/device.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

struct PanePlan {
  const Strategy* strategy = nullptr;  // that the plan is of; null: the source itself, or nothing that can run
  Tuning tuning;                       // of this strategy
  std::unique_ptr<Plan> plan;
  std::string why_substitute;  // why the chosen one does not run although another one does; empty when it runs
  std::string why_not;         // why nothing runs; empty when something does, and for the source
};

// What took the problem and failed at it all the same, and how.
using FailedStrategies = std::map<const Strategy*, std::string>;

// A CPU strategy runs on the CPU whatever the device is, and so does what stands in for it.
PanePlan make_pane_plan(const PaneSettings&, const Problem&, const Device&, const FailedStrategies& = {});

// Whether a plan made for one may be given the weights of the other.
inline bool same_shape(const Filter& a, const Filter& b) {
  return a.width == b.width && a.height == b.height && a.depth == b.depth && a.maps == b.maps &&
         a.channels == b.channels && a.is_magnitude() == b.is_magnitude();
}

// Why the chosen strategy cannot run, as far as it can be told beforehand; empty when it can.
std::string why_chosen_cannot(const PaneSettings&, const Problem&, const Device&, const FailedStrategies& = {});

// The type of a layer's numbers that keeps the chosen strategy from running, and nothing else: another one in which it
// runs, of several the one with most digits. Empty where there is none.
std::optional<Precision> type_taken(const PaneSettings&, const Problem&, const Device&, const FailedStrategies& = {});

// "separable cannot run: … . constant runs instead."; empty when there is no reason why.
std::string substitute_sentence(const std::string& chosen, const std::string& why, const Strategy* instead);

}  // namespace convoscope
