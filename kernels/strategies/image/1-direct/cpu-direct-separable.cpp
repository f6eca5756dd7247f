// The definition in two passes, as plain loops on one core. Idea: a filter that is a column times a row is applied
// along the rows first, into a picture of sums, and then down its columns: 2M multiply-adds an output in place of M².
// Traffic: 2M loads per output for a filter of width M, and the sums once out and in again.
// Limits: filters of rank 1 only. One multiply at a time, so it tells what the algorithm saves and nothing else.
#include <algorithm>
#include <cmath>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/filter/separability.h"
#include "kernels/threads/stop.h"

namespace convoscope::cpu::cpu_direct_separable {
namespace {

template <class Pixel>
constexpr int colours = std::is_same_v<Pixel, Rgba8> ? 3 : 1;

template <class Pixel>
float colour(const Pixel& pixel, int c) {
  if constexpr (std::is_same_v<Pixel, Rgba8>)
    return c == 0 ? pixel.r : c == 1 ? pixel.g : pixel.b;
  else
    return pixel;
}

class TwoLoopsPlan final : public ImagePlan {
 public:
  explicit TwoLoopsPlan(const Problem& problem) : problem_(problem) {
    const int per_pixel = problem.format == PixelFormat::rgba8 ? colours<Rgba8> : colours<float>;
    const auto sums = static_cast<std::size_t>(problem.width) * problem.height * per_pixel;
    for (int set = 0; set < (problem.filter.is_magnitude() ? 2 : 1); ++set) sums_[set].resize(sums);
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
    problem_.format == PixelFormat::rgba8 ? filter<Rgba8>(in, out) : filter<float>(in, out);
  }

 private:
  static constexpr int pixels_without_asking = 1024;

  template <class Pixel>
  void filter(const Image& in, const Image& out) {
    for (std::size_t set = 0; set < factors_.size(); ++set) sum_rows<Pixel>(in, factors_[set].row, sums_[set]);
    for (int y = 0; y < out.height; ++y)
      for (int x = 0; x < out.width; ++x) {
        if (x % pixels_without_asking == 0 && stop_requested()) return;
        store(in, out, x, y, Pixel());
      }
  }

  template <class Pixel>
  void sum_rows(const Image& in, const std::vector<float>& row, std::vector<float>& sums) const {
    const int rx = problem_.filter.rx();
    float* next = sums.data();
    for (int y = 0; y < in.height; ++y) {
      const Pixel* const pixels = row_of<const Pixel>(in, y);
      for (int x = 0; x < in.width; ++x) {
        if (x % pixels_without_asking == 0 && stop_requested()) return;
        float sum[colours<Pixel>] = {};
        for (int i = -rx; i <= rx; ++i) {
          const int sx = border_index(x + i, in.width, problem_.border);
          if (sx < 0) continue;  // a ghost cell of the zero border
          for (int c = 0; c < colours<Pixel>; ++c) sum[c] += row[i + rx] * colour(pixels[sx], c);
        }
        for (const float each : sum) *next++ = each;
      }
    }
  }

  // A row that stands for one outside the picture has that row's sums.
  float sum_column(std::size_t set, int x, int y, int c, int per_pixel) const {
    const std::vector<float>& column = factors_[set].column;
    const int ry = problem_.filter.ry();
    float sum = 0;
    for (int j = -ry; j <= ry; ++j) {
      const int sy = border_index(y + j, problem_.height, problem_.border);
      if (sy < 0) continue;
      const auto place = (static_cast<std::size_t>(sy) * problem_.width + x) * per_pixel + c;
      sum += column[j + ry] * sums_[set][place];
    }
    return sum;
  }

  float output(int x, int y, int c, int per_pixel) const {
    float sum = sum_column(0, x, y, c, per_pixel);
    if (factors_.size() > 1) {
      const float sum_y = sum_column(1, x, y, c, per_pixel);
      sum = std::sqrt(sum * sum + sum_y * sum_y);
    }
    const float value = problem_.filter.gain * sum + problem_.filter.bias * white_level(problem_.format);
    return problem_.filter.absolute ? std::abs(value) : value;
  }

  void store(const Image&, const Image& out, int x, int y, float) const {
    row_of<float>(out, y)[x] = output(x, y, 0, colours<float>);
  }
  void store(const Image& in, const Image& out, int x, int y, Rgba8) const {
    std::uint8_t result[colours<Rgba8>];
    for (int c = 0; c < colours<Rgba8>; ++c)
      result[c] = static_cast<std::uint8_t>(std::clamp(std::nearbyint(output(x, y, c, colours<Rgba8>)), 0.0f, 255.0f));
    row_of<Rgba8>(out, y)[x] = {result[0], result[1], result[2], row_of<const Rgba8>(in, y)[x].a};
  }

  Problem problem_;
  std::vector<SeparableFactors> factors_;  // one for each weight set
  std::vector<float> sums_[2];             // of the rows, for each weight set
};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-direct-separable",
    .title = "One core, plain loops, rows then columns",
    .idea =
        "A filter that is a column times a row, in two plain loops: along the rows first, then down the sums. 2M "
        "multiplies for M², one at a time on one core: what the algorithm saves without any other help.",
    .reading = "PMPP 4th ed., ch. 7, exercises; CUDA sample convolutionSeparable",
    .backend = Backend::cpu,
    .tunables = {},
    .tolerance = separable_sum_bound,
    .refuses = [](const Problem& p, const Device&, const Tuned&) { return separable_reason(p.filter); },
    .plans = plan_of<TwoLoopsPlan>,
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      Cost cost = two_pass_cost(p, t);
      const double sets = p.filter.is_magnitude() ? 2 : 1;
      cost.global_stores_per_output += sets;
      cost.dram_bytes += 2 * sets * sizeof(float) * channels(p.format) * outputs(p);  // out, and in again
      return cost;
    },
    .explains =
        [](const Problem&, const Device&, const Tuned&, const OutputIndex& at) {
          return Explanation{.steps = {},
                             .words =
                                 "One thread sums the rows of the whole picture first. Then it goes through it "
                                 "once more, and is in row " +
                                 std::to_string(at.y) +
                                 " when it adds the sums of this column, from the top to the bottom, and writes "
                                 "the output."};
        },
    .plain = true,
};

}  // namespace convoscope::cpu::cpu_direct_separable
