// The definition, as plain loops on one core. Idea: for each output, walk over the filter and add weight times input.
// Traffic: M² loads and M² multiply-adds per output for a filter of width M, one after another; the caches serve nearly
// all loads, so arithmetic is what it waits for.
// Limits: none but patience. It is the picture of what every other strategy computes.
#include <algorithm>
#include <cmath>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/threads/stop.h"

namespace convoscope::cpu::cpu_direct {
namespace {

float apply(const Filter& filter, float sum, PixelFormat format) {
  const float value = filter.gain * sum + filter.bias * white_level(format);
  return filter.absolute ? std::abs(value) : value;
}

std::uint8_t to_code_value(float value) {
  return static_cast<std::uint8_t>(std::clamp(std::nearbyint(value), 0.0f, 255.0f));
}

class DirectPlan final : public ImagePlan {
 public:
  explicit DirectPlan(const Problem& problem) : problem_(problem) {}
  void set_filter(const Filter& filter) override { problem_.filter = filter; }
  void prepare(Stream) override {}

  void enqueue_frame(const Image& in, const Image& out, Stream) override {
    for (int y = 0; y < out.height; ++y)
      for (int x = 0; x < out.width; ++x) {
        if (x % pixels_without_asking == 0 && stop_requested()) return;
        if (problem_.format == PixelFormat::rgba8)
          row_of<Rgba8>(out, y)[x] = filter_rgba8(in, x, y);
        else
          row_of<float>(out, y)[x] = filter_gray(in, x, y);
      }
  }

 private:
  static constexpr int pixels_without_asking = 64;  // some milliseconds of the largest filter

  // Calls add(weight index, input pixel) for every tap whose input is not a ghost cell.
  template <class Pixel, class Add>
  void for_each_tap(const Image& in, int x, int y, Add add) const {
    const Filter& filter = problem_.filter;
    for (int j = 0; j < filter.height; ++j) {
      const int sy = border_index(y + j - filter.ry(), in.height, problem_.border);
      if (sy < 0) continue;
      const Pixel* row = row_of<const Pixel>(in, sy);
      for (int i = 0; i < filter.width; ++i) {
        const int sx = border_index(x + i - filter.rx(), in.width, problem_.border);
        if (sx >= 0) add(j * filter.width + i, row[sx]);
      }
    }
  }

  float filter_gray(const Image& in, int x, int y) const {
    const Filter& filter = problem_.filter;
    float sum = 0, sum_y = 0;
    for_each_tap<float>(in, x, y, [&](int tap, float pixel) {
      sum += filter.weights[tap] * pixel;
      if (filter.is_magnitude()) sum_y += filter.weights_y[tap] * pixel;
    });
    if (filter.is_magnitude()) sum = std::sqrt(sum * sum + sum_y * sum_y);
    return apply(filter, sum, problem_.format);
  }

  Rgba8 filter_rgba8(const Image& in, int x, int y) const {
    const Filter& filter = problem_.filter;
    float sum[3] = {}, sum_y[3] = {};
    for_each_tap<Rgba8>(in, x, y, [&](int tap, Rgba8 pixel) {
      const float channel[3] = {float(pixel.r), float(pixel.g), float(pixel.b)};
      for (int c = 0; c < 3; ++c) sum[c] += filter.weights[tap] * channel[c];
      if (filter.is_magnitude())
        for (int c = 0; c < 3; ++c) sum_y[c] += filter.weights_y[tap] * channel[c];
    });
    std::uint8_t result[3];
    for (int c = 0; c < 3; ++c) {
      if (filter.is_magnitude()) sum[c] = std::sqrt(sum[c] * sum[c] + sum_y[c] * sum_y[c]);
      result[c] = to_code_value(apply(filter, sum[c], problem_.format));
    }
    return {result[0], result[1], result[2], row_of<const Rgba8>(in, y)[x].a};
  }

  Problem problem_;
};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-direct",
    .title = "One core, plain loops",
    .idea =
        "The definition as it stands: for each output, walk over the filter and add weight times input. One core, one "
        "multiply at a time; everything else on the ladder is a way to do this faster.",
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
                             .words = "One thread goes through the image row by row. It is in row " +
                                      std::to_string(at.y) +
                                      " when it adds the products of this window, from the top left to the bottom "
                                      "right, and writes the output."};
        },
    .plain = true,
};

}  // namespace convoscope::cpu::cpu_direct
