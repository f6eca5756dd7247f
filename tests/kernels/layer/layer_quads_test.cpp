// Strategies whose threads make four neighbouring outputs: rows that begin at 16 bytes and rows that do not, cut short
// at every end, with more maps and channels than a thread or a share of the bank has.
#include <gtest/gtest.h>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

struct Trial {
  const char* strategy;
  const char* shape;
};

class LayerQuads : public testing::TestWithParam<Trial> {};

TEST_P(LayerQuads, AreRight) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::emulated);
  const Strategy& strategy = *find_strategy(Backend::emulated, GetParam().strategy, layer_kind);
  int ran = 0;
  for (const Pass pass : {Pass::forward, Pass::to_input, Pass::to_weights}) {
    const Problem problem = layer_problem(GetParam().shape, pass);
    if (!strategy.unsupported(problem, compute->device(), {}).empty()) continue;
    const VerifyRow row = verify_one(*compute, strategy, problem, {}, 7);
    EXPECT_TRUE(row.passed) << layer_kind.describe(problem) << ": " << row.failure << row.skipped_reason;
    ++ran;
  }
  EXPECT_GE(ran, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Trials, LayerQuads,
    testing::Values(
        Trial{"register-block", "1,3,7,40,16,3,padding=1"}, Trial{"register-block", "1,3,7,41,16,3,padding=1"},
        Trial{"register-block", "2,2,9,24,3,3,padding=1"}, Trial{"register-block", "1,2,19,22,2,5,padding=2"},
        Trial{"register-block", "1,2,9,24,20,5,padding=2"}, Trial{"register-block", "1,2,11,28,17,7,padding=3"},
        Trial{"register-block", "1,2,11,28,3,7,padding=3"}, Trial{"register-block", "1,2,11,28,3,7"},
        Trial{"register-block", "2,130,5,12,33,3,padding=1"}, Trial{"register-block", "1,3,9,42,16,3"},
        Trial{"register-block", "1,2,13,38,19,5"}, Trial{"register-block", "1,2,15,34,3,7,padding=2"},
        Trial{"depthwise", "1,3,13,42,3,3,groups=3"}, Trial{"depthwise", "1,2,15,34,2,7,groups=2"},
        Trial{"register-tile", "1,3,9,42,5,3"}, Trial{"register-tile", "1,2,15,34,3,7,padding=2"},
        Trial{"register-block", "1,12,6,516,8,3,padding=1,groups=4"},
        Trial{"depthwise", "1,6,13,36,6,3,padding=1,groups=6"}, Trial{"depthwise", "2,3,13,37,6,3,padding=1,groups=3"},
        Trial{"depthwise", "1,2,9,516,2,5,padding=2,groups=2"}, Trial{"depthwise", "1,2,9,20,2,7,padding=3,groups=2"},
        Trial{"register-tile", "1,3,9,516,5,3,padding=1"}, Trial{"register-tile", "2,4,7,40,9,5,padding=2"},
        Trial{"register-tile", "1,2,9,20,3,7,padding=3"}));

}  // namespace
}  // namespace convoscope
