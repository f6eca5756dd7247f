#include "app/panes/pane_problem.h"

#include "kernels/convert/alpha_step.h"

namespace convoscope {

PaneProblem pane_problem(const PaneRequest& asked) {
  PaneProblem made{problem_of(asked)};
  made.alpha_step = asked.shape.has_alpha && takes_alpha_step(made.problem);
  if (made.alpha_step) made.problem = problem_of_plane(made.problem);
  made.layers = network_behind(made.problem, asked.work);
  made.filter_words = filter_text(*asked.pane, asked.work);
  made.own_type = own_type(*asked.pane, asked.work);
  return made;
}

bool differ_in_weights_only(const PaneProblem& a, const PaneProblem& b) {
  return have_same_shape(a.layers, b.layers) && a.problem.border == b.problem.border &&
         a.problem.layer == b.problem.layer && same_shape(a.problem.filter, b.problem.filter);
}

}  // namespace convoscope
