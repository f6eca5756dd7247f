// The definition on every core, a vector of samples at a time. Idea: strips of a channel are copied with what the
// border says around them; then a few vectors of neighbouring outputs are summed at once, tap by tap.
// Traffic: the signal is read and written once; M multiply-adds and M loads from the first-level cache per output, a
// vector of outputs at a time.
// Limits: those loads, most of which lie across two cache lines. Twice the taps take twice as long; cpu-fft escapes
// that.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/cpu/cpu_strips.h"
#include "kernels/kinds/signal.h"

namespace convoscope::cpu::signal::cpu_parallel {

namespace {

// Outputs that one thread makes at a time: few enough that they stay in the first-level cache, and that all threads
// have some.
int strip_length(const Problem& p, int workers) {
  constexpr long shortest = 256, longest = 4096, for_each_worker = 4;
  return static_cast<int>(std::clamp(long{p.width} * p.height / (for_each_worker * workers), shortest, longest));
}

class ParallelPlan final : public Plan {
 public:
  ParallelPlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem),
        workers_(worker_count(tuning)),
        strip_(strip_length(problem, workers_)),
        strips_((problem.width + strip_ - 1) / strip_) {
    const int outputs = std::min(strip_, problem.width);
    for (int i = 0; i < workers_; ++i)
      scratch_.push_back({Ring<float>(1, outputs + 2 * problem.filter.rx()), Ring<float>(1, outputs)});
  }
  void set_filter(const Filter& filter) override { problem_.filter = filter; }
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) override {
    const Image channels = rows_of(in[0]), results = rows_of(out[0]);
    parallel_for(strips_ * problem_.height, workers_, [&](int i, int worker) {
      run(i / strips_, i % strips_ * strip_, scratch_[worker], channels, results);
    });
  }

 private:
  struct Scratch {
    Ring<float> samples, sums;
  };

  void run(int channel, int first, Scratch& scratch, const Image& in, const Image& out) const {
    const int last = std::min(first + strip_, problem_.width), radius = problem_.filter.rx();
    float* const samples = scratch.samples.row(0);
    float* const sums = scratch.sums.row(0);
    load_line(in, channel, first - radius, last + radius, problem_.border, samples);
    rows::correlate(&samples, 1, problem_.filter.weights.data(), problem_.filter.width, 1, &sums, 1, last - first);
    store_line(sums, nullptr, problem_.filter, in, out, channel, {first, last, channel, channel + 1});
  }

  Problem problem_;
  int workers_, strip_, strips_;  // a strip's outputs, and how many of them a channel has
  std::vector<Scratch> scratch_;  // one for each worker
};

constexpr Tunable tunables[] = {threads_tunable};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-parallel",
    .title = "All cores, vectorised",
    .idea =
        "The same sums on every core, eight or sixteen at a time: neighbouring outputs want neighbouring samples, so "
        "they fill a vector.",
    .reading = "PMPP 4th ed., ch. 7.1; Highway's vectors stand in for a warp",
    .backend = Backend::cpu,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = refuses_nothing,
    .plans = plan_of<ParallelPlan>,
    .costs = direct_cost,
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const int workers = worker_count(t);
          const int strip = strip_length(p, workers), first = at.x / strip * strip;
          return Explanation{.steps = {},
                             .words = "A strip is samples " + std::to_string(first) + " to " +
                                      std::to_string(std::min(first + strip, p.width) - 1) + " of channel " +
                                      std::to_string(at.y) + ", which one of " + std::to_string(workers) +
                                      " threads takes. A vector of neighbouring outputs is summed at once, from the "
                                      "first tap to the last."};
        },
    .kind = &signal_kind,
};

}  // namespace convoscope::cpu::signal::cpu_parallel
