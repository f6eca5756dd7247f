// depthwise in float16: pairs of channels in strips, everything else an output a thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Strategy& depthwise_strategy() { return *find_strategy(Backend::emulated, "depthwise", layer_kind); }

Problem halves_of(const char* shape, Pass pass, Layout layout) {
  Problem problem = layer_problem(shape, pass);
  problem.layer.precision = Precision::f16;
  problem.layer.layout = layout;
  if (pass != Pass::forward) return problem;
  problem.filter.biases.assign(static_cast<std::size_t>(problem.layer.maps), -0.25f);
  problem.filter.relu = true;
  return problem;
}

TEST(LayerDepthwise, TakesHalves) {
  const auto compute = make_compute(Backend::emulated);
  for (const char* shape :
       {"1,6,13,37,6,3,groups=6,padding=1", "1,64,21,19,64,3,groups=64", "2,70,9,11,70,5,groups=70,padding=2",
        "1,2,40,33,2,7,groups=2,padding=3", "9,4,31,9,4,3,groups=4", "1,3,9,13,3,3,groups=3", "1,4,9,12,8,3,groups=4",
        "1,6,11,9,6,3,groups=6,stride=2,padding=1", "1,2,9,9,2,4,groups=2,dilation=2,padding=4"})
    for (const Pass pass : {Pass::forward, Pass::to_input})
      for (const Layout layout : all_layouts) {
        const Problem problem = halves_of(shape, pass, layout);
        const VerifyRow row = verify_one(*compute, depthwise_strategy(), problem, {}, 5);
        EXPECT_TRUE(row.passed) << layer_kind.describe(problem) << ": " << row.failure << row.skipped_reason;
      }
}

TEST(LayerDepthwise, SaysHowItTakesHalves) {
  const Device device = make_compute(Backend::emulated)->device();
  const auto note = [&](const char* shape, Layout layout) {
    return depthwise_strategy().plan(halves_of(shape, Pass::forward, layout), device, {})->note();
  };
  EXPECT_THAT(note("1,6,13,37,6,3,groups=6", Layout::nhwc), StartsWith("pairs of channels, strips of 8 × "));
  EXPECT_THAT(note("1,6,13,37,6,3,groups=6", Layout::nchw), StartsWith("an output a thread"));
  EXPECT_THAT(note("1,3,13,37,3,3,groups=3", Layout::nhwc), StartsWith("an output a thread"));
  EXPECT_THAT(
      depthwise_strategy().unsupported(halves_of("1,6,13,37,6,3,groups=6", Pass::to_weights, Layout::nhwc), device, {}),
      HasSubstr("of float32 alone"));
}

}  // namespace
}  // namespace convoscope
