// Weights so large that sums of them leave what a float32 holds are refused with the numbers, and never verified.
#include "kernels/contract/theory/overflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/check/verify.h"
#include "kernels/contract/kind.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/signal.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Problem signal_of(const char* taps) {
  return {300, 1, PixelFormat::gray32f, Border::replicate, parse_matrix(taps), &signal_kind};
}

TEST(Overflow, IsRefusedWithTheNumbers) {
  EXPECT_THAT(overflow_reason(signal_of("1 2 1")), IsEmpty());
  EXPECT_THAT(overflow_reason(signal_of("1e38 1e38 1e38")), IsEmpty());
  EXPECT_THAT(overflow_reason(signal_of("2e38 -2e38 2e38")), AllOf(HasSubstr("6e+38"), HasSubstr("3.4e+38")));
  EXPECT_THAT(overflow_reason(signal_of("1e38 1e38 1e38"), 100), HasSubstr("3e+40"));
  Problem louder = signal_of("1e38 1e38 1e38");
  louder.filter.gain = 2;
  EXPECT_THAT(overflow_reason(louder), HasSubstr("6e+38"));
  Problem edges{8, 8, PixelFormat::gray32f, Border::zero, parse_filter("sobel-magnitude").filter};
  EXPECT_THAT(overflow_reason(edges), IsEmpty());
  for (float& w : edges.filter.weights) w *= 1e20f;
  EXPECT_THAT(overflow_reason(edges), HasSubstr("e+4")) << "squares are summed";
}

TEST(Overflow, EveryStrategyOnCoresRefusesItOrIsRight) {
  const auto compute = make_compute(Backend::cpu);
  for (const char* taps : {"1e36 -2e36 1e36", "1e38 1e38 1e38", "1e38 -1e38 1e38", "3e38 -3e38 3e38"})
    for (const Kind* kind : kinds())
      for (const Strategy* strategy : strategies(Backend::cpu, *kind))
        for (const PixelFormat format : kind->formats)
          for (unsigned seed = 0; seed < 4; ++seed) {
            const Problem problem{300, 2, format, Border::replicate, parse_matrix(taps), kind};
            const VerifyRow row = verify_one(*compute, *strategy, problem, {}, seed);
            EXPECT_FALSE(row.failed()) << kind->id << " " << strategy->id << " " << taps << ": " << row.failure;
            EXPECT_TRUE(row.skipped() || std::isfinite(row.max_error))
                << kind->id << " " << strategy->id << " " << taps;
          }
}

}  // namespace
}  // namespace convoscope
