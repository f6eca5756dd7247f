#pragma once
// What a plan says of itself, as of when it was asked last: while it is at work on another thread nobody asks it.
#include <string>
#include <vector>

#include "app/panes/network_plan.h"
#include "app/panes/pane_plan.h"

namespace convoscope {

struct PlanReport {
  const Strategy* runs = nullptr;  // Plan::runs()
  std::vector<const Strategy*> runs_of_layers;
  bool settled = true;
  Cost cost;
  std::vector<KernelInfo> kernels;
  std::string note;

  // Still as it says. `network`: the plan where it is one, else null.
  bool has_same_runs(const Plan& plan, const NetworkPlan* network) const {
    return plan.runs() == runs && (!network || network->runs_of_layers() == runs_of_layers);
  }
};

// Of a plan that is there, for this problem; it is not at work.
inline PlanReport report_of(const PanePlan& made, const NetworkPlan* network, const Problem& problem) {
  PlanReport report;
  const Plan& plan = *made.plan;
  report.runs = plan.runs();
  if (network) report.runs_of_layers = network->runs_of_layers();
  report.settled = plan.settled();
  report.cost = network       ? network->cost()
                : report.runs ? report.runs->model(problem, {})
                              : made.strategy->model(problem, made.tuning);
  report.kernels = plan.kernels();
  report.note = plan.note();
  return report;
}

}  // namespace convoscope
