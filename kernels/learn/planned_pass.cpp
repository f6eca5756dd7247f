#include "kernels/learn/planned_pass.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "kernels/choose/stand_in.h"
#include "kernels/contract/error.h"

namespace convoscope {

PlannedPass::PlannedPass(Compute& compute, Problem problem, Pass pass, bool beside_others, std::span<const Tensor> in,
                         const Tensor& out)
    : pass_(pass) {
  problem.layer.pass = pass;
  const bool timed = compute.device().backend == Backend::cuda;
  double least = std::numeric_limits<double>::infinity();
  const Strategy* fastest = nullptr;
  std::unique_ptr<Plan> its_plan;
  for (const Strategy* able : able_strategies(problem, compute.device())) {
    strategy_ = able;
    plan_ = able->plan(problem, compute.device(), {});
    // Constant memory is one for all plans of a strategy: two threads would overwrite each other's weights.
    const auto is_shared = [](const KernelInfo& kernel) { return kernel.constant_bytes > 0; };
    if (beside_others && std::ranges::any_of(plan_->kernels(), is_shared)) continue;
    if (const double taken = timed ? seconds(compute, in, out) : 0; taken < least) {
      least = taken;
      fastest = able;
      its_plan = std::move(plan_);
    }
    if (!timed) break;
  }
  if (!its_plan)
    throw Error("No strategy computes the pass " + std::string(to_string(pass)) + " of this layer on " +
                compute.device().name + ".");
  strategy_ = fastest;
  plan_ = std::move(its_plan);
}

double PlannedPass::tolerance(Problem problem) const {
  problem.layer.pass = pass_;
  return strategy_->tolerance(problem);
}

double PlannedPass::seconds(Compute& compute, std::span<const Tensor> in, const Tensor& out) const {
  double last = 0;
  for (int run = 0; run < 2; ++run) {  // the first loads the kernels
    compute.synchronize();
    const auto began = std::chrono::steady_clock::now();
    enqueue(in, out, compute.stream());
    compute.synchronize();
    last = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  return last;
}

}  // namespace convoscope
