// The definition, as plain loops on one core. Idea: for each output, walk over the taps and add tap times sample.
// Traffic: M loads and M multiply-adds per output for M taps; the first-level cache serves nearly all loads.
// Limits: none but patience. It is the picture of what every other strategy computes.
#include <cmath>

#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/kinds/signal.h"
#include "kernels/threads/stop.h"

namespace convoscope::cpu::signal::cpu_direct {
namespace {

class DirectPlan final : public Plan {
 public:
  explicit DirectPlan(const Problem& problem) : problem_(problem) {}
  void set_filter(const Filter& filter) override { problem_.filter = filter; }
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) override {
    for (int channel = 0; channel < problem_.height; ++channel) {
      const float* samples = row_of<const float>(in[0], 0, channel, 0);
      float* results = row_of<float>(out[0], 0, channel, 0);
      for (int i = 0; i < problem_.width; ++i) {
        if (i % 64 == 0 && stop_requested()) return;
        results[i] = output(samples, i);
      }
    }
  }

 private:
  float output(const float* samples, int i) const {
    const Filter& filter = problem_.filter;
    float sum = 0;
    for (int tap = 0; tap < filter.width; ++tap) {
      const int source = border_index(i - filter.rx() + tap, problem_.width, problem_.border);
      if (source >= 0) sum += filter.weights[static_cast<std::size_t>(tap)] * samples[source];
    }
    const float value = filter.gain * sum + filter.bias;
    return filter.absolute ? std::abs(value) : value;
  }
  Problem problem_;
};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-direct",
    .title = "One core, plain loops",
    .idea = "The definition as it stands: for each output, walk over the taps and add tap times sample.",
    .reading = "PMPP 4th ed., ch. 7.1",
    .backend = Backend::cpu,
    .tunables = {},
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = refuses_nothing,
    .plans = plan_of<DirectPlan>,
    .costs = direct_cost,
    .explains =
        [](const Problem&, const Device&, const Tuned&, const OutputIndex& at) {
          return Explanation{.steps = {},
                             .words = "One thread goes through the channels and, in channel " + std::to_string(at.y) +
                                      ", through the samples. At sample " + std::to_string(at.x) +
                                      " it adds the products from the first tap to the last and writes the output."};
        },
    .plain = true,
    .kind = &signal_kind,
};

}  // namespace convoscope::cpu::signal::cpu_direct
