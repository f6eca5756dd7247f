// A row pass and a column pass on every core. Idea: a filter that is a column times a row is applied as the row along
// each line and then the column down the results, 2M multiply-adds for M².
// Traffic: the image is read and written once; the results of the row pass stay in a ring of M lines in the cache, so
// the picture between the two passes never exists in memory. Limits: filters of rank 1 only, found from the singular
// values of the weights. Each band computes 2·ry lines twice.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/cpu/cpu_strips.h"
#include "kernels/filter/separability.h"

namespace convoscope::cpu::cpu_separable {

namespace {

class SeparablePlan final : public ImagePlan {
 public:
  SeparablePlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem), floats_(floats_per_pixel(problem.format)), workers_(worker_count(tuning)) {
    const int strip_width = strip_width_of(problem, tuning);
    const int lines = problem.filter.height + rows::most_outputs - 1;
    const int sets = problem.filter.is_magnitude() ? 2 : 1;
    grid_ = StripGrid(problem, strip_width, workers_);
    for (int i = 0; i < workers_; ++i) {
      Scratch& scratch = scratch_.emplace_back();
      scratch.line = Ring<float>(1, (strip_width + 2 * problem.filter.rx()) * floats_);
      for (int s = 0; s < sets; ++s) {
        scratch.passed[s] = Ring<float>(lines, strip_width * floats_);
        scratch.sums[s] = Ring<float>(rows::most_outputs, strip_width * floats_);
      }
      scratch.window.resize(lines);
    }
    set_filter(problem.filter);
  }

  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    factors_.clear();
    for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y})
      if (!weights->empty())
        factors_.push_back(factor_rank_one(weights->data(), filter.width, filter.height, rank_one_tolerance).value());
  }
  void prepare(Stream) override {}
  void enqueue_frame(const Image& in, const Image& out, Stream) override {
    parallel_for(grid_.count(), workers_, [&](int i, int worker) { run(grid_.at(i), scratch_[worker], in, out); });
  }

 private:
  struct Scratch {
    Ring<float> line;                  // one line of input
    Ring<float> passed[2];             // lines after the row pass, for each weight set
    Ring<float> sums[2];               // outputs
    std::vector<const float*> window;  // the lines that the current outputs need
  };

  void run(const Strip& strip, Scratch& scratch, const Image& in, const Image& out) const {
    const int ry = problem_.filter.ry();
    int passed = strip.y0 - ry;  // lines before this one are in the ring
    for (int y = strip.y0; y < strip.y1 && !stop_requested(); y += rows::most_outputs) {
      const int outputs = std::min(rows::most_outputs, strip.y1 - y);
      for (; passed < y + outputs + ry; ++passed) row_pass(passed, strip, scratch, in);
      for (std::size_t s = 0; s < factors_.size(); ++s) column_pass(s, y, outputs, strip, scratch);
      for (int k = 0; k < outputs; ++k)
        store_line(scratch.sums[0].row(k), factors_.size() > 1 ? scratch.sums[1].row(k) : nullptr, problem_.filter, in,
                   out, y + k, strip);
    }
  }

  void row_pass(int y, const Strip& strip, Scratch& scratch, const Image& in) const {
    const Filter& filter = problem_.filter;
    const float* line = scratch.line.row(0);
    load_line(in, y, strip.x0 - filter.rx(), strip.x1 + filter.rx(), problem_.border, scratch.line.row(0));
    for (std::size_t s = 0; s < factors_.size(); ++s) {
      float* result = scratch.passed[s].row(y);
      rows::correlate(&line, 1, factors_[s].row.data(), filter.width, floats_, &result, 1, strip.width() * floats_);
    }
  }

  void column_pass(std::size_t s, int y, int outputs, const Strip& strip, Scratch& scratch) const {
    const Filter& filter = problem_.filter;
    float* sums[rows::most_outputs];
    for (int k = 0; k < outputs; ++k) sums[k] = scratch.sums[s].row(k);
    for (int j = 0; j < outputs + 2 * filter.ry(); ++j) scratch.window[j] = scratch.passed[s].row(y - filter.ry() + j);
    rows::correlate(scratch.window.data(), filter.height, factors_[s].column.data(), 1, floats_, sums, outputs,
                    strip.width() * floats_);
  }

  Problem problem_;
  int floats_, workers_;
  StripGrid grid_;
  std::vector<SeparableFactors> factors_;  // one for each weight set
  std::vector<Scratch> scratch_;           // one for each worker
};

constexpr Tunable tunables[] = {threads_tunable, strip_width_tunable};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-separable",
    .title = "All cores, rows then columns",
    .idea =
        "A filter that is a column times a row needs no M² multiplies: the row is applied along each line, the column "
        "down the results, 2M in all. The lines between the two passes wait in the cache.",
    .reading = "PMPP 4th ed., ch. 7, exercises; CUDA sample convolutionSeparable",
    .backend = Backend::cpu,
    .tunables = tunables,
    .tolerance = separable_sum_bound,
    .refuses = [](const Problem& p, const Device&, const Tuned&) { return separable_reason(p.filter); },
    .plans = plan_of<SeparablePlan>,
    .costs = two_pass_cost,
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return explain_strip(p, t, at.x, at.y,
                               "The lines of the strip are filtered along the row first; then the sums of the lines "
                               "around this output are added, a vector of columns at once.");
        },
};

}  // namespace convoscope::cpu::cpu_separable
