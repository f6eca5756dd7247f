// The definition on every core, a vector of pixels at a time. Idea: rows of each frame are turned into floats once and
// kept in a ring of M_y rows; the frames are added one after the other into the same rows of sums.
// Traffic: every frame is read once, the output written once; M_x·M_y·M_t multiply-adds per output, and a quarter as
// many loads from the first-level cache.
// Limits: arithmetic, and the rings of all frames together, which outgrow the first-level cache.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/cpu/cpu_strips.h"
#include "kernels/kinds/volume.h"

namespace convoscope::cpu::volume::cpu_parallel {

namespace {

class ParallelPlan final : public Plan {
 public:
  ParallelPlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem), floats_(floats_per_pixel(problem.format)), workers_(worker_count(tuning)) {
    const int strip_width = strip_width_of(problem, tuning);
    const int window = problem.filter.height + rows::most_outputs - 1;  // rows that the outputs made at once need
    grid_ = StripGrid(problem, strip_width, workers_);
    for (int i = 0; i < workers_; ++i) {
      Scratch& scratch = scratch_.emplace_back();
      for (int t = 0; t < problem.filter.depth; ++t)
        scratch.lines.emplace_back(window, (strip_width + 2 * problem.filter.rx()) * floats_);
      scratch.sums = Ring<float>(rows::most_outputs, strip_width * floats_);
      scratch.window.resize(static_cast<std::size_t>(window));
    }
  }

  void set_filter(const Filter& filter) override { problem_.filter = filter; }
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) override {
    parallel_for(grid_.count(), workers_,
                 [&](int i, int worker) { run(grid_.at(i), scratch_[worker], in, rows_of(out[0])); });
  }

 private:
  struct Scratch {
    std::vector<Ring<float>> lines;  // of each frame
    Ring<float> sums;
    std::vector<const float*> window;  // the lines of one frame that the current outputs need
  };

  void run(const Strip& strip, Scratch& scratch, std::span<const Tensor> in, const Image& out) const {
    const Filter& filter = problem_.filter;
    const int rx = filter.rx(), ry = filter.ry();
    int loaded = strip.y0 - ry;  // lines before this one are in the rings
    for (int y = strip.y0; y < strip.y1 && !stop_requested(); y += rows::most_outputs) {
      const int outputs = std::min(rows::most_outputs, strip.y1 - y);
      float* sums[rows::most_outputs];
      for (int k = 0; k < outputs; ++k) sums[k] = scratch.sums.row(y + k);
      const float* weights = filter.weights.data();
      for (int t = 0; t < filter.depth; ++t, weights += filter.width * filter.height) {
        Ring<float>& lines = scratch.lines[static_cast<std::size_t>(t)];
        for (int line = loaded; line < y + outputs + ry; ++line)
          load_line(rows_of(in[static_cast<std::size_t>(t)]), line, strip.x0 - rx, strip.x1 + rx, problem_.border,
                    lines.row(line));
        for (int j = 0; j < outputs + 2 * ry; ++j) scratch.window[static_cast<std::size_t>(j)] = lines.row(y - ry + j);
        (t == 0 ? rows::correlate : rows::add_correlation)(scratch.window.data(), filter.height, weights, filter.width,
                                                           floats_, sums, outputs, strip.width() * floats_);
      }
      loaded = y + outputs + ry;
      for (int k = 0; k < outputs; ++k)
        store_line(sums[k], nullptr, filter, rows_of(in[static_cast<std::size_t>(filter.rt())]), out, y + k, strip);
    }
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
        "The same sums on every core, eight or sixteen at a time. Strips of rows of all frames stay in the cache; the "
        "frames are added one after the other, and each loaded vector serves four rows of outputs.",
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
                               "of this window are added row by row, the oldest frame first.");
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::cpu::volume::cpu_parallel
