#pragma once
// What a sweep would measure, as the window is set: the problem of the workbench that is shown with other values of the
// numbers by which its kind can be swept.
#include <string>
#include <vector>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/contract/kind.h"

namespace convoscope {

const SweepChoices& sweep_choices(const Settings&);  // of that workbench
SweepChoices& sweep_choices(Settings&);
const SweepParameter& sweep_axis(const Kind&, const SweepChoices&);

// The kind of filter that is measured: the active pane's if it has a number by which it can be swept, else a Gaussian.
std::string sweep_filter(const Settings&);

struct SweepPlan {
  Problem start;                         // the workbench's own
  std::vector<std::vector<int>> values;  // that are measured, of each of the kind's parameters; ascending
  // As chosen, else the panes'. Fewer than two that can do the problem are joined by all others that can, but for plain
  // loops on one core and auto: one line compares nothing.
  std::vector<std::string> strategies;
  std::string why_not;  // it cannot start, a sentence with the numbers; empty when it can
};
SweepPlan sweep_plan(const Settings&, const Stats&);

// The same for who asks in every frame: found anew when something has changed that it depends on.
class SweepPlans {
 public:
  const SweepPlan& of(const Settings&, const Stats&);

 private:
  std::string depend_on_;
  SweepPlan found_;
};

// The arguments of bench for what the user chose. Throws Error with a plain sentence when there is nothing to measure.
struct SweepOrder {
  std::vector<std::string> arguments;
  int rows = 0;                // that will come
  const Kind* kind = nullptr;  // of what is measured
};
SweepOrder sweep_order(const Settings&, const Stats&);

}  // namespace convoscope
