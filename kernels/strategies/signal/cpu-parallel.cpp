// The definition on every core, a vector of samples at a time. Idea: strips of a channel are copied with what the
// border says around them, and then summed. Long filters are cut into rows of 64 taps: what begins 64 samples later
// then meets the row of taps before, so that each loaded vector serves four rows of outputs.
// Traffic: the signal is read and written once; M multiply-adds per output, M/4 loads from the first-level cache.
// Limits: arithmetic. Twice the taps take twice as long; cpu-fft escapes that.
#include "kernels/contract/model.h"
#include "kernels/contract/tolerance.h"
#include "kernels/cpu/cpu_strips.h"
#include "kernels/kinds/signal.h"

namespace convoscope::cpu::signal {

extern const Strategy cpu_parallel_strategy;

namespace {

constexpr int row_taps = 64, rows_at_once = rows::most_outputs, outputs_at_once = rows_at_once * row_taps;
constexpr int fewest_taps_in_rows = 4 * row_taps;  // below, the zeros that fill up the last row cost too much
constexpr int strip = 16 * outputs_at_once;

class ParallelPlan final : public Plan {
 public:
  ParallelPlan(const Problem& problem, const Tuning& tuning)
      : problem_(problem),
        workers_(worker_count(tuned(cpu_parallel_strategy, tuning, "threads"))),
        strips_((problem.width + strip - 1) / strip),
        row_count_(problem.filter.width < fewest_taps_in_rows ? 1 : (problem.filter.width + row_taps - 1) / row_taps) {
    const int reach = row_count_ == 1 ? problem.filter.width : row_count_ * row_taps;
    const int length = std::min(strip, problem.width) + outputs_at_once + reach;
    for (int i = 0; i < workers_; ++i) scratch_.push_back({Ring<float>(1, length), Ring<float>(1, length)});
    ParallelPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_ = filter.weights;
    if (row_count_ > 1) weights_.resize(static_cast<std::size_t>(row_count_) * row_taps);
  }
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) override {
    const Image channels = rows_of(in[0]), results = rows_of(out[0]);
    parallel_for(strips_ * problem_.height, workers_, [&](int i, int worker) {
      run(i / strips_, i % strips_ * strip, scratch_[worker], channels, results);
    });
  }

 private:
  struct Scratch {
    Ring<float> samples, sums;
  };

  void run(int channel, int first, Scratch& scratch, const Image& in, const Image& out) const {
    const int last = std::min(first + strip, problem_.width), radius = problem_.filter.rx();
    float* const samples = scratch.samples.row(0);
    float* const sums = scratch.sums.row(0);
    load_line(in, channel, first - radius, last + radius, problem_.border, samples);
    std::fill_n(samples + (last - first) + 2 * radius, rows::slack, 0.0f);
    if (row_count_ == 1)
      rows::correlate(&samples, 1, weights_.data(), problem_.filter.width, 1, &sums, 1, last - first);
    else
      for (int i = 0; i < last - first; i += outputs_at_once) correlate_rows(samples + i, sums + i);
    store_line(sums, nullptr, problem_.filter, in, out, channel, {first, last, channel, channel + 1});
  }

  // sums[64 k + i] = Σ_j Σ_t taps[64 j + t] · samples[64 (k + j) + i + t]: rows 64 samples apart, as of an image.
  void correlate_rows(const float* samples, float* sums) const {
    constexpr int most_rows = (max_filter_taps_1d + row_taps - 1) / row_taps + rows_at_once - 1;
    const float* in[most_rows];
    float* out[rows_at_once];
    for (int row = 0; row < row_count_ + rows_at_once - 1; ++row) in[row] = samples + row * row_taps;
    for (int k = 0; k < rows_at_once; ++k) out[k] = sums + k * row_taps;
    rows::correlate(in, row_count_, weights_.data(), row_taps, 1, out, rows_at_once, row_taps);
  }

  Problem problem_;
  int workers_, strips_, row_count_;
  std::vector<float> weights_;    // filled up with zeros to whole rows
  std::vector<Scratch> scratch_;  // one for each worker
};

constexpr Tunable tunables[] = {threads_tunable};

}  // namespace

const Strategy cpu_parallel_strategy{
    .id = "cpu-parallel",
    .title = "All cores, vectorised",
    .idea =
        "The same sums on every core, eight or sixteen at a time. Long filters are cut into rows of 64 taps, so that "
        "each loaded vector of samples serves four vectors of outputs.",
    .reading = "PMPP 4th ed., ch. 7.1; Highway's vectors stand in for a warp",
    .backend = Backend::cpu,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .unsupported = [](const Problem&, const Device&, const Tuning&) { return std::string(); },
    .plan = [](const Problem& p, const Device&, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<ParallelPlan>(p, t);
    },
    .model = [](const Problem& p, const Tuning&) { return direct_cost(p); },
    .explain =
        [](const Problem& p, const Device&, const Tuning& t, int x, int y) {
          const int first = x / strip * strip, workers = worker_count(tuned(cpu_parallel_strategy, t, "threads"));
          return Explanation{.steps = {},
                             .words = "A strip is samples " + std::to_string(first) + " to " +
                                      std::to_string(std::min(first + strip, p.width) - 1) + " of channel " +
                                      std::to_string(y) + ", which one of " + std::to_string(workers) +
                                      " threads takes. A vector of neighbouring outputs is summed at once, from the "
                                      "first tap to the last."};
        },
    .kind = &signal_kind,
};

}  // namespace convoscope::cpu::signal
