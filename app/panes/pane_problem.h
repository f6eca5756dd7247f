#pragma once
// What a request amounts to: the problem that a pane's plan is made for, and what people call it.
#include <string>

#include "app/panes/network_plan.h"
#include "app/panes/pane_request.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

struct PaneProblem {
  Problem problem;          // of a network that of the layer that is seen
  PaneNetwork layers;       // `problem` is one of them
  bool alpha_step = false;  // the pictures take the step around the strategy: see problem_of_plane()
  std::string filter_words, own_type;
};
PaneProblem pane_problem(const PaneRequest&);
// Whether a plan for one may be given the weights of the other, where the requests differ in no more than these.
bool differ_in_weights_only(const PaneProblem&, const PaneProblem&);

}  // namespace convoscope
