// The definition, as plain loops on one core. Idea: for each output, walk over the frames and, in each, over the
// window, and add weight times input. Traffic: M_x·M_y·M_t loads and multiply-adds per output; the caches serve nearly
// all loads. Limits: none but patience. It is the picture of what every other strategy computes.
#include <algorithm>
#include <cmath>

#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/kinds/volume.h"
#include "kernels/threads/stop.h"

namespace convoscope::cpu::volume::cpu_direct {
namespace {

class DirectPlan final : public Plan {
 public:
  explicit DirectPlan(const Problem& problem) : problem_(problem) {}
  void set_filter(const Filter& filter) override { problem_.filter = filter; }
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) override {
    const bool colour = problem_.format == PixelFormat::rgba8;
    const Tensor& middle = in[in.size() / 2];
    for (int y = 0; y < problem_.height; ++y)
      for (int x = 0; x < problem_.width; ++x) {
        if (x % 64 == 0 && stop_requested()) return;
        if (!colour) {
          *pixel<float>(out[0], x, y) = finish(sum(in, x, y, 0));
          continue;
        }
        std::uint8_t* const result = pixel<std::uint8_t>(out[0], x, y);
        for (int c = 0; c < 3; ++c)
          result[c] = static_cast<std::uint8_t>(std::clamp(std::nearbyint(finish(sum(in, x, y, c))), 0.0f, 255.0f));
        result[3] = pixel<std::uint8_t>(middle, x, y)[3];
      }
  }

 private:
  // The pixel's first byte or its float: both formats have four bytes a pixel.
  template <class T>
  static T* pixel(const Tensor& frame, int x, int y) {
    return reinterpret_cast<T*>(static_cast<char*>(frame.data) + y * frame.stride[3] + x * frame.stride[4]);
  }
  float sum(std::span<const Tensor> in, int x, int y, int channel) const {
    const Filter& filter = problem_.filter;
    const float* weight = filter.weights.data();
    float sum = 0;
    for (const Tensor& frame : in)
      for (int dy = -filter.ry(); dy <= filter.ry(); ++dy, weight += filter.width) {
        const int sy = border_index(y + dy, problem_.height, problem_.border);
        if (sy < 0) continue;
        for (int i = 0; i < filter.width; ++i) {
          const int sx = border_index(x + i - filter.rx(), problem_.width, problem_.border);
          if (sx < 0) continue;
          sum += weight[i] * (problem_.format == PixelFormat::rgba8
                                  ? static_cast<float>(pixel<const std::uint8_t>(frame, sx, sy)[channel])
                                  : *pixel<const float>(frame, sx, sy));
        }
      }
    return sum;
  }
  float finish(float sum) const {
    const float value = problem_.filter.gain * sum + problem_.filter.bias * white_level(problem_.format);
    return problem_.filter.absolute ? std::abs(value) : value;
  }
  Problem problem_;
};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-direct",
    .title = "One core, plain loops",
    .idea =
        "The definition as it stands: for each output, walk over the frames and, in each, over the window, and add "
        "weight times input.",
    .reading = "PMPP 4th ed., ch. 7.1 and exercise 8",
    .backend = Backend::cpu,
    .tunables = {},
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = refuses_nothing,
    .plans = plan_of<DirectPlan>,
    .costs = direct_cost,
    .explains =
        [](const Problem&, const Device&, const Tuned&, const OutputIndex& at) {
          return Explanation{.steps = {},
                             .words = "One thread goes through the frame row by row. In row " + std::to_string(at.y) +
                                      " it adds the products of this window from the oldest frame to the newest, and "
                                      "writes the output."};
        },
    .plain = true,
    .kind = &volume_kind,
};

}  // namespace convoscope::cpu::volume::cpu_direct
