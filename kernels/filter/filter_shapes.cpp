#include "kernels/filter/filter_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "kernels/filter/filter_parameters.h"

namespace convoscope::shapes {
namespace {

// Weights in double until the filter is complete: the sums below must not depend on float32 rounding.
struct Grid {
  int rx, ry;
  std::vector<double> weights = std::vector<double>(static_cast<std::size_t>(2 * rx + 1) * (2 * ry + 1));

  int width() const { return 2 * rx + 1; }
  double& at(int dx, int dy) { return weights[static_cast<std::size_t>(dy + ry) * width() + dx + rx]; }
  double sum() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }
  void scale(double factor) {
    for (double& w : weights) w *= factor;
  }
  template <class F>
  void fill(F weight) {
    for (int dy = -ry; dy <= ry; ++dy)
      for (int dx = -rx; dx <= rx; ++dx) at(dx, dy) = weight(dx, dy);
  }
};

Filter make(const Grid& grid) {
  Filter filter{.width = 2 * grid.rx + 1, .height = 2 * grid.ry + 1};
  filter.weights.assign(grid.weights.begin(), grid.weights.end());
  return filter;
}

Filter make_smoothing(Grid grid) {
  grid.scale(1 / grid.sum());
  return make(grid);
}

// The largest answer to a unit step edge, over vertical and horizontal edges at every place.
double step_response(Grid& grid) {
  double largest = 0, left = 0, above = 0;
  for (int dx = -grid.rx; dx <= grid.rx; ++dx) {
    for (int dy = -grid.ry; dy <= grid.ry; ++dy) left += grid.at(dx, dy);
    largest = std::max(largest, std::abs(left));
  }
  for (int dy = -grid.ry; dy <= grid.ry; ++dy) {
    for (int dx = -grid.rx; dx <= grid.rx; ++dx) above += grid.at(dx, dy);
    largest = std::max(largest, std::abs(above));
  }
  return largest;
}

// Filters whose weights sum to zero answer with either sign. To be seen, 0 becomes mid-grey, and the gain makes a step
// edge answer with its own height: a step of half the white level just reaches black or white.
Filter make_signed(Grid grid) {
  Filter filter = make(grid);
  filter.gain = static_cast<float>(1 / step_response(grid));
  filter.bias = 0.5f;
  return filter;
}

int whole(double value) { return static_cast<int>(std::lround(value)); }

// sigma 0 stands for the automatic one. The floor keeps a tiny sigma from dividing by zero; it is a single pixel
// anyway.
double chosen_sigma(double sigma, double automatic) { return std::max(sigma > 0 ? sigma : automatic, 1e-2); }

// Half of one row, from its middle. What getGaussianKernel of OpenCV 4.14 and 5.0 gives for a sigma of 0: up to 9 taps
// fixed ones, which are no Gaussian's of that sigma, then those of 0.3 (r − 1) + 0.8.
std::vector<double> opencv_profile(int radius) {
  static const std::vector<double> fixed[] = {{1}, {2, 1}, {6, 4, 1}, {72, 56, 28, 8}, {60, 51, 30, 13, 4}};
  if (radius < static_cast<int>(std::size(fixed))) return fixed[radius];
  const double sigma = 0.3 * (radius - 1) + 0.8;
  std::vector<double> profile;
  for (int i = 0; i <= radius; ++i) profile.push_back(std::exp(-0.5 * (i / sigma) * (i / sigma)));
  return profile;
}

Grid gaussian_grid(int radius, double sigma) {
  Grid grid{radius, radius};
  const bool opencv = sigma == FilterParameter::value_of_word;
  sigma = chosen_sigma(sigma, radius / 2.0);
  std::vector<double> profile = opencv ? opencv_profile(radius) : std::vector<double>(radius + 1);
  for (int i = 0; i <= radius && !opencv; ++i) profile[i] = std::exp(-0.5 * (i / sigma) * (i / sigma));
  grid.fill([&](int dx, int dy) { return profile[std::abs(dx)] * profile[std::abs(dy)]; });
  grid.scale(1 / grid.sum());
  return grid;
}

Grid derivative_grid_x(std::initializer_list<double> smoothing) {
  Grid grid{1, 1};
  grid.fill([&](int dx, int dy) { return dx * smoothing.begin()[dy + 1]; });
  return grid;
}

Grid derivative_grid_y(std::initializer_list<double> smoothing) {
  Grid grid{1, 1};
  grid.fill([&](int dx, int dy) { return dy * smoothing.begin()[dx + 1]; });
  return grid;
}

}  // namespace

Filter identity(std::span<const double>) { return custom(std::array{0.0, 0.0}); }

Filter custom(std::span<const double> v) {
  Grid grid{whole(v[0]), whole(v[1])};
  grid.at(0, 0) = 1;
  return make(grid);
}

Filter box(std::span<const double> v) {
  Grid grid{whole(v[1] < 0 ? v[0] : v[1]), whole(v[2] < 0 ? v[0] : v[2])};
  grid.fill([](int, int) { return 1.0; });
  return make_smoothing(grid);
}

Filter gaussian(std::span<const double> v) { return make(gaussian_grid(whole(v[0]), v[1])); }

Filter binomial(std::span<const double> v) {
  const int radius = whole(v[0]);
  std::vector<double> row{1};
  for (int n = 0; n < 2 * radius; ++n) {
    row.push_back(0);
    for (std::size_t k = row.size() - 1; k > 0; --k) row[k] += row[k - 1];
  }
  Grid grid{radius, radius};
  // Powers of two, so small ones stay exact in float32.
  grid.fill([&](int dx, int dy) {
    return std::ldexp(row[dx + radius], -2 * radius) * std::ldexp(row[dy + radius], -2 * radius);
  });
  return make(grid);
}

// Each weight is the part of the pixel that the disk covers, sampled 16 × 16.
Filter disk(std::span<const double> v) {
  constexpr int samples = 16;
  const double radius = v[0];
  const int r = std::max(0, static_cast<int>(std::ceil(radius - 0.5)));
  Grid grid{r, r};
  grid.fill([&](int dx, int dy) {
    int covered = 0;
    for (int j = 0; j < samples; ++j)
      for (int i = 0; i < samples; ++i)
        covered += std::hypot(dx - 0.5 + (i + 0.5) / samples, dy - 0.5 + (j + 0.5) / samples) <= radius;
    return static_cast<double>(covered);
  });
  return make_smoothing(grid);
}

// A line through the centre, drawn by sharing points along it among the four pixels around each. The angle turns
// counter-clockwise as people draw it, while y grows downwards.
Filter motion(std::span<const double> v) {
  const double angle = v[1] * std::numbers::pi / 180, half = (v[0] - 1) / 2;
  const double x = std::cos(angle), y = -std::sin(angle);
  constexpr double slack = 1e-9;  // cos(90°) is not quite 0
  Grid grid{static_cast<int>(std::ceil(std::abs(x) * half - slack)),
            static_cast<int>(std::ceil(std::abs(y) * half - slack))};
  const int points = 1 + 16 * static_cast<int>(std::ceil(2 * half));
  for (int i = 0; i < points; ++i) {
    const double t = points == 1 ? 0 : -half + 2 * half * i / (points - 1);
    const double px = std::clamp(t * x, -1.0 * grid.rx, 1.0 * grid.rx),
                 py = std::clamp(t * y, -1.0 * grid.ry, 1.0 * grid.ry);
    const int left = whole(std::floor(px)), top = whole(std::floor(py));
    for (int dy = 0; dy < 2; ++dy)
      for (int dx = 0; dx < 2; ++dx) {
        const double share = (1 - std::abs(px - left - dx)) * (1 - std::abs(py - top - dy));
        if (share > slack) grid.at(std::min(left + dx, grid.rx), std::min(top + dy, grid.ry)) += share;
      }
  }
  return make_smoothing(grid);
}

Filter sharpen(std::span<const double> v) {
  const double a = v[0];
  Grid grid{1, 1};
  grid.weights = {0, -a, 0, -a, 1 + 4 * a, -a, 0, -a, 0};
  return make(grid);
}

Filter unsharp(std::span<const double> v) {
  Grid grid = gaussian_grid(whole(v[0]), v[1]);
  grid.scale(-v[2]);
  grid.at(0, 0) += 1 + v[2];
  return make(grid);
}

Filter laplacian(std::span<const double> v) {
  Grid grid{1, 1};
  if (v[0] < 6)
    grid.weights = {0, 1, 0, 1, -4, 1, 0, 1, 0};
  else
    grid.weights = {1, 1, 1, 1, -8, 1, 1, 1, 1};
  return make_signed(grid);
}

// Cut off at the radius its sum is not zero, so the mean is taken out and what float32 leaves goes to the centre. The
// weights themselves answer a unit step with 1, so the gain of make_signed() is 1 too.
Filter laplacian_of_gaussian(std::span<const double> v) {
  const int radius = whole(v[0]);
  const double variance = std::pow(chosen_sigma(v[1], radius / 3.0), 2);
  Grid grid{radius, radius};
  grid.fill([&](int dx, int dy) {
    const double r2 = dx * dx + dy * dy;
    return (r2 / variance - 2) * std::exp(-0.5 * r2 / variance);
  });
  const double mean = grid.sum() / static_cast<double>(grid.weights.size());
  for (double& w : grid.weights) w -= mean;
  grid.scale(1 / step_response(grid));
  for (double& w : grid.weights) w = static_cast<float>(w);
  grid.at(0, 0) -= grid.sum();
  Filter filter = make(grid);
  filter.bias = 0.5f;
  return filter;
}

Filter emboss(std::span<const double> v) {
  const double s = v[0];
  Grid grid{1, 1};
  grid.weights = {-2 * s, -s, 0, -s, 1, s, 0, s, 2 * s};
  return make(grid);
}

Filter derivative_x(std::initializer_list<double> smoothing) { return make_signed(derivative_grid_x(smoothing)); }
Filter derivative_y(std::initializer_list<double> smoothing) { return make_signed(derivative_grid_y(smoothing)); }

// Never negative, so it needs no bias: black where nothing changes, and the gain of the derivatives.
Filter gradient_magnitude(std::initializer_list<double> smoothing) {
  Filter filter = derivative_x(smoothing);
  filter.weights_y = derivative_y(smoothing).weights;
  filter.bias = 0;
  return filter;
}

}  // namespace convoscope::shapes
