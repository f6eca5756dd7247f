// Filtering as products of a banded matrix on the tensor cores. Idea: eight neighbouring outputs of a row are the
// 8 + 2r inputs above them times a Toeplitz matrix of one filter row; 16 such runs, 128 pixels, fill the rows of an
// mma. A warp walks down the image: each input row is loaded once and added to the sums of all 2r + 1 output rows that
// need it, which move up one register set a row, so an output is complete when it reaches the first.
// Traffic: (128 + 2r)/128 · (1 + 2r/H) loads per output for strips of H rows, one store.
// Limits: fp16 holds code values exactly but not every weight: weights are split in two when one half is not enough;
// gray32f splits pixels too. The 4(2r+1) sums of a lane must fit in its registers: r ≤ 16.
#include <cmath>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/capability.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/strategies/shared/image/half_weights.h"
#include "kernels/strategies/shared/image/toeplitz_strip.cuh"

namespace convoscope::CONVOSCOPE_TARGET::tensor_core {
namespace {

// The radii that are compiled; a filter takes the next larger one, with zeros around it.
constexpr int radii[] = {1, 2, 4, 8, 16};
constexpr int max_radius = 16;
constexpr int max_radius_magnitude = 8;  // two sets of sums

int compiled_radius(const Filter& filter) {
  const int radius = std::max(filter.rx(), filter.ry());
  for (int compiled : radii)
    if (radius <= compiled) return compiled;
  return max_radius;
}

// One half of the weights is enough for rgba8 when what it loses stays below an eighth of a code value. An edge
// magnitude is compiled for both halves only.
bool needs_both_halves(const Filter& filter) {
  if (filter.is_magnitude()) return true;
  const double error = split_weights(filter.weights, weight_scale(filter)).error_high;
  return error * std::abs(filter.gain) * 255 > 0.125;
}

double toeplitz_bound(const Problem& p) {
  const bool gray = p.format == PixelFormat::gray32f, both = gray || needs_both_halves(p.filter);
  const float scale = weight_scale(p.filter);
  const int taps = p.filter.width * p.filter.height;
  double squares = 0;
  for (const std::vector<float>* weights : {&p.filter.weights, &p.filter.weights_y}) {
    if (weights->empty()) continue;
    const HalfWeights s = split_weights(*weights, scale);
    const double bound = gray ? split_products_error(*weights, s) : both ? s.error_both : s.error_high;
    squares += bound * bound;  // |Δ sqrt(x² + y²)| ≤ sqrt(Δx² + Δy²)
  }
  // Tensor cores add exact products but truncate sums: 2^-23 for each term instead of 2^-24; gray32f has three of each.
  return float32_sum_bound(p, (gray   ? 6
                               : both ? 4
                                      : 2) *
                                      taps +
                                  3) +
         std::sqrt(squares) * std::abs(p.filter.gain) * white_level(p.format);
}

constexpr int strip_heights[] = {32, 64, 128, 256, 512};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows of a block's strip: tall strips repeat fewer of the 2r rows above and below, short ones make more blocks",
     strip_heights, 128},
};

struct Shape {
  dim3 grid;
  int radius, strip_rows;
};

Shape shape(const Problem& p, const Tuned& tuning) {
  const int strip_rows = tuning["strip_rows"];
  return {dim3(ceil_div(p.width, strip_width), ceil_div(p.height, strip_rows)), compiled_radius(p.filter), strip_rows};
}

std::size_t shared_bytes(int radius, PixelFormat format, int sums, bool both_halves) {
  const bool gray = format == PixelFormat::gray32f;
  const int kept = fragments_per_half(radius, sums) * (!gray && both_halves ? 2 : 1);
  const int stored = fragments_per_half(radius, sums) * (gray || both_halves ? 2 : 1);
  const std::size_t weights = kept <= 36 ? 0 : stored * fragment_lanes * sizeof(Fragment);
  const std::size_t planes = (gray ? 2 : 3) * static_cast<std::size_t>(step * plane_words(radius)) * sizeof(unsigned);
  const std::size_t slot = gray ? sums * warps * sizeof(float) : 4;
  return weights + planes + (gray ? step : ring_rows(radius)) * strip_width * slot;
}

class TensorCorePlan final : public ImagePlan {
 public:
  TensorCorePlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem),
        shape_(shape(problem, tuning)),
        fragments_(2 * fragment_lanes * static_cast<std::size_t>(fragments_per_half(shape_.radius, sums()))) {
    // Every kernel that a later filter may choose.
    const bool gray = problem.format == PixelFormat::gray32f;
    for (bool both : {false, true}) {
      if (both ? gray : !gray && problem.filter.is_magnitude()) continue;
      both_halves_ = both;
      each_kernel([&]<class Pixel>(auto kernel) { allow_shared(kernel, shared()); });
    }
    TensorCorePlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    scale_ = weight_scale(filter);
    both_halves_ = problem_.format == PixelFormat::rgba8 && needs_both_halves(filter);
    fragments_.set(fragments_of(filter));
  }
  void prepare(Stream stream) override { fragments_.send(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    Epilogue epilogue = make_epilogue(problem_.filter, problem_.format);
    epilogue.gain /= scale_;  // a power of two: exact
    each_kernel([&]<class Pixel>(auto kernel) {
      launch(kernel, shape_.grid, dim3(threads), shared(), stream, in.view<const Pixel>(), out.view<Pixel>(),
             fragments_.data(), shape_.strip_rows, problem_.border, epilogue);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    each_kernel([&]<class Pixel>(auto kernel) {
      infos = {describe("filter_toeplitz", kernel, shape_.grid, dim3(threads), shared())};
    });
    return infos;
  }
  std::string note() const override {
    const std::string radius = "compiled for radius " + std::to_string(shape_.radius);
    if (problem_.format == PixelFormat::gray32f) return radius + ", pixels and weights split in two: three products";
    return radius + (both_halves_ ? ", weights split in two: two products" : ", weights in one fp16: one product");
  }

 private:
  int sums() const { return problem_.filter.is_magnitude() ? 2 : 1; }
  std::size_t shared() const { return shared_bytes(shape_.radius, problem_.format, sums(), both_halves_); }

  // B[k][n] of chunk c and sums' row j: the tap of row dy = radius − j from column 16c + k − radius to column n.
  std::vector<Fragment> fragments_of(const Filter& filter) const {
    const int radius = shape_.radius, rx = filter.rx(), ry = filter.ry();
    std::vector<Fragment> fragments;
    std::vector<HalfWeights> sets{split_weights(filter.weights, scale_)};
    if (filter.is_magnitude()) sets.push_back(split_weights(filter.weights_y, scale_));
    for (int half = 0; half < 2; ++half)
      for (const HalfWeights& set : sets)
        for (int c = 0; c < depth_chunks(radius); ++c)
          for (int j = 0; j < 2 * radius + 1; ++j) {
            const auto tap = [&](int k, int n) {
              const int dx = 16 * c + k - radius - n, dy = radius - j;
              if (std::abs(dx) > rx || std::abs(dy) > ry) return 0.0f;
              return (half == 0 ? set.high : set.low)[(dy + ry) * filter.width + dx + rx];
            };
            for (int lane = 0; lane < fragment_lanes; ++lane) {
              const int n = lane / 4, k = lane % 4 * 2;
              fragments.push_back({{half_pair(tap(k, n), tap(k + 1, n)), half_pair(tap(k + 8, n), tap(k + 9, n))}});
            }
          }
    return fragments;
  }
  template <class F>
  void each_kernel(F&& f) const {
    switch (shape_.radius) {
      case 1:
        return with_radius<1>(f);
      case 2:
        return with_radius<2>(f);
      case 4:
        return with_radius<4>(f);
      case 8:
        return with_radius<8>(f);
      default:
        return with_radius<16>(f);
    }
  }
  template <int Radius, class F>
  void with_radius(F&& f) const {
    if constexpr (Radius <= max_radius_magnitude)
      if (problem_.filter.is_magnitude()) return with_sums<Radius, 2>(f);
    with_sums<Radius, 1>(f);
  }
  template <int Radius, int Sums, class F>
  void with_sums(F&& f) const {
    if (problem_.format == PixelFormat::gray32f)
      f.template operator()<float>(filter_toeplitz<float, Radius, Sums, 1>);
    else if (both_halves_)
      f.template operator()<Rgba8>(filter_toeplitz<Rgba8, Radius, Sums, 2>);
    else
      f.template operator()<Rgba8>(filter_toeplitz<Rgba8, Radius, 1, 1>);
  }

  Problem problem_;
  Shape shape_;
  float scale_ = 1;
  bool both_halves_ = false;
  GlobalValues<Fragment> fragments_;
};

}  // namespace

extern const Strategy strategy{
    .id = "tensor-core",
    .title = "Tensor cores",
    .idea =
        "Each filter row becomes a banded (Toeplitz) matrix, and eight outputs of a row are its product with the "
        "inputs around them: a matrix instruction computes 128 outputs' share of one filter row. Inputs and weights "
        "are fp16, sums fp32; each input row is loaded once for all the output rows that need it.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 7.4; PTX ISA, mma.m16n8k16; Fasi et al., Numerical Behavior of NVIDIA Tensor "
        "Cores, 2021",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = toeplitz_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned&) -> std::string {
      const int most = p.filter.is_magnitude() ? max_radius_magnitude : max_radius;
      if (p.filter.rx() > most || p.filter.ry() > most)
        return "a lane keeps the sums of 2r + 1 rows in registers, which allows a radius of " + std::to_string(most) +
               (p.filter.is_magnitude() ? " for an edge magnitude" : "") + "; this filter's is " +
               std::to_string(std::max(p.filter.rx(), p.filter.ry()));
      if (device.compute_capability < 75)
        return "fp16 matrix instructions need compute capability 7.5; " + capability_at_hand(device);
      return shared_memory_reason(
          shared_bytes(compiled_radius(p.filter), p.format, p.filter.is_magnitude() ? 2 : 1, true), device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<TensorCorePlan>(p, t);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const Shape s = shape(p, t);
      const bool gray = p.format == PixelFormat::gray32f;
      const double products = gray ? 3 : channels(p.format) * (needs_both_halves(p.filter) ? 2.0 : 1.0);
      const double sums = p.filter.is_magnitude() ? 2 : 1, rows = 1.0 + 2.0 * s.radius / s.strip_rows;
      const double chunks = depth_chunks(s.radius);
      // An mma makes 128 outputs' share of a chunk with 16 multiply-adds each, the band's zeros included.
      return {.flop = 2 * 16 * chunks * (2 * s.radius + 1) * products * sums * rows * outputs(p),
              .global_loads_per_output = 2.0 * plane_words(s.radius) / strip_width * rows,
              .global_stores_per_output = 1,
              .shared_loads_per_output = warps * 4 * chunks * fragment_lanes / strip_width * rows,
              .dram_bytes = 2 * frame_bytes(p),
              .on_matrix_units = true};
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Shape s = shape(p, t);
          KernelStep made = one_thread_per_output("filter_toeplitz", strip_width, s.strip_rows, at.x, at.y);
          const PixelArea strip = made.outputs[0];
          const int rows = std::min(s.strip_rows, p.height - strip.y), steps = ceil_div(rows + 2 * s.radius, step);
          // Input row `delayed` of the strip completes this output; its step's outputs are then stored by all threads.
          const int delayed = at.y - strip.y + 2 * s.radius, n = delayed / step, pixel = at.x - strip.x;
          const int writer = (delayed % step * strip_width + pixel) % threads;
          made.thread = {writer, 0, 0};
          made.block_size = {threads, 1, 1};
          made.thread_outputs.clear();
          for (int i = writer; i < step * strip_width; i += threads) {
            const int row = n * step + i / strip_width - 2 * s.radius;
            if (row >= 0 && row < rows) made.thread_outputs.push_back({strip.x + i % strip_width, strip.y + row, 1, 1});
          }
          made.tile_in_turns = true;
          made.tile = {{strip.x - s.radius, strip.y - s.radius, 2 * plane_words(s.radius), steps * step}};
          const bool gray = p.format == PixelFormat::gray32f;
          made.words = "The block walks down its strip, " + std::to_string(step) + " rows at a time. Lane " +
                       std::to_string(pixel % 64 / 2) + " of each of the " + std::to_string(warps) + " warps (" +
                       (gray ? "one for each product of split numbers" : "one for each channel") +
                       ") holds this output's sums in registers while matrix instructions add " +
                       std::to_string(2 * s.radius + 1) +
                       " rows to them; the thread that is named here stores the finished pixel.";
          return Explanation{
              .steps = {std::move(made)},
              .words = gray ? "Pixels and weights are split in two fp16 numbers each; three products make up one."
                            : "Code values are exact in fp16; weights are rounded to one or two fp16 numbers."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tensor_core
