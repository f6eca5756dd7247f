// The definition, as plain loops on one core. Idea: for each output, walk over the channels and, in each, over the
// window, and add weight times input; the gradients ask the other way which outputs an input was in.
// Traffic: C/g·K² loads and multiply-adds per output forward, M/g·K² to the input, N·Hₒ·Wₒ to the weights.
// Numbers of every type and order: a row is where it begins and how far it is to the next number.
// Limits: none but patience. It is the picture of what every other strategy computes.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/contract/data/half.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/contract/theory/type_rounding.h"
#include "kernels/kinds/layer.h"
#include "kernels/threads/stop.h"

namespace convoscope::cpu::layer::cpu_direct {
namespace {

// One of a tensor, in host code: its numbers as they are multiplied.
struct Row {
  const char* first;
  std::ptrdiff_t step;
  Precision precision;
  float operator[](int x) const {
    const char* const number = first + x * step;
    if (precision == Precision::f16) return from_half(*reinterpret_cast<const std::uint16_t*>(number));
    const float value = *reinterpret_cast<const float*>(number);
    return precision == Precision::f32 ? value : as_multiplied(value, precision);
  }
};

class DirectPlan final : public Plan {
 public:
  explicit DirectPlan(const Problem& problem) : layer_(problem.layer), e_(layer_extents(problem)) {
    DirectPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    filter_ = filter;
    for (float& weight : filter_.weights) weight = as_multiplied(weight, layer_.precision);
  }
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) override {
    const Shape& shape = out[0].shape;
    for (int n = 0; n < shape.samples(); ++n)
      for (int c = 0; c < shape.channels(); ++c)
        for (int y = 0; y < shape.height(); ++y) {
          char* result = row_of<char>(out[0], n, c, y);
          for (int x = 0; x < shape.width(); ++x, result += out[0].stride[4]) {
            if (x % 64 == 0 && stop_requested()) return;
            if (layer_.precision == Precision::f16)
              *reinterpret_cast<std::uint16_t*>(result) = to_half(output(in, n, c, y, x));
            else
              *reinterpret_cast<float*>(result) = output(in, n, c, y, x);
          }
        }
  }

 private:
  Row row(const Tensor& tensor, int n, int c, int y) const {
    return {row_of<const char>(tensor, n, c, y), tensor.stride[4], layer_.precision};
  }
  float output(std::span<const Tensor> in, int n, int c, int y, int x) const {
    if (layer_.pass == Pass::forward) return forward(in[0], n, c, y, x);
    return layer_.pass == Pass::to_input ? to_input(in[0], n, c, y, x) : to_weights(in[0], in[1], n, c, y, x);
  }

  float forward(const Tensor& x, int n, int m, int ho, int wo) const {
    float sum = 0;
    for (int c = e_.first_channel(m); c < e_.first_channel(m) + e_.group_channels(); ++c)
      for (int i = 0; i < e_.filter; ++i)
        for (int j = 0; j < e_.filter; ++j) {
          const int hi = e_.input_index(ho, i), wi = e_.input_index(wo, j);
          if (hi >= 0 && hi < e_.height && wi >= 0 && wi < e_.width) sum += weight(m, c, i, j) * row(x, n, c, hi)[wi];
        }
    if (!filter_.biases.empty()) sum += filter_.biases[static_cast<std::size_t>(m)];
    return filter_.relu ? std::max(sum, 0.0f) : sum;
  }
  // Each output in which the input was, by the weight that it had there.
  float to_input(const Tensor& dy, int n, int c, int hi, int wi) const {
    float sum = 0;
    for (int m = e_.first_map(c); m < e_.first_map(c) + e_.group_maps(); ++m)
      for (int i = 0; i < e_.filter; ++i)
        for (int j = 0; j < e_.filter; ++j) {
          const int ho = e_.output_index(hi, i, e_.out_height), wo = e_.output_index(wi, j, e_.out_width);
          if (ho >= 0 && wo >= 0) sum += weight(m, c, i, j) * row(dy, n, m, ho)[wo];
        }
    return sum;
  }
  // Each output times the input that the weight had there; summed row by row, so that no sum grows too long.
  float to_weights(const Tensor& x, const Tensor& dy, int m, int group_channel, int i, int j) const {
    const int c = e_.first_channel(m) + group_channel;
    float sum = 0;
    for (int n = 0; n < e_.samples; ++n)
      for (int ho = 0; ho < e_.out_height; ++ho) {
        const int hi = e_.input_index(ho, i);
        if (hi < 0 || hi >= e_.height) continue;
        const Row inputs = row(x, n, c, hi), gradients = row(dy, n, m, ho);
        float products = 0;
        for (int wo = 0; wo < e_.out_width; ++wo)
          if (const int wi = e_.input_index(wo, j); wi >= 0 && wi < e_.width) products += inputs[wi] * gradients[wo];
        sum += products;
      }
    return sum;
  }
  float weight(int m, int c, int i, int j) const {
    return filter_.weights[static_cast<std::size_t>(e_.weight_index(m, c, i, j))];
  }

  const Layer layer_;
  const LayerExtents e_;
  Filter filter_;
};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-direct",
    .title = "One core, plain loops",
    .idea =
        "The definition as it stands: for each output, walk over the channels and, in each, over the window, and add "
        "weight times input.",
    .reading = "PMPP 4th ed., ch. 16.3",
    .backend = Backend::cpu,
    .tunables = {},
    .tolerance = [](const Problem& p) { return rounded_factors_bound(p, layer_roundings(p)); },
    .refuses = refuses_nothing,
    .plans = plan_of<DirectPlan>,
    .costs = direct_cost,
    .explains =
        [](const Problem& p, const Device&, const Tuned&, const OutputIndex& at) {
          return Explanation{.steps = {},
                             .words =
                                 "One thread goes through the planes of the output one after the other, and "
                                 "through each row by row. In row " +
                                 std::to_string(at.y) + " of plane " + std::to_string(at.channel) +
                                 " it adds this output's " + std::to_string(std::llround(layer_terms(p))) +
                                 " products and writes it."};
        },
    .plain = true,
    .kind = &layer_kind,
};

}  // namespace convoscope::cpu::layer::cpu_direct
