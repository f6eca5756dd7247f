#include "kernels/kinds/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

constexpr int outputs_without_asking = 64;  // a signal is one row of any length

double value_at(const Image& image, int x, int y, int channel) {
  if (image.format == PixelFormat::gray32f) return row_of<const float>(image, y)[x];
  return row_of<const std::uint8_t>(image, y)[4 * x + channel];
}

double correlate(const std::vector<float>& weights, const Problem& problem, std::span<const Image> in, int x, int y,
                 int channel) {
  const Filter& filter = problem.filter;
  const float* weight = weights.data();
  double sum = 0;
  for (const Image& frame : in)
    for (int j = 0; j < filter.height; ++j, weight += filter.width) {
      const int sy = border_index(y + j - filter.ry(), frame.height, problem.border);
      if (sy < 0) continue;
      for (int i = 0; i < filter.width; ++i) {
        const int sx = border_index(x + i - filter.rx(), frame.width, problem.border);
        if (sx < 0) continue;
        sum += static_cast<double>(weight[i]) * value_at(frame, sx, sy, channel);
      }
    }
  return sum;
}

double output(const Problem& problem, std::span<const Image> in, int x, int y, int channel) {
  const Filter& filter = problem.filter;
  double sum = correlate(filter.weights, problem, in, x, y, channel);
  if (filter.is_magnitude()) sum = std::hypot(sum, correlate(filter.weights_y, problem, in, x, y, channel));
  double value = filter.gain * sum + static_cast<double>(filter.bias) * white_level(problem.format);
  if (filter.absolute) value = std::abs(value);
  return problem.format == PixelFormat::rgba8 ? std::clamp(value, 0.0, 255.0) : value;
}

}  // namespace

std::vector<double> reference(const Problem& problem, std::span<const Image> in) {
  const int depth = channels(problem.format), width = in[0].width, height = in[0].height;
  std::vector<double> result(static_cast<std::size_t>(width) * height * depth);
  const std::stop_token stop = stop_at_hand();
  const auto rows = [&](int first, int step) {
    for (int y = first; y < height; y += step)
      for (int x = 0; x < width; ++x) {
        if (x % outputs_without_asking == 0 && stop.stop_requested()) return;
        for (int c = 0; c < depth; ++c)
          result[(static_cast<std::size_t>(y) * width + x) * depth + c] = output(problem, in, x, y, c);
      }
  };
  const double work = static_cast<double>(result.size()) * problem.filter.weights.size();
  const int threads = work < 1e7 ? 1 : std::clamp<int>(std::thread::hardware_concurrency(), 1, height);
  std::vector<std::jthread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(rows, t, threads);
  rows(0, threads);
  others.clear();  // joins
  return result;
}

std::vector<double> reference(const Problem& problem, const Image& in) { return reference(problem, {&in, 1}); }

std::vector<double> reference(const Problem& problem, std::span<const Image> in, const PixelArea& part) {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height) * 3);
  for (int y = part.y; y < part.y + part.height; ++y)
    for (int x = part.x; x < part.x + part.width; ++x)
      for (int c = 0; c < channels(problem.format); ++c) result.push_back(output(problem, in, x, y, c));
  return result;
}

Difference compare(const Problem& problem, const std::vector<double>& expected, const Image& in, const Image& out) {
  const int depth = channels(problem.format);
  Difference worst{.max_error = -1};
  const auto note = [&](double error, int x, int y, int channel, double wanted, double actual) {
    if (error > worst.max_error) worst = {error, x, y, channel, wanted, actual};
  };
  for (int y = 0; y < out.height && !stop_requested(); ++y)
    for (int x = 0; x < out.width; ++x) {
      for (int c = 0; c < depth; ++c) {
        const double wanted = expected[(static_cast<std::size_t>(y) * out.width + x) * depth + c];
        const double actual = value_at(out, x, y, c);
        double error = std::abs(actual - wanted);
        if (!std::isfinite(error)) error = std::numeric_limits<double>::infinity();
        if (problem.format == PixelFormat::rgba8) error = std::max(error - 0.5, 0.0);
        note(error, x, y, c, wanted, actual);
      }
      if (problem.format == PixelFormat::rgba8) {
        const double wanted = value_at(in, x, y, 3), actual = value_at(out, x, y, 3);
        if (wanted != actual) note(255, x, y, 3, wanted, actual);
      }
    }
  worst.max_error = std::max(worst.max_error, 0.0);
  return worst;
}

}  // namespace convoscope
