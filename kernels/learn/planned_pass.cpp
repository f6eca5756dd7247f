#include "kernels/learn/planned_pass.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "kernels/choose/stand_in.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

Problem in_pass(Problem problem, Pass pass) {
  problem.layer.pass = pass;
  return problem;
}

}  // namespace

PlannedPass::PlannedPass(Compute& compute, const Problem& problem, Pass pass, bool beside_others,
                         std::span<const Tensor> in, const Tensor& out)
    : PlannedPass(compute, in_pass(problem, pass), beside_others, in, out,
                  able_strategies(in_pass(problem, pass), compute.device())) {}

PlannedPass::PlannedPass(Compute& compute, const Problem& problem, bool beside_others, std::span<const Tensor> in,
                         const Tensor& out, std::span<const Strategy* const> able)
    : pass_(problem.layer.pass) {
  const bool timed = compute.device().backend == Backend::cuda;
  double least = std::numeric_limits<double>::infinity();
  std::string why;
  for (const Strategy* const strategy : able) {
    try {
      std::unique_ptr<Plan> plan = strategy->plan(problem, compute.device(), {});
      // Constant memory is one for all plans of a strategy: two threads would overwrite each other's weights.
      const auto is_shared = [](const KernelInfo& kernel) { return kernel.constant_bytes > 0; };
      if (beside_others && std::ranges::any_of(plan->kernels(), is_shared)) continue;
      if (const double taken = timed ? seconds(compute, *plan, in, out) : 0; taken < least) {
        least = taken;
        strategy_ = strategy;
        plan_ = std::move(plan);
      }
    } catch (const Error& error) {  // no memory for it, most likely
      why = " " + std::string(strategy->id) + ": " + error.what();
      continue;
    }
    if (!timed) break;
  }
  if (!plan_)
    throw Error("No strategy computes the pass " + std::string(to_string(pass_)) + " of this layer on " +
                compute.device().name + "." + why);
}

double PlannedPass::tolerance(Problem problem) const {
  problem.layer.pass = pass_;
  return strategy_->tolerance(problem);
}

double PlannedPass::seconds(Compute& compute, Plan& plan, std::span<const Tensor> in, const Tensor& out) {
  double last = 0;
  for (int run = 0; run < 2; ++run) {  // the first loads the kernels
    compute.synchronize();
    const auto began = std::chrono::steady_clock::now();
    plan.prepare(compute.stream());
    plan.enqueue(in, {&out, 1}, compute.stream());
    compute.synchronize();
    last = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  return last;
}

}  // namespace convoscope
