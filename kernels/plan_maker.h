#pragma once
// Plans made on threads of their own, since a library takes its time to load and a frame has none.
#include <future>
#include <memory>
#include <vector>

#include "kernels/strategy.h"

namespace convoscope {

// A plan on its way; get() throws Error with the strategy's reason if it does not take the problem.
using ComingPlan = std::future<std::unique_ptr<Plan>>;

ComingPlan make_in_background(const Strategy&, const Problem&, const Device&);
bool is_there(const ComingPlan&);  // get() will not wait

// Those that nobody wants any more: the destructor of a future waits, so that is put off until there is nothing to wait
// for, or this goes.
class AbandonedPlans {
 public:
  void add(ComingPlan&& plan) {
    if (plan.valid()) plans_.push_back(std::move(plan));
  }
  void sweep() { std::erase_if(plans_, is_there); }

 private:
  std::vector<ComingPlan> plans_;
};

}  // namespace convoscope
