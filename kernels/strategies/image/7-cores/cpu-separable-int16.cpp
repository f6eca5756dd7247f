// A column pass and a row pass on every core in 16-bit fixed point. Idea: code values have 8 bits, so 16-bit taps and a
// 16-bit intermediate are exact to a small part of a code value. A vector holds twice as many of them as floats, the
// processor multiplies a pair at once, and nothing is converted to float and back.
// Traffic: as cpu-separable, but what waits in the cache is lines of input, half as large. Limits: rgba8, rank 1, one
// weight set, and weights for which the rounding costs little: separable_int16() bounds it.
#include <hwy/cache_control.h>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/cpu/cpu_int16_rows.h"
#include "kernels/cpu/cpu_strips.h"
#include "kernels/filter/separability.h"
#include "kernels/strategies/shared/image/separable_int16.h"
#include "kernels/text/number_text.h"

namespace convoscope::cpu::cpu_separable_int16 {

namespace {

using int16_rows::line_of_pairs, int16_rows::pair_of_lines;

class SeparableInt16Plan final : public ImagePlan {
 public:
  SeparableInt16Plan(const Problem& problem, const Tuned& tuning) : problem_(problem), workers_(worker_count(tuning)) {
    const int strip_width = strip_width_of(problem, tuning);
    const int length = strip_width + 2 * problem.filter.rx() + 2 * int16_rows::slack;
    grid_ = StripGrid(problem, strip_width, workers_);
    for (int i = 0; i < workers_; ++i) {
      Scratch& scratch = scratch_.emplace_back();
      scratch.lines = Ring<std::uint8_t>(2, 4 * length);
      scratch.pairs = Ring<std::int16_t>(problem.filter.ry() + 1, pair_of_lines * length);
      scratch.passed = Ring<std::int16_t>(2, line_of_pairs * length);
      scratch.window.resize(problem.filter.ry() + 1);
    }
    set_filter(problem.filter);
  }

  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    const SeparableInt16 fixed = separable_int16(filter);
    column_ = int16_rows::TapPairs(fixed.column);
    row_ = int16_rows::TapPairs(fixed.row);
    column_shift_ = fixed.column_shift;
    finish_ = {fixed.bias, fixed.row_shift, filter.absolute};
    cost_ = fixed.cost;
  }
  void prepare(Stream) override {}
  void enqueue_frame(const Image& in, const Image& out, Stream) override {
    parallel_for(grid_.count(), workers_, [&](int i, int worker) { run(grid_.at(i), scratch_[worker], in, out); });
  }
  std::string note() const override {
    return "taps and the intermediate in 16 bits, which costs at most " + rounded_text(cost_, 2) + " code values";
  }

 private:
  struct Scratch {
    Ring<std::uint8_t> lines;                 // two lines of input
    Ring<std::int16_t> pairs;                 // lines of input by twos, as many as the filter is high
    Ring<std::int16_t> passed;                // two lines after the column pass
    std::vector<const std::int16_t*> window;  // the pairs that the current outputs need
  };

  // Two output lines at a time: with one more line than the filter is high, they need the same pairs of lines.
  void run(const Strip& strip, Scratch& scratch, const Image& in, const Image& out) const {
    const int rx = problem_.filter.rx(), ry = problem_.filter.ry();
    for (int pair = 0; pair < ry; ++pair) load_pair(pair, strip, scratch, in);
    for (int y = strip.y0; y < strip.y1 && !stop_requested(); y += 2) {
      const int pair = (y - strip.y0) / 2;
      load_pair(pair + ry, strip, scratch, in);
      for (int i = 0; i <= ry; ++i) scratch.window[i] = scratch.pairs.row(pair + i);
      std::int16_t* passed[] = {scratch.passed.row(0), scratch.passed.row(1)};
      int16_rows::filter_columns(scratch.window.data(), column_, column_shift_, passed, strip.width() + 2 * rx);
      for (int k = 0; k < std::min(2, strip.y1 - y); ++k)
        int16_rows::filter_row(passed[k], row_, finish_, pixel<const std::uint8_t>(in, strip.x0, y + k),
                               pixel<std::uint8_t>(out, strip.x0, y + k), strip.width());
    }
  }

  // Lines 2 · pair and 2 · pair + 1 of those that the strip needs, the first of which lies ry above it.
  void load_pair(int pair, const Strip& strip, Scratch& scratch, const Image& in) const {
    const int rx = problem_.filter.rx(), y = strip.y0 - problem_.filter.ry() + 2 * pair;
    for (int k = 2; k < 4; ++k) prefetch_line(in, y + k, strip);
    for (int k = 0; k < 2; ++k)
      load_line(in, y + k, strip.x0 - rx, strip.x1 + rx, problem_.border, scratch.lines.row(k));
    int16_rows::pair_lines(scratch.lines.row(0), scratch.lines.row(1), scratch.pairs.row(pair), strip.width() + 2 * rx);
  }

  static constexpr int cache_line = 64;
  // Lines of a strip lie far apart in memory, where the processor does not see by itself what comes next.
  static void prefetch_line(const Image& in, int y, const Strip& strip) {
    if (y < 0 || y >= in.height) return;
    const auto* line = pixel<const std::uint8_t>(in, strip.x0, y);
    for (int i = 0; i < 4 * strip.width(); i += cache_line) hwy::Prefetch(line + i);
  }

  template <class T>
  static T* pixel(const Image& image, int x, int y) {
    return reinterpret_cast<T*>(static_cast<char*>(image.data) + y * image.pitch) + 4 * static_cast<std::ptrdiff_t>(x);
  }

  Problem problem_;
  int workers_;
  StripGrid grid_;
  int16_rows::TapPairs column_, row_;
  int column_shift_ = 1;
  int16_rows::Finish finish_;
  double cost_ = 0;
  std::vector<Scratch> scratch_;  // one for each worker
};

constexpr Tunable tunables[] = {threads_tunable, strip_width_tunable};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-separable-int16",
    .title = "Columns then rows, integers",
    .idea =
        "Pixels of 8 bits need no float: taps and the sums between the passes are 16-bit integers, twice as many to a "
        "vector, and one instruction multiplies a pair of them and adds the products. What rounding costs is known "
        "beforehand.",
    .reading = "Intel Intrinsics Guide, _mm512_madd_epi16; PMPP 4th ed., ch. 7, exercises",
    .backend = Backend::cpu,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return separable_int16(p.filter).cost; },
    .refuses = [](const Problem& p, const Device&, const Tuned&) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "its integers are for 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (p.filter.is_magnitude()) return "its sums stay integers to the end, which leaves no room for edge magnitudes";
      if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
      return separable_int16(p.filter).trouble;
    },
    .plans = plan_of<SeparableInt16Plan>,
    .costs = two_pass_cost,
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return explain_strip(
              p, t, at.x, at.y,
              "The lines of the strip wait in pairs, as integers. Sums down the columns of two rows of "
              "outputs come first, cut to 16 bits; then sums along the row.");
        },
};

}  // namespace convoscope::cpu::cpu_separable_int16
