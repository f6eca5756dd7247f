#include <cmath>

#include "app/ui/actions/learn_actions.h"
#include "tests/ui/sample.h"

namespace convoscope::test {

Sample learning_sample() {
  Sample s = layer_sample();
  Requests asked;
  ui::set_up_to_learn(s.settings, asked);
  s.momentary.learning = true;
  std::vector<float>& weights = s.settings.layer.weights.weights;
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.01f * static_cast<float>(i % 7);
  s.stats.panes[0].wall->maps = 3;
  LearnStats& learn = s.stats.learn;
  learn.steps = 12345;
  for (int i = 0; i < 300; ++i)
    learn.loss.push_back(0.08f * std::exp(-0.03f * static_cast<float>(i)) * (i % 2 ? 1.1f : 1.0f) + 2e-5f);
  learn.now = 2.1e-5;
  learn.largest_difference = 0.004;
  learn.cosine = 0.99998;
  learn.milliseconds = 1.37;
  learn.gradients = {.error = 1.2e-5, .tolerance = 1e-3, .weights = 27};
  return s;
}

}  // namespace convoscope::test
