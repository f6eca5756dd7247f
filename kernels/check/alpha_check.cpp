#include "kernels/check/alpha_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "kernels/check/own_code.h"
#include "kernels/contract/data/border.h"
#include "kernels/contract/kind.h"
#include "kernels/convert/alpha_step.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

double channel_of(const Rgba8& pixel, int channel) {
  return (channel == 0 ? pixel.r : channel == 1 ? pixel.g : channel == 2 ? pixel.b : 255) / 255.0;
}

// Σ w·a·c around a pixel; c is 1 for channel 3.
double weighted_sum(const std::vector<float>& weights, const Problem& problem, const Image& in, int x, int y,
                    int channel) {
  const Filter& filter = problem.filter;
  double sum = 0;
  for (int j = 0; j < filter.height; ++j)
    for (int i = 0; i < filter.width; ++i) {
      const int sy = border_index(y + j - filter.ry(), in.height, problem.border);
      const int sx = border_index(x + i - filter.rx(), in.width, problem.border);
      if (sx < 0 || sy < 0) continue;
      const Rgba8& pixel = row_of<const Rgba8>(in, sy)[sx];
      sum += static_cast<double>(weights[static_cast<std::size_t>(j * filter.width + i)]) * (pixel.a / 255.0) *
             channel_of(pixel, channel);
    }
  return sum;
}

double size_of(const std::vector<float>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0, [](double sum, float w) { return sum + std::abs(w); });
}

// The strategy's own for each sum, carried through the quotient: |d(Σw·S/A)| <= Σw(τ/A + S·τ/A²), S <= A, and the error
// counts A/Σw of it. Then the step's own roundings, of the product, the quotient and what follows: fewer than eight.
double tolerance_with_alpha(const Strategy& strategy, const Problem& problem) {
  const Filter& filter = problem.filter;
  const double of_sum = strategy.tolerance(problem_of_plane(problem));
  const double size = size_of(filter.weights) + size_of(filter.weights_y);
  const double rounding = 8 * 0x1p-24 * (std::abs(filter.gain) * std::max(size, 1.0) + std::abs(filter.bias) + 1);
  double largest = 2 * std::abs(filter.gain) * of_sum;
  if (alpha_use(filter) == AlphaUse::weighs) largest = std::max(largest, of_sum / size);
  return 255 * (largest + rounding);
}

class Picture {
 public:
  Picture(int width, int height, std::size_t padding)
      : pixels_(static_cast<std::size_t>(height) * (static_cast<std::size_t>(width) + padding), Rgba8{255, 0, 255, 7}),
        image_{pixels_.data(), width, height, (static_cast<std::size_t>(width) + padding) * sizeof(Rgba8),
               PixelFormat::rgba8} {}
  const Image& image() const { return image_; }

 private:
  std::vector<Rgba8> pixels_;
  Image image_;
};

// Whole areas that are transparent and opaque beside every alpha between.
void fill(const Image& image, unsigned seed) {
  std::minstd_rand random(seed * 7919u + 3u);
  const auto code = [&] { return static_cast<std::uint8_t>(random() >> 8); };
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const std::uint8_t any = code();
      const int area = (x / 5 + y / 4) % 3;
      row_of<Rgba8>(image, y)[x] = {code(), code(), code(),
                                    area == 0 ? any : static_cast<std::uint8_t>(255 * (area - 1))};
    }
}

void compare(VerifyRow& row, const std::vector<double>& expected, const Image& out) {
  constexpr const char* names[] = {"red", "green", "blue", "alpha"};
  row.max_error = 0;
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const double* wanted = &expected[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(out.width) +
                                            static_cast<std::size_t>(x))];
      const Rgba8& pixel = row_of<const Rgba8>(out, y)[x];
      const int seen[] = {pixel.r, pixel.g, pixel.b, pixel.a};
      for (int c = 0; c < 4; ++c) {
        if (c < 3 && pixel.a == 0) continue;  // nobody sees it
        const double error = std::max(std::abs(seen[c] - wanted[c]) - 0.5, 0.0) * (c < 3 ? wanted[3] / 255 : 1);
        if (error <= row.max_error) continue;
        row.max_error = error;
        row.failure = "at (" + std::to_string(x) + ", " + std::to_string(y) + "), " + names[c] + ", the reference is " +
                      number_text(wanted[c]) + " and the output " + std::to_string(seen[c]);
      }
    }
}

}  // namespace

std::vector<double> reference_with_alpha(const Problem& problem, const Image& in) {
  const Filter& filter = problem.filter;
  const bool weighs = alpha_use(filter) == AlphaUse::weighs;
  const double weight = std::accumulate(filter.weights.begin(), filter.weights.end(), 0.0);
  std::vector<double> result;
  result.reserve(4 * static_cast<std::size_t>(in.width) * static_cast<std::size_t>(in.height));
  for (int y = 0; y < in.height && !stop_requested(); ++y)
    for (int x = 0; x < in.width; ++x) {
      const double alpha = weighs ? weighted_sum(filter.weights, problem, in, x, y, 3) / weight
                                  : row_of<const Rgba8>(in, y)[x].a / 255.0;
      for (int c = 0; c < 3; ++c) {
        double sum = weighted_sum(filter.weights, problem, in, x, y, c);
        if (filter.is_magnitude()) sum = std::hypot(sum, weighted_sum(filter.weights_y, problem, in, x, y, c));
        double value = alpha > 0 ? filter.gain * (sum / alpha) + static_cast<double>(filter.bias) : 0;
        if (filter.absolute) value = std::abs(value);
        result.push_back(255 * std::clamp(value, 0.0, 1.0));
      }
      result.push_back(255 * std::clamp(alpha, 0.0, 1.0));
    }
  return result;
}

VerifyRow verify_with_alpha(Compute& compute, const Strategy& strategy, const Problem& problem, unsigned seed) {
  VerifyRow row{.strategy = std::string(strategy.id),
                .filter = problem.filter.name + " with alpha",
                .border = problem.border,
                .format = problem.format,
                .width = problem.width,
                .height = problem.height};
  const Problem of_plane = problem_of_plane(problem);
  try {
    row.skipped_reason = problem.kind->invalid(of_plane);
    if (!row.skipped()) row.skipped_reason = surely_unsupported(strategy, of_plane, compute.device(), {});
    if (row.skipped()) return row;
    row.tolerance = tolerance_with_alpha(strategy, problem);
    const Picture in(problem.width, problem.height, 1 + seed % 5), out(problem.width, problem.height, 0);
    fill(in.image(), seed);
    const DeviceImage on_device = compute.allocate(problem.width, problem.height, PixelFormat::rgba8);
    const DeviceImage made = compute.allocate(problem.width, problem.height, PixelFormat::rgba8);
    AlphaStep step(compute, problem.width, problem.height);
    step.set_filter(problem.filter);
    compute.upload(in.image(), on_device.image());
    compute.fill(made.image(), 0x80);
    const std::unique_ptr<Plan> plan = strategy.plan(of_plane, compute.device(), {});
    const Tensor plane = tensor_of(step.plane());
    step.take_plane(0, on_device.image(), compute.stream());
    if (!strategy.chooses) wait_for_own_code(*plan, {&plane, 1}, compute.stream());
    plan->prepare(compute.stream());
    enqueue_with_alpha(step, *plan, on_device.image(), made.image(), compute.stream());
    compute.synchronize();
    compute.download(made.image(), out.image());
    if (stop_requested()) return row;
    compare(row, reference_with_alpha(problem, in.image()), out.image());
    row.passed = row.max_error <= row.tolerance;
    if (row.passed) row.failure.clear();
  } catch (const Error& failure) {
    row.max_error = std::numeric_limits<double>::infinity();
    row.failure = failure.what();
  }
  return row;
}

std::vector<Problem> alpha_cases(std::span<const Filter> filters) {
  std::vector<Filter> list(filters.begin(), filters.end());
  if (list.empty())
    for (const char* text : {"gaussian:radius=2", "box:rx=2,ry=1", "disk:radius=3,gain=0.75,bias=0.125", "sharpen",
                             "sobel-magnitude", "sobel-x:gain=-0.5,bias=0.25,absolute=1"}) {
      list.push_back(parse_filter(text).filter);
      list.back().name = text;
    }
  std::vector<Problem> problems;
  for (const Filter& filter : list)
    problems.push_back({31, 17, PixelFormat::rgba8, all_borders[problems.size() % 4], filter});
  return problems;
}

}  // namespace convoscope
