#include "kernels/choose/plan_maker.h"

#include <atomic>
#include <exception>
#include <utility>

#include "kernels/compute/compute.h"
#include "kernels/text/error.h"
#include "kernels/threads/background.h"

namespace convoscope {

struct ComingPlan::Made {
  std::unique_ptr<Plan> plan;
  std::exception_ptr failure;
  std::atomic<bool> done = false;  // until then the planner's, from then on the asker's
};

bool ComingPlan::is_there() const { return made_ && made_->done; }

std::unique_ptr<Plan> ComingPlan::take_plan() {
  const std::shared_ptr<Made> made = std::move(made_);
  if (made->failure) std::rethrow_exception(made->failure);
  return std::move(made->plan);
}

ComingPlan make_in_background(const Strategy& strategy, const Problem& problem, const Device& device) {
  ComingPlan coming;
  coming.made_ = std::make_shared<ComingPlan::Made>();
  const auto make = [wanted = std::weak_ptr(coming.made_), problem, device, &strategy](const std::stop_token&) {
    if (wanted.expired()) return;
    std::unique_ptr<Plan> plan;
    std::exception_ptr failure;
    std::unique_ptr<Compute> chosen;  // makes the device this thread's, also for a plan that goes here
    try {
      chosen = make_compute(device.backend, device.ordinal);
      if (const std::string reason = surely_unsupported(strategy, problem, device, {}); !reason.empty())
        throw Error(reason);
      plan = strategy.plan(problem, device, {});
    } catch (...) {
      failure = std::current_exception();
    }
    if (const auto made = wanted.lock()) {
      made->plan = std::move(plan);
      made->failure = std::move(failure);
      made->done = true;
    }
  };
  if (Background* background = Background::current())
    background->planner().add(make);
  else
    make({});
  return coming;
}

}  // namespace convoscope
