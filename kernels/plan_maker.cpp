#include "kernels/plan_maker.h"

#include <chrono>

#include "kernels/compute.h"
#include "kernels/error.h"

namespace convoscope {

ComingPlan make_in_background(const Strategy& strategy, const Problem& problem, const Device& device) {
  return std::async(std::launch::async, [problem, device, &strategy] {
    const std::unique_ptr<Compute> chosen = make_compute(device.backend, device.ordinal);  // for this thread
    if (const std::string reason = strategy.unsupported(problem, device, {}); !reason.empty()) throw Error(reason);
    return strategy.plan(problem, device, {});
  });
}

bool is_there(const ComingPlan& plan) { return plan.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

}  // namespace convoscope
