// strips-split: its tiles, what it refuses and says, and that auto tries it where there are few channels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check/verify.h"
#include "kernels/choose/auto_candidates.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/measure/device_limits.h"
#include "tests/kernels/layer/dense_layer.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

const Strategy& strips_strategy() { return *find_strategy(Backend::emulated, "strips-split", layer_kind); }

// Every tile, of one channel to as many as there may be; maps, rows and columns that leave some over, strips that end
// within a turn of rows, padding that reaches further than the filter's.
TEST(LayerSplitStrips, AreRightInEveryTile) {
  for (const char* shape :
       {"1,1,9,40,17,3,padding=1", "2,3,21,70,16,3", "1,4,7,33,3,3,padding=2", "1,3,11,35,40,5,padding=2",
        "1,4,9,18,5,5", "1,2,13,40,9,7,padding=3", "1,4,8,17,33,7,padding=6", "1,16,12,37,16,3,padding=1",
        "2,7,9,20,70,3", "1,1,4,4,1,3,padding=4",
        // Blocks side by side, of rows that begin at 8 bytes, anywhere, and at 16.
        "1,3,5,260,20,3", "1,4,4,195,18,3,padding=1", "1,2,5,264,33,3,padding=1"})
    for (const Pass pass : {Pass::forward, Pass::to_input})
      for (const int rows : {0, 16}) {
        Problem problem = floats_of(shape, pass);
        const Device device = make_compute(Backend::emulated)->device();
        if (strips_strategy().unsupported(problem, device, {}).starts_with("The bank is in"))
          continue;  // of a gradient
        if (pass == Pass::forward) {
          problem.filter.biases.assign(static_cast<std::size_t>(problem.layer.maps), -0.25f);
          problem.filter.relu = rows == 0;
        }
        expect_right_when_dense(strips_strategy(), problem, {{"rows", rows}});
      }
}

// To the weights: each tile, maps and channels that leave some over, several blocks of both, samples, rows of four, of
// two and of any length, padding that reaches further than the filter's, more tiles than a block takes.
TEST(LayerSplitStrips, AreRightToTheWeights) {
  for (const char* shape : {"1,3,19,132,16,3", "2,2,9,33,5,3,padding=1", "1,3,18,70,66,3,padding=1", "1,4,17,40,16,3",
                            "1,19,9,21,7,3", "2,9,10,66,70,3,padding=2", "1,3,12,80,33,7,padding=3", "1,4,11,19,5,7",
                            "1,5,20,30,40,5,padding=2", "1,1,4,4,1,3,padding=4"})
    expect_right_when_dense(strips_strategy(), floats_of(shape, Pass::to_weights));
  const auto compute = make_compute(Backend::emulated);
  for (const unsigned seed : {1u, 2u, 3u}) {
    const VerifyRow row =
        verify_one(*compute, strips_strategy(), floats_of("2,3,19,41,20,3,padding=1", Pass::to_weights), {}, seed);
    EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
  }
}

TEST(LayerSplitStrips, AreRightBetweenGaps) {
  const auto compute = make_compute(Backend::emulated);
  for (const char* shape : {"2,3,19,41,20,3,padding=1", "1,9,9,20,70,3", "1,3,9,40,6,7,padding=3"})
    for (const unsigned seed : {1u, 2u, 3u}) {
      const VerifyRow row = verify_one(*compute, strips_strategy(), floats_of(shape), {}, seed);
      EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
    }
}

// The bound in the comment.
TEST(LayerSplitStrips, AreHeldToLessThanAPlainSum) {
  for (const char* shape : {"1,3,8,8,64,7", "1,16,8,8,16,3"}) {
    const Problem problem = floats_of(shape);
    EXPECT_LT(strips_strategy().tolerance(problem), float32_sum_bound(problem, layer_roundings(problem))) << shape;
  }
  const Problem problem = floats_of("1,3,1080,1920,16,3", Pass::to_weights);
  EXPECT_LT(strips_strategy().tolerance(problem), float32_sum_bound(problem, layer_roundings(problem)));
}

TEST(LayerSplitStrips, RefuseWithANumber) {
  Device device = make_compute(Backend::emulated)->device();
  const auto why_not = [&](const Problem& problem) { return strips_strategy().unsupported(problem, device, {}); };
  EXPECT_EQ(why_not(floats_of("1,3,20,20,64,3")), "");
  EXPECT_THAT(why_not(problem_of("1,3,20,20,64,3", Pass::forward, Precision::f16, Layout::nhwc)),
              HasSubstr("f16 nhwc"));
  EXPECT_EQ(why_not(floats_of("1,17,20,20,64,3", Pass::to_weights)), "");
  EXPECT_THAT(why_not(floats_of("1,4,20,20,64,3,groups=2")), HasSubstr("2 groups"));
  EXPECT_THAT(why_not(floats_of("1,4,20,20,64,3,stride=2")), HasSubstr("stride 2"));
  EXPECT_THAT(why_not(floats_of("1,4,20,20,64,4")), HasSubstr("here K is 4"));
  EXPECT_THAT(why_not(floats_of("1,17,20,20,64,3")), HasSubstr("over 16 planes; here are 17"));
  EXPECT_THAT(why_not(floats_of("1,5,20,20,64,7")), HasSubstr("over 4 planes; here are 5"));
  device.compute_capability = 75;
  EXPECT_THAT(why_not(floats_of("1,3,20,20,64,3")), HasSubstr("this device has 7.5"));
}

TEST(LayerSplitStrips, SayWhatIsSafe) {
  const Device device = make_compute(Backend::emulated)->device();
  EXPECT_THAT(strips_strategy().plan(floats_of("1,3,30,30,8,3"), device, {})->note(),
              HasSubstr("inputs up to 65504 do not overflow"));
}

// On a device with its instructions the model has it within what auto tries, in layers that eat video.
TEST(LayerSplitStrips, AreTriedInLayersOfVideo) {
  const DeviceLimits limits{.copy_bytes_per_second = 3.5e12, .flop_per_second = 60e12};
  const auto ms = [&](const char* id, const Problem& problem) {
    Strategy strategy = *find_strategy(Backend::emulated, id, layer_kind);
    strategy.backend = Backend::cuda;  // whose matrix units are fast
    return predicted_ms(strategy, problem, limits);
  };
  for (const char* shape : {"1,3,1080,1920,16,3", "1,3,1080,1920,64,3", "1,3,1080,1920,64,7", "1,16,1080,1920,16,3"})
    for (const char* other : {"register-block", "register-tile"})
      EXPECT_LT(ms("strips-split", floats_of(shape)), 2 * ms(other, floats_of(shape))) << shape << " and " << other;
  for (const char* shape : {"1,3,1080,1920,16,3", "1,3,1080,1920,64,3", "1,16,1080,1920,16,3"}) {
    const Problem problem = floats_of(shape, Pass::to_weights);
    EXPECT_LT(ms("strips-split", problem), 2 * ms("register-tile", problem)) << shape;
  }
}

}  // namespace
}  // namespace convoscope
