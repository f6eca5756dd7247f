#include "kernels/learn/gradient_check.h"

#include <algorithm>
#include <cmath>

#include "kernels/contract/stop.h"
#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

// The loss is a parabola of each weight, so central differences are exact whatever their width. This one is far above
// what a weight loses in float32.
constexpr float half_width = 0.0625f;

double loss_of(const Problem& problem, const Tensor& x, const std::vector<float>& wanted) {
  const std::vector<double> y = layer_kind.reference(problem, {&x, 1});
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += (y[i] - wanted[i]) * (y[i] - wanted[i]);
  return sum / static_cast<double>(y.size());
}

float largest(const std::vector<float>& values) {
  float found = 0;
  for (const float value : values) found = std::max(found, std::abs(value));
  return found;
}

// Of |dY|, in the map that has most of it.
double most_of_a_map(const std::vector<float>& slopes, const LayerExtents& e) {
  std::vector<double> sums(static_cast<std::size_t>(e.maps));
  const std::size_t plane = static_cast<std::size_t>(e.out_height) * static_cast<std::size_t>(e.out_width);
  for (std::size_t i = 0; i < slopes.size(); ++i) sums[i / plane % sums.size()] += std::abs(slopes[i]);
  return *std::ranges::max_element(sums);
}

}  // namespace

GradientCheck check_gradients(Trainer& trainer, const Image& picture, int weights) {
  GradientCheck check;
  trainer.look(picture);
  Problem problem = trainer.problem();
  const LayerExtents e = layer_extents(problem);
  std::vector<float> inputs = trainer.inputs();
  const std::vector<float> wanted = trainer.outputs();
  const Tensor x = tensor_of_rows(inputs.data(), layer_kind.inputs(problem)[0],
                                  static_cast<std::size_t>(problem.width) * sizeof(float));
  const double top = largest(inputs), all_slopes = most_of_a_map(trainer.slopes(), e), most = top * all_slopes;
  if (most == 0) return check;  // nothing is left to learn, or there is nothing to learn it from

  // dF: what its strategy may be off where no input is above 1 is for a sum of |dY| of as many as there are terms.
  // dY = 2 (Y − T) / n: the rounding of a difference and of two products, and what Y may be off before. The differences
  // are taken around a weight that is rounded once more.
  const double terms = static_cast<double>(e.samples) * e.out_height * e.out_width;
  const double unit = std::ldexp(1.0, -24), y_off = trainer.tolerance(Pass::forward) * top;
  const double weight_off = unit * (largest(problem.filter.weights) + half_width) * top;
  check.tolerance =
      trainer.tolerance(Pass::to_weights) / terms + 3 * unit + 2.0 / e.maps * top * (y_off + weight_off) / most;

  const std::size_t count = problem.filter.weights.size();
  check.weights = static_cast<int>(std::min(count, static_cast<std::size_t>(weights)));
  for (int i = 0; i < check.weights && !stop_requested(); ++i) {
    const std::size_t which = static_cast<std::size_t>(i) * count / static_cast<std::size_t>(check.weights);
    float& weight = problem.filter.weights[which];
    const float before = weight, above = before + half_width, below = before - half_width;
    weight = above;
    const double loss_above = loss_of(problem, x, wanted);
    weight = below;
    const double loss_below = loss_of(problem, x, wanted);
    weight = before;
    const double slope = (loss_above - loss_below) / (static_cast<double>(above) - below);
    check.error = std::max(check.error, std::abs(slope - trainer.gradient()[which]) / most);
  }
  return check;
}

}  // namespace convoscope
