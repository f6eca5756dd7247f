// Where the range and the accuracy of split fp16 numbers could break: pixels up to the stated limit, and weights that
// are tiny or of very different magnitude. And where a ring of rows could: at the edges of pictures of any width.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/filter/separability.h"
#include "kernels/kinds/frames.h"
#include "kernels/kinds/reference.h"

namespace convoscope {
namespace {

constexpr const char *separable = "separable-half", *any_filter = "tensor-core-half";
constexpr const char* all_strategies[] = {separable, any_filter, "wgmma-stream"};
float largest_pixel(std::string_view id) { return id == separable ? 2047 : 65504; }
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

class SplitHalf : public testing::Test {
 protected:
  std::vector<float> run(const char* id, const Problem& problem, std::vector<float>& pixels) {
    const Strategy& strategy = *find_strategy(Backend::emulated, id);
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
  void expect_accurate(const char* id, const Filter& filter, float largest,
                       const std::function<float(int, int)>& pixel) {
    expect_accurate(id, {picture_width, picture_height, PixelFormat::gray32f, Border::mirror, filter}, largest, pixel);
  }
  void expect_accurate(const char* id, const Problem& problem, float largest,
                       const std::function<float(int, int)>& pixel) {
    std::vector<float> pixels;
    for (int y = 0; y < problem.height; ++y)
      for (int x = 0; x < problem.width; ++x) pixels.push_back(pixel(x, y));
    const std::vector<float> outputs = run(id, problem, pixels);
    const std::vector<double> expected = reference(problem, host(problem, pixels));
    const double allowed = largest * find_strategy(Backend::emulated, id)->tolerance(problem);
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

TEST_F(SplitHalf, PixelsUpToTheLimit) {
  for (const char* id : all_strategies)
    for (const char* spec : {"box:radius=1", "gaussian:radius=8", "box:radius=16", "1 -1 2 -1 1"})
      expect_accurate(id, parse_filter(spec).filter, largest_pixel(id), noise(largest_pixel(id)));
}

// Rows come by bulk copies where their length allows, and what lies beyond them is made in shared memory; it is a
// number also where no weight meets it, since 0 · NaN is none.
TEST_F(SplitHalf, PicturesOfAnyWidth) {
  for (const int width : {1, 4, 8, 12, 28, 32, 36, 127, 128, 132, 140, 260})
    for (const int radius : {1, 3, 8, 16})
      for (const Border border : all_borders)
        expect_accurate(any_filter,
                        Problem{width, 9, PixelFormat::gray32f, border, random_filter(2 * radius + 1, radius | 1, 1)},
                        1, noise(1));
}

// The sums down the columns come closest to what fp16 holds when Σ|tap| is just below a power of two and every pixel
// has its tap's sign. Factors share the singular value, so these have Σ|tap| = √(1.4814 · 31 · √31) = 15.99.
TEST_F(SplitHalf, TheLargestSumsStayFinite) {
  std::vector<float> column;
  for (int i = 0; i < 31; ++i) column.push_back(i % 3 ? 1.4814f : -1.4814f);
  for (const int phase : {0, 1, 2})
    expect_accurate(separable, rank_one(column, {1}), largest_pixel(separable),
                    [&](int, int y) { return (y + phase) % 3 ? largest_pixel(separable) : -largest_pixel(separable); });
}

TEST_F(SplitHalf, TapsOfAnySize) {
  for (const auto& [size, radii] : {std::pair<float, std::vector<int>>{1e-12f, {1, 8, 16}},
                                    {1e-4f, {1, 8}},
                                    {1.0f, {16}},
                                    {1e4f, {1, 8}},
                                    {1e9f, {1, 8, 16}}})
    for (const int radius : radii)
      for (const char* id : all_strategies)
        expect_accurate(id, rank_one(taps(radius, 3, size, size / 4), taps(radius, 4, 1, 0.25f)), 1, noise(1));
}

// The smallest taps are fp16's subnormals, or nothing, beside the largest.
TEST_F(SplitHalf, TapsOfVeryDifferentMagnitude) {
  for (const int radius : {2, 8, 16})
    for (const char* id : all_strategies)
      expect_accurate(id, rank_one(taps(radius, 7, 1, 1e-9f), taps(radius, 8, 1, 1e-9f)), 1, noise(1));
}

// fp16's subnormals end at 2^-24: what is left of dark pixels is still within the tolerance.
TEST_F(SplitHalf, DarkPixels) {
  for (const float largest : {1e-3f, 1e-6f, 1e-9f})
    for (const char* id : all_strategies)
      expect_accurate(id, parse_filter("gaussian:radius=4").filter, 1, noise(largest));
}

// The bound is of the kind of a float32 sum's, not some loose number.
TEST_F(SplitHalf, ToleranceIsNearThatOfFloat32) {
  for (const char* spec : {"box:radius=1", "gaussian:radius=2", "gaussian:radius=8", "gaussian:radius=16", "sobel-x"}) {
    const Problem problem{picture_width, picture_height, PixelFormat::gray32f, Border::mirror,
                          parse_filter(spec).filter};
    const double tolerance = find_strategy(Backend::emulated, "separable-half")->tolerance(problem);
    EXPECT_GT(tolerance, separable_sum_bound(problem)) << spec;
    EXPECT_LT(tolerance, 12 * separable_sum_bound(problem)) << spec;
  }
}

// From radius 4 on it is below the bound of a plain float32 sum.
TEST_F(SplitHalf, ToleranceOfAnyFilterIsThatOfFloat32) {
  for (const int radius : {1, 2, 4, 8, 16}) {
    const Problem problem{picture_width, picture_height, PixelFormat::gray32f, Border::mirror,
                          random_filter(2 * radius + 1, 2 * radius + 1, 1)};
    const double tolerance = find_strategy(Backend::emulated, any_filter)->tolerance(problem);
    const double float32 = find_strategy(Backend::emulated, "constant")->tolerance(problem);
    EXPECT_GT(tolerance, 16 * float32 / problem.filter.taps()) << radius;
    EXPECT_LT(tolerance, radius >= 4 ? float32 : 6 * float32) << radius;
  }
}

TEST_F(SplitHalf, RefusesWithNumbers) {
  const auto reason = [&](const char* spec, PixelFormat format, const char* id = separable) {
    return find_strategy(Backend::emulated, id)
        ->unsupported({picture_width, picture_height, format, Border::zero, parse_filter(spec).filter},
                      compute_->device(), {});
  };
  EXPECT_NE(reason("gaussian:radius=17", PixelFormat::gray32f).find("17"), std::string::npos);
  EXPECT_NE(reason("gaussian:radius=1", PixelFormat::rgba8).find("rgba8"), std::string::npos);
  EXPECT_NE(reason("sobel-magnitude", PixelFormat::gray32f).find("2"), std::string::npos);
  EXPECT_NE(reason("sharpen", PixelFormat::gray32f).find("rank 2"), std::string::npos);
  EXPECT_NE(reason("gaussian:radius=17", PixelFormat::gray32f, any_filter).find("17"), std::string::npos);
  EXPECT_NE(reason("gaussian:radius=1", PixelFormat::rgba8, any_filter).find("rgba8"), std::string::npos);
  EXPECT_NE(reason("sobel-magnitude", PixelFormat::gray32f, any_filter).find("2"), std::string::npos);
  EXPECT_EQ(reason("sharpen", PixelFormat::gray32f, any_filter), "");
}

}  // namespace
}  // namespace convoscope
