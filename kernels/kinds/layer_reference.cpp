// The oracle of layers: the definition's products in double precision, each added where its pass wants it.
#include <algorithm>
#include <thread>
#include <utility>

#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/kinds/layer.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

class Oracle {
 public:
  Oracle(const Problem& problem, std::span<const Tensor> in)
      : pass_(problem.layer.pass), e_(layer_extents(problem)), filter_(problem.filter), in_(in) {
    result_.resize(layer_kind.outputs(problem)[0].elements());
  }

  std::vector<double> run(int threads) {
    threads = std::min(threads, parts());
    const auto every_so_many = [&](int first) {
      for (int part = first; part < parts(); part += threads) make(part);
    };
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(every_so_many, t);
    every_so_many(0);
    others.clear();  // joins
    if (pass_ == Pass::forward && !stop_.stop_requested()) finish();
    return std::move(result_);
  }

 private:
  // Planes of the output, none of which two threads write: those of samples and maps, of samples and channels, of maps.
  int parts() const {
    return pass_ == Pass::to_weights ? e_.maps : e_.samples * (pass_ == Pass::forward ? e_.maps : e_.channels);
  }
  void make(int part) {
    if (pass_ == Pass::forward) {
      const int n = part / e_.maps, m = part % e_.maps;
      for (int c = e_.first_channel(m); c < e_.first_channel(m) + e_.group_channels(); ++c) add_products(n, m, c);
    } else if (pass_ == Pass::to_input) {
      const int n = part / e_.channels, c = part % e_.channels;
      for (int m = e_.first_map(c); m < e_.first_map(c) + e_.group_maps(); ++m) add_products(n, m, c);
    } else {
      for (int n = 0; n < e_.samples; ++n)
        for (int c = e_.first_channel(part); c < e_.first_channel(part) + e_.group_channels(); ++c)
          add_products(n, part, c);
    }
  }

  // All that a sample, a map and one of its channels have in common.
  void add_products(int n, int m, int c) {
    for (int i = 0; i < e_.filter; ++i)
      for (int j = 0; j < e_.filter && !stop_.stop_requested(); ++j)
        for (int ho = 0; ho < e_.out_height; ++ho) {
          const int hi = e_.input_index(ho, i);
          if (hi >= 0 && hi < e_.height) add_row(n, m, c, hi, ho, j, e_.weight_index(m, c, i, j));
        }
  }
  void add_row(int n, int m, int c, int hi, int ho, int j, int weight) {
    const auto inside = [&](int wo) { return e_.input_index(wo, j) >= 0 && e_.input_index(wo, j) < e_.width; };
    int first = 0, last = e_.out_width;  // of the outputs whose input lies in the row
    while (first < last && !inside(first)) ++first;
    while (first < last && !inside(last - 1)) --last;
    const int start = e_.input_index(0, j), s = e_.stride;
    if (pass_ == Pass::forward) {
      const double w = filter_.weights[static_cast<std::size_t>(weight)];
      const float* x = row_of<const float>(in_[0], n, c, hi);
      double* y = result_row(n * e_.maps + m, ho, e_.out_height, e_.out_width);
      for (int wo = first; wo < last; ++wo) y[wo] += w * x[start + wo * s];
    } else if (pass_ == Pass::to_input) {
      const double w = filter_.weights[static_cast<std::size_t>(weight)];
      const float* dy = row_of<const float>(in_[0], n, m, ho);
      double* dx = result_row(n * e_.channels + c, hi, e_.height, e_.width);
      for (int wo = first; wo < last; ++wo) dx[start + wo * s] += w * dy[wo];
    } else {
      const float *x = row_of<const float>(in_[0], n, c, hi), *dy = row_of<const float>(in_[1], n, m, ho);
      double sum = 0;
      for (int wo = first; wo < last; ++wo) sum += static_cast<double>(x[start + wo * s]) * dy[wo];
      result_[static_cast<std::size_t>(weight)] += sum;
    }
  }

  double* result_row(int plane, int row, int rows, int columns) {
    return result_.data() + (static_cast<std::size_t>(plane) * rows + row) * static_cast<std::size_t>(columns);
  }

  void finish() {
    const std::size_t plane = static_cast<std::size_t>(e_.out_height) * static_cast<std::size_t>(e_.out_width);
    for (std::size_t i = 0; i < result_.size(); ++i) {
      if (!filter_.biases.empty()) result_[i] += filter_.biases[i / plane % static_cast<std::size_t>(e_.maps)];
      if (filter_.relu) result_[i] = std::max(result_[i], 0.0);
    }
  }

  const Pass pass_;
  const LayerExtents e_;
  const Filter& filter_;
  const std::span<const Tensor> in_;
  const std::stop_token stop_ = stop_at_hand();
  std::vector<double> result_;
};

}  // namespace

std::vector<double> layer_reference(const Problem& problem, std::span<const Tensor> in) {
  if (!number_format(problem.layer).empty()) {  // the same of what is multiplied
    Problem planes = problem;
    const Precision precision = std::exchange(planes.layer.precision, Precision::f32);
    planes.layer.layout = Layout::nchw;
    for (float& weight : planes.filter.weights) weight = as_multiplied(weight, precision);
    std::vector<FloatPlanes> numbers;
    std::vector<Tensor> tensors;
    for (const Tensor& tensor : in) numbers.emplace_back(tensor, precision);
    for (const FloatPlanes& one : numbers) tensors.push_back(one.planes);
    return layer_reference(planes, tensors);
  }
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return Oracle(problem, in).run(layer_products(problem) < 1e7 ? 1 : std::max(cores, 1));
}

}  // namespace convoscope
