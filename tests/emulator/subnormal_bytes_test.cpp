// Bytes that are not converted but multiplied as they lie in their words, with weights that are too large by as much.
#include "kernels/strategies/shared/image/subnormal_bytes.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

TEST(SubnormalBytes, ProductsAreThoseOfConvertedBytesToTheLastBit) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-3, 3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<float> weights(9);
    const float scale = std::ldexp(1.0f, static_cast<int>(random() % 200) - 100);
    for (float& weight : weights) weight = scale * any(random);
    const int exponent = exponent_for_bytes(weights);
    const std::vector<float> large = scaled_for_bytes(weights, exponent);
    const std::uint32_t word = random();
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 9; ++i) {
        const float value = static_cast<float>(word >> (8 * c) & 0xFF);
        const float raw = std::bit_cast<float>(word & 0xFFu << (8 * c));
        const float product = raw * large[static_cast<std::size_t>(9 * c + i)];
        EXPECT_EQ(std::ldexp(static_cast<double>(product), exponent_of_gain(exponent)),
                  static_cast<double>(value * (weights[static_cast<std::size_t>(i)] / scale)) * scale);
      }
  }
}

// Weights and gains at either end of what a float holds, alone and against each other.
TEST(SubnormalBytes, FiltersOfAnySizeAreRight) {
  const auto compute = make_compute(Backend::emulated);
  const std::pair<float, float> scales[] = {{1, 1},          {1e-30f, 1e30f}, {1e30f, 1e-30f}, {1e-38f, 3e37f},
                                            {3e34f, 1e-34f}, {1e30f, 1},      {1, 1e30f},      {1e-30f, 1}};
  for (const char* name :
       {"gaussian:radius=1", "gaussian:radius=2", "sharpen", "sobel-magnitude", "emboss", "laplacian"})
    for (const auto& [weights, gain] : scales)
      for (const char* id : {"separable-stream", "register-stream"}) {
        SCOPED_TRACE(std::string(id) + " " + name + " " + std::to_string(weights) + " " + std::to_string(gain));
        Filter filter = parse_filter(name).filter;
        for (float& weight : filter.weights) weight *= weights;
        for (float& weight : filter.weights_y) weight *= weights;
        filter.gain *= gain;
        const Problem problem{70, 9, PixelFormat::rgba8, Border::mirror, filter};
        const VerifyRow row = verify_one(*compute, *find_strategy(Backend::emulated, id), problem, {}, 3);
        EXPECT_FALSE(row.failed()) << row.failure;
        if (weights == 1 && gain == 1 && std::string_view(name) == "gaussian:radius=2") EXPECT_FALSE(row.skipped());
      }
}

}  // namespace
}  // namespace convoscope
