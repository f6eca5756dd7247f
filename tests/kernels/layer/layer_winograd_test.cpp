// The layer ladder's winograd: what it refuses, how many multiplies it saves, and the samples that it takes at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

const Strategy& winograd() { return *find_strategy(Backend::emulated, "winograd", layer_kind); }

std::string refusal(const char* shape, Pass pass, const Tuning& tuning = {}) {
  return winograd().unsupported(layer_problem(shape, pass), make_compute(Backend::emulated)->device(), tuning);
}

TEST(LayerWinograd, RefusesWithNumbers) {
  for (const Pass pass : {Pass::forward, Pass::to_input}) EXPECT_EQ(refusal("1,3,9,9,4,3,padding=1", pass), "");
  EXPECT_EQ(refusal("1,4,9,9,4,3,groups=4,padding=4", Pass::to_input), "");
  EXPECT_THAT(refusal("1,3,9,9,4,5", Pass::forward), HasSubstr("here K is 5"));
  EXPECT_THAT(refusal("1,3,9,9,4,3,stride=2", Pass::forward), HasSubstr("the stride 2"));
  EXPECT_THAT(refusal("1,3,9,9,4,3,dilation=3", Pass::forward), HasSubstr("the dilation 3"));
  EXPECT_THAT(refusal("1,3,9,9,4,3", Pass::to_weights), HasSubstr("3 × 3 weights"));
  EXPECT_THAT(refusal("1,3,9,9,4,3", Pass::forward, {{"outputs", 6}}), HasSubstr("6 outputs"));
  EXPECT_THAT(refusal("1,3,9,9,4,3", Pass::forward, {{"tile", 48}}), HasSubstr("48 rows"));
  EXPECT_THAT(refusal("1,4096,9,9,4096,3,groups=4096", Pass::forward), HasSubstr("65536 blocks"));
}

// Many channels and maps: 16 multiplies where there are 36, 36 where there are 144, and the transforms.
TEST(LayerWinograd, SavesMultiplies) {
  const Problem p = layer_problem("1,256,64,64,256,3,padding=1", Pass::forward);
  const double definition = filter_flop(p);
  const double two = winograd().model(p, {}).flop, four = winograd().model(p, {{"outputs", 4}}).flop;
  EXPECT_GT(two, definition * 16 / 36);
  EXPECT_LT(two, definition * 16 / 36 * 1.1);
  EXPECT_GT(four, definition * 36 / 144);
  EXPECT_LT(four, definition * 36 / 144 * 1.1);
  EXPECT_EQ(winograd().model(p, {}).dram_bytes, direct_cost(p).dram_bytes + 2 * 4.0 * 16 * 32 * 32 * 512);
}

// Of one source and a filter that is a single 1 the largest path of F(4×4) is that of U and of all coefficients.
TEST(LayerWinograd, ErrsByMoreThanTheSum) {
  for (const Pass pass : {Pass::forward, Pass::to_input}) {
    const Problem p = layer_problem("1,8,9,9,8,3", pass);
    EXPECT_GT(winograd().tolerance(p), 5 * float32_sum_bound(p, 72));
    EXPECT_LT(winograd().tolerance(p), 500 * float32_sum_bound(p, 72));
  }
}

TEST(LayerWinograd, SaysHowManyProductsMakeATile) {
  const Problem p = layer_problem("1,6,9,10,4,3,groups=2", Pass::forward);
  const Device device = make_compute(Backend::emulated)->device();
  const std::string words = winograd().explain(p, device, {}, {.x = 5, .y = 2, .channel = 3}).words;
  EXPECT_THAT(words, HasSubstr("in tile (2, 1) of 2 × 2 outputs"));
  EXPECT_THAT(words, HasSubstr("48 products for 4 outputs, where the definition has 108"));
  EXPECT_THAT(winograd().explain(p, device, {{"outputs", 4}}, {.x = 5, .y = 2}).words,
              HasSubstr("108 products for 16"));
}

TEST(LayerWinograd, TakesAsManySamplesAsMakeAProductWorthALaunch) {
  const auto compute = make_compute(Backend::emulated);
  const auto note = [&](const char* shape) {
    return winograd().plan(layer_problem(shape, Pass::forward), compute->device(), {})->note();
  };
  EXPECT_THAT(note("7,1,9,9,1,3"), HasSubstr("7 of 7 samples at once"));
  EXPECT_THAT(note("3,1,132,262,1,3"), HasSubstr("2 of 3 samples at once"));  // 65 × 130 tiles
  const Problem last_alone = layer_problem("3,1,132,262,1,3", Pass::forward);
  const VerifyRow row = verify_one(*compute, winograd(), last_alone, {}, 4);
  EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
}

TEST(LayerWinograd, IsRightWithEveryTuning) {
  const auto compute = make_compute(Backend::emulated);
  for (const Pass pass : {Pass::forward, Pass::to_input})
    for (const int outputs : {2, 4})
      for (const int tile : {16, 128})
        for (const char* shape : {"2,5,11,14,7,3,padding=1", "1,6,9,10,4,3,groups=2,padding=3"}) {
          const VerifyRow row =
              verify_one(*compute, winograd(), layer_problem(shape, pass), {{"outputs", outputs}, {"tile", tile}}, 6);
          EXPECT_TRUE(row.passed) << shape << ": " << row.failure << row.skipped_reason;
        }
}

}  // namespace
}  // namespace convoscope
