// What every kind must hold, and what each refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check/verify.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/model.h"
#include "kernels/kinds/frames.h"
#include "kernels/kinds/signal.h"
#include "kernels/kinds/volume.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

class EveryKind : public testing::TestWithParam<const Kind*> {};

TEST_P(EveryKind, DescribesItself) {
  const Kind& kind = *GetParam();
  EXPECT_EQ(find_kind(kind.id), &kind);
  EXPECT_FALSE(kind.title.empty());
  EXPECT_GT(kind.idea.size(), 40u);
  EXPECT_FALSE(kind.formats.empty());
  EXPECT_FALSE(strategies(Backend::cpu, kind).empty());
}

TEST_P(EveryKind, HasCasesAndBenchmarksOfItsOwn) {
  const Kind& kind = *GetParam();
  bool worked_out = false;
  for (const bool small : {true, false}) {
    std::map<Border, int> borders;
    for (const Case& one : kind.cases({.small = small, .filters = {}})) {
      EXPECT_EQ(kind.invalid(one.problem), "");
      EXPECT_EQ(one.problem.kind, &kind);
      EXPECT_FALSE(kind.describe(one.problem).empty());
      ++borders[one.problem.border];
      worked_out |= !one.outputs.empty();
    }
    for (const Border border : kind.borders) EXPECT_GT(borders[border], 10) << to_string(border);
  }
  EXPECT_TRUE(worked_out);
  for (const Problem& problem : kind.benchmarks()) EXPECT_EQ(kind.invalid(problem), "");
}

// The simplest of its strategies passes, so the oracle, the cases and the worked examples agree.
TEST_P(EveryKind, IsVerifiedByItsPlainLoops) {
  const auto compute = make_compute(Backend::cpu);
  int passed = 0;
  for (const VerifyRow& row : verify(*compute, {.kind = GetParam(), .strategies = {"cpu-direct"}, .small = true})) {
    EXPECT_TRUE(row.passed) << row.filter << " " << row.width << " × " << row.height << ": " << row.failure
                            << row.skipped_reason;
    passed += row.passed;
  }
  EXPECT_GT(passed, 50);
}

TEST_P(EveryKind, TakesAFilterFromText) {
  const Filter filter = GetParam()->parse("gaussian:radius=2,gain=0.5");
  EXPECT_EQ(filter.width, 5);
  double sum = 0;
  for (const float weight : filter.weights) sum += weight;
  EXPECT_NEAR(filter.gain * sum, 0.5, 1e-6);
  EXPECT_THROW(GetParam()->parse("gaussian:nonsense=2"), Error);
}

INSTANTIATE_TEST_SUITE_P(Book, EveryKind, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return std::string(kind.param->id); });

TEST(Kinds, RefuseWhatIsNotTheirs) {
  EXPECT_THAT(image_kind.invalid({8, 8, PixelFormat::rgba8, Border::zero, random_filter(3, 3, 3)}),
              HasSubstr("3 frames"));
  EXPECT_THAT(signal_kind.invalid({8, 1, PixelFormat::gray32f, Border::zero, random_filter(3, 3), &signal_kind}),
              HasSubstr("3 × 3"));
  EXPECT_THAT(signal_kind.invalid({8, 1, PixelFormat::rgba8, Border::zero, random_filter(3, 1), &signal_kind}),
              HasSubstr("float"));
  EXPECT_THROW(signal_kind.parse("sobel-magnitude"), Error);
  EXPECT_THROW(volume_kind.parse("sobel-magnitude"), Error);
}

// A wrong example must be seen: the reference is held against what was worked out by hand.
TEST(Kinds, AreHeldAgainstTheirWorkedExamples) {
  const Filter filter = signal_kind.parse("1 2 1");
  EXPECT_EQ(filter.weights, (std::vector<float>{1, 2, 1}));
  int examples = 0;
  for (const Case& one : signal_kind.cases({}))
    if (!one.outputs.empty()) {
      ++examples;
      EXPECT_EQ(one.outputs.size(), static_cast<std::size_t>(one.problem.width));
    }
  EXPECT_EQ(examples, 5);
}

TEST(Kinds, AVolumesFilterReachesOverFrames) {
  const Filter filter = volume_kind.parse("box:radius=1,rt=1");
  EXPECT_EQ(filter.depth, 3);
  EXPECT_EQ(filter.taps(), 27);
  for (const float weight : filter.weights) EXPECT_NEAR(weight, 1 / 27.0, 1e-7);
  EXPECT_EQ(volume_kind.parse("gaussian:rt=2,radius=3").taps(), 7 * 7 * 5);
  for (const char* wrong : {"box:rt=1.5", "box:rt=-1", "box:rt=64", "box:rt="})
    EXPECT_THROW(volume_kind.parse(wrong), Error);
}

TEST(Kinds, CountTheirOutputs) {
  const Problem signal{1000, 2, PixelFormat::gray32f, Border::zero, random_filter(5, 1), &signal_kind};
  EXPECT_EQ(outputs(signal), 2000);
  EXPECT_EQ(direct_cost(signal).flop, 2.0 * 5 * 2000);
  EXPECT_EQ(direct_cost(signal).dram_bytes, 2.0 * 4 * 2000);
  const Problem volume{100, 50, PixelFormat::gray32f, Border::zero, random_filter(3, 3, 5), &volume_kind};
  EXPECT_EQ(outputs(volume), 5000);
  EXPECT_EQ(direct_cost(volume).global_loads_per_output, 45);
  EXPECT_EQ(direct_cost(volume).dram_bytes, 6.0 * 4 * 5000) << "five frames in, one out";
}

}  // namespace
}  // namespace convoscope
