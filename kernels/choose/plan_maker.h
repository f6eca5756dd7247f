#pragma once
// Plans made by the planner of the Background, since a library takes its time to load and a frame has none.
#include <memory>

#include "kernels/contract/strategy.h"

namespace convoscope {

// A plan on its way. Letting go of it costs nothing: one that is not being made yet is not made, and one that is goes
// on the planner's thread.
class ComingPlan {
 public:
  ComingPlan() = default;
  bool valid() const { return static_cast<bool>(made_); }  // asked for, and not taken
  bool is_there() const;                                   // take_plan() has something to give
  // Throws Error with the strategy's reason if it does not take the problem, or what making the plan threw.
  std::unique_ptr<Plan> take_plan();

 private:
  struct Made;
  std::shared_ptr<Made> made_;
  friend ComingPlan make_in_background(const Strategy&, const Problem&, const Device&);
};

// Returns at once where there is a Background (background.h), else when the plan is made.
ComingPlan make_in_background(const Strategy&, const Problem&, const Device&);

}  // namespace convoscope
