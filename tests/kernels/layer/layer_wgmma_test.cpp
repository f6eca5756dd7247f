// implicit-gemm-wgmma: its tiles, sources that cannot be copied as boxes, what it refuses and what it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check/verify.h"
#include "tests/kernels/layer/dense_layer.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

const Strategy& wgmma_strategy() { return *find_strategy(Backend::emulated, "implicit-gemm-wgmma", layer_kind); }

Problem halves_of(const char* shape, Pass pass = Pass::forward) {
  return problem_of(shape, pass, Precision::f16, Layout::nhwc);
}

// Maps, channels, rows and columns that leave some of a tile over, more tiles than blocks, even and odd filters, maps
// that cannot be stored in pairs, negative padding of a gradient.
TEST(LayerWarpgroups, AreRightInEveryTile) {
  struct Row {
    const char* shape;
    int outputs;
  };
  for (const auto& [shape, outputs] :
       {Row{"1,8,17,9,5,3,padding=1", 64}, Row{"2,72,13,21,66,3,padding=1", 64}, Row{"1,64,35,10,64,2", 128},
        Row{"1,16,9,19,66,5,padding=2", 128}, Row{"1,24,50,12,7,3,dilation=2", 192},
        Row{"1,72,30,9,33,3,padding=2", 224}, Row{"1,64,5,5,64,1", 0}})
    for (const Pass pass : {Pass::forward, Pass::to_input}) {
      Problem problem = halves_of(shape, pass);
      if (wgmma_strategy().unsupported(problem, make_compute(Backend::emulated)->device(), {}).starts_with("A pixel"))
        continue;  // of a gradient whose maps are no multiple of 8
      if (pass == Pass::forward) {
        problem.filter.biases.assign(static_cast<std::size_t>(problem.layer.maps), -0.25f);
        problem.filter.relu = true;
      }
      expect_right_when_dense(wgmma_strategy(), problem, {{"outputs", outputs}});
    }
}

// To the weights: maps and channels that leave some of a tile over, several tiles, samples, padding, dilation, parts,
// and tensors that cannot be copied as boxes.
TEST(LayerWarpgroups, AreRightToTheWeights) {
  for (const char* shape : {"1,8,9,13,16,3", "2,8,7,9,6,3,padding=1", "1,72,5,6,8,3,padding=2", "1,2,9,30,65,3",
                            "3,8,11,12,8,3,dilation=2,padding=3"})
    expect_right_when_dense(wgmma_strategy(), halves_of(shape, Pass::to_weights));
  const auto compute = make_compute(Backend::emulated);
  const VerifyRow row =
      verify_one(*compute, wgmma_strategy(), halves_of("2,8,9,20,6,3,padding=1", Pass::to_weights), {}, 1);
  EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
}

// Verification's tensors have gaps, which boxes cannot have where they are not whole chunks.
TEST(LayerWarpgroups, AreRightBetweenGaps) {
  const auto compute = make_compute(Backend::emulated);
  for (const char* shape : {"2,8,19,11,6,3,padding=1", "1,72,9,20,70,3"}) {
    const VerifyRow row = verify_one(*compute, wgmma_strategy(), halves_of(shape), {}, 1);
    EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
  }
}

TEST(LayerWarpgroups, RefuseWithANumber) {
  Device device = make_compute(Backend::emulated)->device();
  const auto why_not = [&](const Problem& problem) { return wgmma_strategy().unsupported(problem, device, {}); };
  EXPECT_EQ(why_not(halves_of("1,64,20,20,64,3")), "");
  EXPECT_THAT(why_not(layer_problem("1,64,20,20,64,3", Pass::forward)), HasSubstr("f32 nchw"));
  EXPECT_EQ(why_not(halves_of("1,64,20,20,64,3", Pass::to_weights)), "");
  EXPECT_THAT(why_not(halves_of("1,64,20,20,64,5", Pass::to_weights)), HasSubstr("here K is 5"));
  EXPECT_THAT(why_not(halves_of("1,64,20,20,64,3,groups=2")), HasSubstr("2 groups"));
  EXPECT_THAT(why_not(halves_of("1,64,20,20,64,3,stride=2")), HasSubstr("stride is 2"));
  EXPECT_THAT(why_not(halves_of("1,12,20,20,64,3")), HasSubstr("here are 12"));
  EXPECT_THAT(why_not(halves_of("1,64,80,80,64,3,dilation=30")), HasSubstr("bytes of shared memory"));
  device.compute_capability = 100;
  EXPECT_THAT(why_not(halves_of("1,64,20,20,64,3")), HasSubstr("this device has 10.0"));
}

// The tile that leaves the fewest of 132 multiprocessors idle.
TEST(LayerWarpgroups, ChooseTheirTile) {
  Device device = make_compute(Backend::emulated)->device();
  device.multiprocessors = 132;
  const auto note = [&](const char* shape) { return wgmma_strategy().plan(halves_of(shape), device, {})->note(); };
  EXPECT_THAT(note("1,128,270,480,128,3,padding=1"), HasSubstr("8 × 56 outputs"));
  EXPECT_THAT(note("1,256,135,240,256,3,padding=1"), HasSubstr("8 × 48 outputs"));
  EXPECT_THAT(note("1,64,20,20,64,3,padding=1"), HasSubstr("8 × 16 outputs"));
}

}  // namespace
}  // namespace convoscope
