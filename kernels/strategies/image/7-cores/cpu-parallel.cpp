// The definition on every core, a vector of pixels at a time. Idea: rows are turned into floats once and kept in a ring
// of M rows; each loaded vector is multiplied into four rows of outputs, so that loads don't hold up the multiplies.
// Traffic: the image is read and written once; M² multiply-adds per output, M²/4 loads from the first-level cache.
// Limits: arithmetic. Twice the radius takes four times as long; cpu-separable escapes that where the filter allows it.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/cpu/cpu_strips.h"

namespace convoscope::cpu::cpu_parallel {

namespace {

class ParallelPlan final : public ImagePlan {
 public:
  ParallelPlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem), floats_(floats_per_pixel(problem.format)), workers_(worker_count(tuning)) {
    const int strip_width = strip_width_of(problem, tuning);
    grid_ = StripGrid(problem, strip_width, workers_);
    for (int i = 0; i < workers_; ++i)
      scratch_.push_back({Ring<float>(problem.filter.height + rows::most_outputs - 1,
                                      (strip_width + 2 * problem.filter.rx()) * floats_),
                          Ring<float>(2 * rows::most_outputs, strip_width * floats_),
                          std::vector<const float*>(problem.filter.height + rows::most_outputs - 1)});
  }

  void set_filter(const Filter& filter) override { problem_.filter = filter; }
  void prepare(Stream) override {}
  void enqueue_frame(const Image& in, const Image& out, Stream) override {
    parallel_for(grid_.count(), workers_, [&](int i, int worker) { run(grid_.at(i), scratch_[worker], in, out); });
  }

 private:
  struct Scratch {
    Ring<float> lines, sums;
    std::vector<const float*> window;  // the lines that the current outputs need
  };

  void run(const Strip& strip, Scratch& scratch, const Image& in, const Image& out) const {
    const Filter& filter = problem_.filter;
    const int rx = filter.rx(), ry = filter.ry();
    int loaded = strip.y0 - ry;  // lines before this one are in the ring
    for (int y = strip.y0; y < strip.y1 && !stop_requested(); y += rows::most_outputs) {
      const int outputs = std::min(rows::most_outputs, strip.y1 - y);
      for (; loaded < y + outputs + ry; ++loaded)
        load_line(in, loaded, strip.x0 - rx, strip.x1 + rx, problem_.border, scratch.lines.row(loaded));
      for (int j = 0; j < outputs + 2 * ry; ++j) scratch.window[j] = scratch.lines.row(y - ry + j);
      correlate(filter.weights, 0, outputs, strip, scratch);
      if (filter.is_magnitude()) correlate(filter.weights_y, rows::most_outputs, outputs, strip, scratch);
      for (int k = 0; k < outputs; ++k)
        store_line(scratch.sums.row(k), filter.is_magnitude() ? scratch.sums.row(rows::most_outputs + k) : nullptr,
                   filter, in, out, y + k, strip);
    }
  }

  void correlate(const std::vector<float>& weights, int first_sum, int outputs, const Strip& strip,
                 Scratch& scratch) const {
    float* sums[rows::most_outputs];
    for (int k = 0; k < outputs; ++k) sums[k] = scratch.sums.row(first_sum + k);
    rows::correlate(scratch.window.data(), problem_.filter.height, weights.data(), problem_.filter.width, floats_, sums,
                    outputs, strip.width() * floats_);
  }

  Problem problem_;
  int floats_, workers_;
  StripGrid grid_;
  std::vector<Scratch> scratch_;  // one for each worker
};

constexpr Tunable tunables[] = {threads_tunable, strip_width_tunable};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-parallel",
    .title = "All cores, vectorised",
    .idea =
        "The same sums on every core, eight or sixteen at a time. A strip of rows is kept in the first-level cache, "
        "and each loaded vector serves four rows of outputs before the next is loaded.",
    .reading = "PMPP 4th ed., ch. 7.1; Highway's vectors stand in for a warp",
    .backend = Backend::cpu,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = refuses_nothing,
    .plans = plan_of<ParallelPlan>,
    .costs = direct_cost,
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return explain_strip(p, t, at.x, at.y,
                               "A vector of neighbouring outputs is summed at once, for up to four rows: the products "
                               "of this window are added row by row.");
        },
};

}  // namespace convoscope::cpu::cpu_parallel
