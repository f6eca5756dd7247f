#include "kernels/learn/gradient_check.h"

#include <algorithm>
#include <cmath>

#include "kernels/kinds/layer.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

// Any is exact (see check_gradients). This one is far above what a weight loses in float32.
constexpr float half_width = 0.0625f;
constexpr double rounding_unit = 0x1p-24;

// In double precision: values are the sum of two floats, and so are sums of products.
std::vector<double> sums_of(Problem layer, const std::vector<double>& x) {
  std::vector<float> high(x.begin(), x.end()), low(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) low[i] = static_cast<float>(x[i] - high[i]);
  const auto reference = [&](std::vector<float>& part) {
    const Tensor in =
        tensor_of_rows(part.data(), layer_kind.inputs(layer)[0], static_cast<std::size_t>(layer.width) * sizeof(float));
    return layer_kind.reference(layer, {&in, 1});
  };
  layer.filter.relu = false;
  std::vector<double> y = reference(high);
  if (std::ranges::all_of(low, [](float value) { return value == 0; })) return y;
  layer.filter.biases.clear();
  const std::vector<double> rest = reference(low);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += rest[i];
  return y;
}

double largest(const std::vector<float>& values) {
  float found = 0;
  for (const float value : values) found = std::max(found, std::abs(value));
  return found;
}

double largest_difference(const std::vector<double>& some, const std::vector<float>& others) {
  double found = 0;
  for (std::size_t i = 0; i < some.size(); ++i) found = std::max(found, std::abs(some[i] - others[i]));
  return found;
}

// Of |dY|, in the map that has most of it.
double most_of_a_map(const std::vector<float>& slopes, const LayerExtents& e) {
  std::vector<double> sums(static_cast<std::size_t>(e.maps));
  const std::size_t plane = static_cast<std::size_t>(e.out_height) * static_cast<std::size_t>(e.out_width);
  for (std::size_t i = 0; i < slopes.size(); ++i) sums[i / plane % sums.size()] += std::abs(slopes[i]);
  return *std::ranges::max_element(sums);
}

template <class Values>
auto& of_layer(Values& values, int i) {
  return values[static_cast<std::size_t>(i)];
}

class Check {
 public:
  Check(Trainer& trainer, int weights) : trainer_(trainer), network_(trainer.network()), most_(weights) {
    const std::vector<float> inputs = trainer.inputs();
    x_.emplace_back(inputs.begin(), inputs.end());
    tops_.push_back(largest(inputs));
    for (int l = 0; l < layers(); ++l) {
      maps_.push_back(trainer.maps(l));
      tops_.push_back(largest(maps_.back()));
      slopes_.push_back(trainer.slopes(l));
      x_.push_back(outputs_of(l, x_.back()));
    }
    wanted_ = trainer.wanted();
    bound_errors();
  }

  GradientCheck run() {
    const float* gradient = trainer_.gradient().data();
    for (int l = 0; l < layers(); ++l) {
      Filter& bank = of_layer(network_, l).filter;
      check_layer(l, gradient);
      gradient += bank.weights.size() + bank.biases.size();
    }
    if (found_.weights == 0) found_.why_none = why_none();
    return found_;
  }

 private:
  int layers() const { return static_cast<int>(network_.size()); }

  std::vector<double> outputs_of(int l, const std::vector<double>& x) const {
    const Problem& layer = of_layer(network_, l);
    std::vector<double> y = sums_of(layer, x);
    if (layer.filter.relu)
      for (std::size_t i = 0; i < y.size(); ++i)
        if (!(of_layer(maps_, l)[i] > 0)) y[i] = 0;
    return y;
  }

  // With the weights of now, from this layer on.
  double loss_from(int l) const {
    std::vector<double> y = of_layer(x_, l);
    for (; l < layers(); ++l) y = outputs_of(l, y);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double added = trainer_.lesson().residual ? x_.front()[i] : 0, difference = y[i] + added - wanted_[i];
      sum += difference * difference;
    }
    return sum / static_cast<double>(y.size());
  }

  // How far rounding takes each layer's inputs and slopes: what its strategy may be off for inputs up to 1, and what it
  // makes of errors from before. Of the maps it is known how far they are off; they are given no more than they may be.
  void bound_errors() {
    double off = 0, moved = 0;
    for (int l = 0; l < layers(); ++l) {
      inputs_off_.push_back(off + moved);
      const Problem& layer = of_layer(network_, l);
      const double sum = layer_absolute_sum(layer), top = of_layer(tops_, l);
      off = std::min(trainer_.tolerance(l, Pass::forward) * std::max(1.0, top) + sum * off,
                     largest_difference(of_layer(x_, l + 1), of_layer(maps_, l)));
      // The differences are taken around a weight that is rounded once more.
      moved = sum * moved + rounding_unit * (largest(layer.filter.weights) + half_width) * top;
    }
    off += moved;
    // dY = 2 (Y + added − T) / n: the rounding of a sum, of a difference and of two products, and what Y is off.
    if (trainer_.lesson().residual) off += rounding_unit * (tops_.front() + tops_.back());
    off = 2 * off / static_cast<double>(wanted_.size()) + 3 * rounding_unit * largest(slopes_.back());
    slopes_off_.assign(network_.size(), 0);
    for (int l = layers(); l-- > 0;) {
      of_layer(slopes_off_, l) = off;
      if (l == 0) break;
      Problem layer = of_layer(network_, l);
      layer.layer.pass = Pass::to_input;
      off = trainer_.tolerance(l, Pass::to_input) * largest(of_layer(slopes_, l)) + layer_absolute_sum(layer) * off;
    }
  }

  void check_layer(int l, const float* gradient) {
    const Problem& layer = of_layer(network_, l);
    const LayerExtents e = layer_extents(layer);
    const double all_slopes = most_of_a_map(of_layer(slopes_, l), e), top = of_layer(tops_, l);
    if (top * all_slopes == 0) return;  // nothing is left to learn, or there is nothing to learn it from
    const double terms = static_cast<double>(e.samples) * e.out_height * e.out_width;
    const double slopes_off = terms * of_layer(slopes_off_, l) / all_slopes;
    // Of their strategy: over as many |dY| of 1 as there are terms.
    const double of_weights =
        trainer_.tolerance(l, Pass::to_weights) / terms + of_layer(inputs_off_, l) / top + slopes_off;
    const double of_biases = rounding_unit * (e.out_width + e.samples * e.out_height) + slopes_off;

    Filter& bank = of_layer(network_, l).filter;
    const std::size_t count = bank.weights.size() + bank.biases.size();
    const auto looked_at = std::min(count, static_cast<std::size_t>(most_));
    for (std::size_t i = 0; i < looked_at && !stop_requested(); ++i, ++found_.weights) {
      const std::size_t which = looked_at < 2 ? 0 : i * (count - 1) / (looked_at - 1);  // the last one, too: a bias
      const bool is_weight = which < bank.weights.size();
      float& weight = is_weight ? bank.weights[which] : bank.biases[which - bank.weights.size()];
      const double error = std::abs(slope_of(weight, l) - gradient[which]);
      if (is_weight)
        note(error / (top * all_slopes), of_weights);
      else
        note(error / all_slopes, of_biases);
    }
  }
  double slope_of(float& weight, int l) const {
    const float before = weight, above = before + half_width, below = before - half_width;
    weight = above;
    const double loss_above = loss_from(l);
    weight = below;
    const double loss_below = loss_from(l);
    weight = before;
    return (loss_above - loss_below) / (static_cast<double>(above) - below);
  }
  std::string why_none() const {
    if (largest(slopes_.back()) == 0) return "what comes out is exactly what is wanted, so the loss is 0";
    if (tops_.front() == 0) return "the picture is black where it was looked at";
    for (int l = 0; l < layers(); ++l)
      if (of_layer(network_, l).filter.relu && largest(of_layer(maps_, l)) == 0)
        return "ReLU makes all maps of layer " + std::to_string(l + 1) +
               " zero wherever they were looked at, so the loss does not depend on any weight";
    return "no slope of the loss reaches the weights";
  }
  void note(double error, double tolerance) {
    if (std::isnan(found_.error)) return;
    if (found_.tolerance > 0 && error * found_.tolerance <= found_.error * tolerance) return;
    found_.error = error;
    found_.tolerance = tolerance;
  }

  Trainer& trainer_;
  Network network_;
  const int most_;
  std::vector<std::vector<double>> x_;             // inputs of each layer, then the outputs
  std::vector<std::vector<float>> maps_, slopes_;  // of each layer, as the strategies made them
  std::vector<float> wanted_;
  std::vector<double> tops_;  // the largest input of each layer, then output
  std::vector<double> inputs_off_, slopes_off_;
  GradientCheck found_;
};

}  // namespace

GradientCheck check_gradients(Trainer& trainer, const Image& picture, int weights, const Image& wanted) {
  trainer.look_at(picture, wanted);
  return Check(trainer, weights).run();
}

}  // namespace convoscope
