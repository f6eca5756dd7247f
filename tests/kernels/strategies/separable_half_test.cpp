// Where the range and the accuracy of split fp16 numbers could break: pixels up to the stated limit, and taps that are
// tiny or of very different magnitude.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/filter/separability.h"
#include "kernels/kinds/reference.h"

namespace convoscope {
namespace {

constexpr float largest_pixel = 2047;
constexpr int picture_width = 67, picture_height = 45;

Filter rank_one(const std::vector<float>& column, const std::vector<float>& row) {
  Filter filter{.name = "rank one", .width = static_cast<int>(row.size()), .height = static_cast<int>(column.size())};
  for (const float c : column)
    for (const float r : row) filter.weights.push_back(c * r);
  return filter;
}

std::vector<float> taps(int radius, unsigned seed, float largest, float smallest) {
  std::minstd_rand random(seed);
  std::vector<float> result;
  for (int i = -radius; i <= radius; ++i) {
    const float octaves = std::log2(largest / smallest) * static_cast<float>(random() % 1000) / 1000.0f;
    result.push_back((random() >> 8 & 1 ? 1.0f : -1.0f) * largest * std::exp2(-octaves));
  }
  return result;
}

class SeparableHalf : public testing::Test {
 protected:
  std::vector<float> run(const Problem& problem, std::vector<float>& pixels) {
    const Strategy& strategy = *find_strategy(Backend::emulated, "separable-half");
    EXPECT_EQ(strategy.unsupported(problem, compute_->device(), {}), "");
    const DeviceImage in = compute_->allocate(problem.width, problem.height, problem.format);
    const DeviceImage out = compute_->allocate(problem.width, problem.height, problem.format);
    compute_->upload(host(problem, pixels), in.image());
    const auto plan = strategy.plan(problem, compute_->device(), {});
    plan->prepare(compute_->stream());
    enqueue_image(*plan, in.image(), out.image(), compute_->stream());
    std::vector<float> result(pixels.size());
    compute_->download(out.image(), host(problem, result));
    return result;
  }

  // Every output is within `largest` times the tolerance, which speaks of pixels up to 1.
  void expect_accurate(const Filter& filter, float largest, const std::function<float(int, int)>& pixel) {
    const Problem problem{picture_width, picture_height, PixelFormat::gray32f, Border::mirror, filter};
    std::vector<float> pixels;
    for (int y = 0; y < picture_height; ++y)
      for (int x = 0; x < picture_width; ++x) pixels.push_back(pixel(x, y));
    const std::vector<float> outputs = run(problem, pixels);
    const std::vector<double> expected = reference(problem, host(problem, pixels));
    const double allowed = largest * find_strategy(Backend::emulated, "separable-half")->tolerance(problem);
    double worst = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      ASSERT_TRUE(std::isfinite(outputs[i])) << "pixel " << i;
      worst = std::max(worst, std::abs(outputs[i] - expected[i]));
    }
    EXPECT_LE(worst, allowed);
  }

  static Image host(const Problem& problem, std::vector<float>& data) {
    return {data.data(), problem.width, problem.height, 4ull * static_cast<std::size_t>(problem.width), problem.format};
  }

  std::unique_ptr<Compute> compute_ = make_compute(Backend::emulated);
  std::minstd_rand random_{5};
  std::function<float(int, int)> noise(float largest) {
    return [this, largest](int, int) { return largest * (static_cast<float>(random_() >> 7) * 0x1p-23f - 1.0f); };
  }
};

TEST_F(SeparableHalf, PixelsUpToTheLimit) {
  for (const char* spec : {"box:radius=1", "gaussian:radius=8", "box:radius=16", "1 -1 2 -1 1"})
    expect_accurate(parse_filter(spec).filter, largest_pixel, noise(largest_pixel));
}

// The sums down the columns come closest to what fp16 holds when Σ|tap| is just below a power of two and every pixel
// has its tap's sign. Factors share the singular value, so these have Σ|tap| = √(1.4814 · 31 · √31) = 15.99.
TEST_F(SeparableHalf, TheLargestSumsStayFinite) {
  std::vector<float> column;
  for (int i = 0; i < 31; ++i) column.push_back(i % 3 ? 1.4814f : -1.4814f);
  for (const int phase : {0, 1, 2})
    expect_accurate(rank_one(column, {1}), largest_pixel,
                    [&](int, int y) { return (y + phase) % 3 ? largest_pixel : -largest_pixel; });
}

TEST_F(SeparableHalf, TapsOfAnySize) {
  for (const float size : {1e-12f, 1e-4f, 1.0f, 1e4f, 1e9f})
    for (const int radius : {1, 8, 16})
      expect_accurate(rank_one(taps(radius, 3, size, size / 4), taps(radius, 4, 1, 0.25f)), 1, noise(1));
}

// The smallest taps are fp16's subnormals, or nothing, beside the largest.
TEST_F(SeparableHalf, TapsOfVeryDifferentMagnitude) {
  for (const int radius : {2, 8, 16})
    expect_accurate(rank_one(taps(radius, 7, 1, 1e-9f), taps(radius, 8, 1, 1e-9f)), 1, noise(1));
}

// fp16's subnormals end at 2^-24: what is left of dark pixels is still within the tolerance.
TEST_F(SeparableHalf, DarkPixels) {
  for (const float largest : {1e-3f, 1e-6f, 1e-9f})
    expect_accurate(parse_filter("gaussian:radius=4").filter, 1, noise(largest));
}

// The bound is of the kind of a float32 sum's, not some loose number.
TEST_F(SeparableHalf, ToleranceIsNearThatOfFloat32) {
  for (const char* spec : {"box:radius=1", "gaussian:radius=2", "gaussian:radius=8", "gaussian:radius=16", "sobel-x"}) {
    const Problem problem{picture_width, picture_height, PixelFormat::gray32f, Border::mirror,
                          parse_filter(spec).filter};
    const double tolerance = find_strategy(Backend::emulated, "separable-half")->tolerance(problem);
    EXPECT_GT(tolerance, separable_sum_bound(problem)) << spec;
    EXPECT_LT(tolerance, 12 * separable_sum_bound(problem)) << spec;
  }
}

TEST_F(SeparableHalf, RefusesWithNumbers) {
  const Strategy& strategy = *find_strategy(Backend::emulated, "separable-half");
  const auto reason = [&](const char* spec, PixelFormat format) {
    return strategy.unsupported({picture_width, picture_height, format, Border::zero, parse_filter(spec).filter},
                                compute_->device(), {});
  };
  EXPECT_NE(reason("gaussian:radius=17", PixelFormat::gray32f).find("17"), std::string::npos);
  EXPECT_NE(reason("gaussian:radius=1", PixelFormat::rgba8).find("rgba8"), std::string::npos);
  EXPECT_NE(reason("sobel-magnitude", PixelFormat::gray32f).find("2"), std::string::npos);
  EXPECT_NE(reason("sharpen", PixelFormat::gray32f).find("rank 2"), std::string::npos);
}

}  // namespace
}  // namespace convoscope
