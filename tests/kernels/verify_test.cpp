// The checker is checked: strategies with one fault each must fail, with a sentence that says where.
#include "kernels/check/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

// What a broken strategy does to the output of a right one.
void (*damage)(const Image& out) = nullptr;
bool ignores_new_filters = false;

class DamagedPlan final : public ImagePlan {
 public:
  DamagedPlan(const Problem& problem, const Device& device)
      : right_(find_strategy(Backend::cpu, "cpu-direct")->plan(problem, device, {})) {}
  void set_filter(const Filter& filter) override {
    if (!ignores_new_filters) right_->set_filter(filter);
  }
  void prepare(Stream stream) override { right_->prepare(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    enqueue_image(*right_, in, out, stream);
    if (damage) damage(out);
  }

 private:
  std::unique_ptr<Plan> right_;
};

Strategy damaged_strategy() {
  Strategy strategy = *find_strategy(Backend::cpu, "cpu-direct");
  strategy.plans = [](const Problem& p, const Device& device, const Tuned&) -> std::unique_ptr<Plan> {
    return std::make_unique<DamagedPlan>(p, device);
  };
  return strategy;
}

unsigned char* bytes(const Image& image, int x, int y) {
  return static_cast<unsigned char*>(image.data) + y * static_cast<std::ptrdiff_t>(image.pitch) + 4 * x;
}

class Verify : public testing::TestWithParam<PixelFormat> {
 protected:
  VerifyRow run(void (*fault)(const Image&), unsigned seed = 1) {
    damage = fault;
    const Problem problem{13, 11, GetParam(), Border::mirror, parse_filter("gaussian:radius=2").filter};
    return verify_one(*compute_, damaged_strategy(), problem, {}, seed);
  }
  void TearDown() override {
    damage = nullptr;
    ignores_new_filters = false;
  }
  std::unique_ptr<Compute> compute_ = make_compute(Backend::cpu);
};

TEST_P(Verify, PassesWhatIsRight) {
  const VerifyRow row = run(nullptr);
  EXPECT_TRUE(row.passed) << row.failure;
  EXPECT_LE(row.max_error, row.tolerance);
  EXPECT_FALSE(row.skipped());
}

TEST_P(Verify, CatchesAWrongValue) {
  const VerifyRow row = run([](const Image& out) {
    if (out.format == PixelFormat::rgba8)
      bytes(out, 7, 5)[1] += 2;
    else
      reinterpret_cast<float&>(*bytes(out, 7, 5)) += 1e-4f;
  });
  EXPECT_TRUE(row.failed());
  EXPECT_THAT(row.failure, HasSubstr("at (7, 5)"));
}

TEST_P(Verify, CatchesAnUnwrittenPixel) {
  EXPECT_TRUE(run([](const Image& out) { std::fill_n(bytes(out, 12, 10), 4, 0xFF); }).failed());
}

TEST_P(Verify, CatchesWritesBetweenRows) {
  const VerifyRow row = run([](const Image& out) { *bytes(out, out.width, 3) = 0; });
  EXPECT_TRUE(row.failed());
  EXPECT_THAT(row.failure, HasSubstr("outside"));
}

TEST_P(Verify, CatchesWritesAboveAndBelow) {
  EXPECT_TRUE(run([](const Image& out) { *bytes(out, 4, -1) = 0; }).failed());
  EXPECT_TRUE(run([](const Image& out) { *bytes(out, 4, out.height) = 0; }).failed());
}

TEST_P(Verify, CatchesLostAlphaOrNaN) {
  EXPECT_TRUE(run([](const Image& out) {
                if (out.format == PixelFormat::rgba8)
                  bytes(out, 0, 0)[3] ^= 1;
                else
                  reinterpret_cast<float&>(*bytes(out, 0, 0)) = NAN;
              }).failed());
}

TEST_P(Verify, CatchesPlansThatKeepTheirOldFilter) {
  ignores_new_filters = true;
  bool caught = false;
  for (unsigned seed = 0; seed < 16; ++seed) caught |= run(nullptr, seed).failed();
  EXPECT_TRUE(caught);
}

TEST_P(Verify, ReportsErrorsAndRefusals) {
  Strategy strategy = damaged_strategy();
  const Problem problem{3, 3, GetParam(), Border::zero, parse_filter("sharpen").filter};
  strategy.plans = [](const Problem&, const Device&, const Tuned&) -> std::unique_ptr<Plan> {
    throw Error("out of luck");
  };
  const VerifyRow failed = verify_one(*compute_, strategy, problem, {}, 1);
  EXPECT_TRUE(failed.failed());
  EXPECT_EQ(failed.failure, "out of luck");

  const VerifyRow skipped = verify_one(*compute_, *find_strategy(Backend::cpu, "cpu-separable"), problem, {}, 1);
  EXPECT_TRUE(skipped.skipped());
  EXPECT_FALSE(skipped.failed());
  EXPECT_THAT(skipped.skipped_reason, HasSubstr("rank 2"));
}

// Of bytes, which lie at most 255 apart; of floats any tolerance decides something.
TEST_P(Verify, ATolerancePastWhatBytesHoldIsNoCheck) {
  damage = [](const Image& out) {
    if (out.format == PixelFormat::rgba8)
      bytes(out, 0, 0)[0] ^= 0xFF;
    else
      reinterpret_cast<float&>(*bytes(out, 0, 0)) = 1e30f;
  };
  const Problem problem{13, 11, GetParam(), Border::zero, parse_matrix("1e8 -2e8 1e8")};
  const VerifyRow row = verify_one(*compute_, damaged_strategy(), problem, {}, 1);
  EXPECT_FALSE(row.passed);
  if (GetParam() == PixelFormat::gray32f) {
    EXPECT_TRUE(row.failed());
    return;
  }
  EXPECT_GT(row.tolerance, 255);
  EXPECT_THAT(row.skipped_reason, AllOf(HasSubstr("any output would pass"), HasSubstr("255")));
  EXPECT_EQ(undecided_reason(problem, 254), "");
}

INSTANTIATE_TEST_SUITE_P(Formats, Verify, testing::Values(PixelFormat::rgba8, PixelFormat::gray32f),
                         [](const testing::TestParamInfo<PixelFormat>& format) {
                           return std::string(to_string(format.param));
                         });

TEST(VerifySweep, CoversEveryFilterBorderAndFormat) {
  const auto compute = make_compute(Backend::cpu);
  for (const bool small : {true, false}) {
    std::map<std::string, int> seen;
    verify(*compute, {.strategies = {"cpu-parallel"}, .small = small}, [&](const VerifyRow& row) {
      ++seen[row.filter.substr(0, row.filter.find(':'))];
      ++seen[std::string(to_string(row.border)) + " " + to_string(row.format)];
      for (const auto& [id, value] : row.tuning) ++seen[id + "=" + std::to_string(value)];
    });
    for (const FilterKind& kind : filter_kinds()) EXPECT_GT(seen[std::string(kind.id)], 0) << kind.id;
    for (const Border border : all_borders)
      for (const char* format : {"rgba8", "gray32f"})
        EXPECT_GT(seen[std::string(to_string(border)) + " " + format], 20);
    EXPECT_GT(seen["strip_width=32"], 0);
    EXPECT_GT(seen["threads=1"], 0);
  }
}

TEST(VerifySweep, ItsOwnCasesCanAllBeChecked) {
  for (const Kind* kind : kinds())
    for (const Case& one : kind->cases({.small = true, .filters = {}}))
      EXPECT_EQ(undecided_reason(one.problem, float32_sum_bound(one.problem, one.problem.filter.taps())), "")
          << kind->id << ", " << one.problem.filter.name;
}

TEST(VerifySweep, RefusesUnknownStrategies) {
  const auto compute = make_compute(Backend::cpu);
  EXPECT_THROW(verify(*compute, {.strategies = {"nonsense"}}), Error);
}

}  // namespace
}  // namespace convoscope
