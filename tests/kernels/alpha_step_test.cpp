// Pictures with alpha: what nobody sees does not bleed into what is seen.
#include "kernels/convert/alpha_step.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/check/alpha_check.h"
#include "kernels/contract/kind.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

std::vector<Rgba8> filtered(std::vector<Rgba8> row, const Filter& filter, Border border) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  const int width = static_cast<int>(row.size());
  const Problem problem{width, 1, PixelFormat::rgba8, border, filter};
  std::vector<Rgba8> result(row.size());
  const Image in{row.data(), width, 1, row.size() * sizeof(Rgba8), PixelFormat::rgba8};
  const Image out{result.data(), width, 1, row.size() * sizeof(Rgba8), PixelFormat::rgba8};
  AlphaStep step(*compute, width, 1);
  step.set_filter(filter);
  const auto plan = find_strategy(Backend::cpu, "cpu-direct")->plan(problem_of_plane(problem), compute->device(), {});
  plan->prepare({});
  enqueue_with_alpha(step, *plan, in, out, {});
  return result;
}

int code(const Rgba8& pixel, int channel) {
  return channel == 0 ? pixel.r : channel == 1 ? pixel.g : channel == 2 ? pixel.b : pixel.a;
}

void expect_pixel(const Rgba8& pixel, std::vector<int> wanted) {
  for (int c = 0; c < 4; ++c) EXPECT_EQ(code(pixel, c), wanted[static_cast<std::size_t>(c)]) << "channel " << c;
}

TEST(AlphaStep, TransparentColoursDoNotBleed) {
  // Blue that is seen beside red that is not. By hand: the mean of three has alpha 255·2/3 and 255/3, and is blue.
  const std::vector<Rgba8> out = filtered({{0, 0, 200, 255}, {0, 0, 200, 255}, {255, 0, 0, 0}, {255, 0, 0, 0}},
                                          parse_filter("box:rx=1,ry=0").filter, Border::replicate);
  expect_pixel(out[0], {0, 0, 200, 255});
  expect_pixel(out[1], {0, 0, 200, 170});
  expect_pixel(out[2], {0, 0, 200, 85});
  expect_pixel(out[3], {0, 0, 0, 0});
}

TEST(AlphaStep, WeighsByAlpha) {
  // (1·1·240 + 2·0.2·60) / (1·1 + 2·0.2) = 188.57; alpha (255 + 2·51) / 3 = 119.
  Filter filter = parse_matrix("1 2 0");
  filter.gain = 1.0f / 3;
  const std::vector<Rgba8> out = filtered({{240, 240, 240, 255}, {60, 60, 60, 51}}, filter, Border::zero);
  expect_pixel(out[1], {189, 189, 189, 119});
  // Outside there is nothing, which is transparent: the colour stays, alpha falls.
  expect_pixel(out[0], {240, 240, 240, 170});
}

TEST(AlphaStep, OtherFiltersKeepAlphaAndWorkOnWhatIsSeen) {
  // -1 0 1 of 200·1, 100·0.4, 50·0: at the middle 0 - 200, of its 0.4: |-500| is white; at the left 40 - 0 of 1.
  const std::vector<Rgba8> out =
      filtered({{200, 10, 0, 255}, {100, 0, 0, 102}, {50, 0, 0, 0}}, parse_matrix("-1 0 1"), Border::zero);
  expect_pixel(out[0], {40, 0, 0, 255});
  expect_pixel(out[1], {0, 0, 0, 102});
  expect_pixel(out[2], {0, 0, 0, 0});
  Filter absolute = parse_matrix("-1 0 1");
  absolute.absolute = true;
  absolute.gain = 0.25f;
  expect_pixel(filtered({{200, 10, 0, 255}, {100, 0, 0, 102}, {50, 0, 0, 0}}, absolute, Border::zero)[1],
               {125, 6, 0, 102});
}

TEST(AlphaStep, KnowsWhichFiltersAreMeans) {
  EXPECT_EQ(alpha_use(parse_filter("gaussian:radius=2").filter), AlphaUse::weighs);
  EXPECT_EQ(alpha_use(parse_matrix("0 2 0")), AlphaUse::weighs);
  EXPECT_EQ(alpha_use(parse_matrix("0 0 0")), AlphaUse::multiplies);
  EXPECT_EQ(alpha_use(parse_filter("sharpen").filter), AlphaUse::multiplies);
  EXPECT_EQ(alpha_use(parse_filter("sobel-magnitude").filter), AlphaUse::multiplies);
}

TEST(AlphaStep, SeesWhatIsOpaque) {
  std::vector<Rgba8> pixels(12, Rgba8{1, 2, 3, 255});
  const Image image{pixels.data(), 3, 4, 3 * sizeof(Rgba8), PixelFormat::rgba8};
  EXPECT_TRUE(is_opaque(image));
  pixels[11].a = 254;
  EXPECT_FALSE(is_opaque(image));
}

TEST(AlphaStep, IsCheckedForEveryStrategy) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  int with_alpha = 0;
  for (const VerifyRow& row : verify(*compute, {.strategies = {"cpu-parallel"}, .small = true})) {
    if (!row.filter.ends_with(" with alpha")) continue;
    EXPECT_TRUE(row.passed) << row.filter << ": " << row.failure;
    ++with_alpha;
  }
  EXPECT_EQ(with_alpha, static_cast<int>(alpha_cases({}).size()));
}

// A strategy that is off by a hundredth is found: what a colour's error counts is not lost in its alpha.
std::unique_ptr<Plan> plan_that_is_off(const Problem& problem, const Device& device, const Tuned&) {
  Problem other = problem;
  for (float& weight : other.filter.weights) weight *= 1.01f;
  for (float& weight : other.filter.weights_y) weight *= 1.01f;
  return find_strategy(Backend::cpu, "cpu-direct")->plan(other, device, {});
}

TEST(AlphaStep, FindsWrongStrategies) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  Strategy wrong = *find_strategy(Backend::cpu, "cpu-direct");
  wrong.plans = plan_that_is_off;
  for (const Problem& problem : alpha_cases({})) EXPECT_TRUE(verify_with_alpha(*compute, wrong, problem, 1).failed());
}

}  // namespace
}  // namespace convoscope
