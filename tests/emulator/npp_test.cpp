// What `npp` makes of NPP's functions, with a stand-in for them: on a GPU `verify` says the same of NPP itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "peer_results.h"

extern "C" int fake_npp_calls;

namespace convoscope {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

PeerResult result_of(const Problem& planned, bool measure, const Filter& filter) {
  return peer_result("npp", planned, measure, filter);
}
PeerResult result_of(const Problem& problem, bool measure = false) {
  return result_of(problem, measure, problem.filter);
}

Problem problem_of(const Filter& filter, PixelFormat format) { return {37, 23, format, Border::replicate, filter}; }
Problem problem_of(const char* filter, PixelFormat format) { return problem_of(image_kind.parse(filter), format); }

TEST(Npp, IsRightWhateverWayItTakes) {
  const int before = fake_npp_calls;
  for (const PixelFormat format : image_kind.formats) {
    for (const Filter& filter : {random_filter(3, 5), random_rank_one(9, 3), random_rank_one(15, 13),
                                 random_filter(7, 1), random_filter(1, 7), random_filter(1, 1)})
      for (const bool measure : {false, true}) {
        const PeerResult result = result_of(problem_of(filter, format), measure);
        EXPECT_LE(result.error, result.tolerance) << filter.name << ", " << to_string(format) << ", " << result.note;
      }
    for (const char* filter :
         {"gaussian:radius=2", "gaussian:radius=7", "gaussian:radius=7,gain=0.5", "box:rx=2,ry=1", "box:rx=8,ry=8",
          "disk:radius=4", "-1 -1 -1; -1 8 -1; -1 -1 -1", "1 2 1; 0 0 0; -1 -2 -1", "sobel-x:bias=0,gain=0.25"})
      for (const bool measure : {false, true}) {
        const PeerResult result = result_of(problem_of(filter, format), measure);
        EXPECT_LE(result.error, result.tolerance) << filter << ", " << to_string(format) << ", " << result.note;
      }
  }
  EXPECT_GT(fake_npp_calls, before);
}

TEST(Npp, AddsWhatFloatsAllow) {
  for (const char* filter : {"sobel-magnitude:gain=0.5,bias=-0.25,absolute=1", "gaussian:radius=4,gain=-1,absolute=1"})
    for (const bool measure : {false, true}) {
      const PeerResult result = result_of(problem_of(filter, PixelFormat::gray32f), measure);
      EXPECT_LE(result.error, result.tolerance) << filter << ", " << result.note;
    }
}

TEST(Npp, SaysWhichFunctionAndWhatIsNotRight) {
  EXPECT_THAT(result_of(problem_of("gaussian:radius=8", PixelFormat::rgba8)).note, HasSubstr("with floats between"));
  EXPECT_THAT(result_of(problem_of("gaussian:radius=8", PixelFormat::gray32f)).note, HasSubstr("RowBorder"));
  EXPECT_THAT(result_of(problem_of("disk:radius=8", PixelFormat::rgba8)).note, HasSubstr("nppiFilterBorder"));
  const std::string tried = result_of(problem_of("gaussian:radius=2", PixelFormat::rgba8), true).note;
  EXPECT_THAT(tried, HasSubstr("the fastest of 3 that are right")) << "general, through floats, Gaussian";
  EXPECT_THAT(tried, HasSubstr("with bytes between them takes"));
  EXPECT_THAT(tried, HasSubstr("beyond rounding"));
  EXPECT_THAT(tried, Not(HasSubstr("nppiFilterLaplaceBorder")));
}

// The same plan for weights that the planned function does not take.
TEST(Npp, AnotherFilterOfTheSameSizeIsRightToo) {
  for (const PixelFormat format : image_kind.formats)
    for (const char* planned : {"gaussian:radius=7", "box:radius=7", "disk:radius=7"})
      for (const bool measure : {false, true}) {
        const PeerResult result = result_of(problem_of(planned, format), measure, random_filter(15, 15));
        EXPECT_LE(result.error, result.tolerance) << planned << ", " << result.note;
        EXPECT_THAT(result.note, AnyOf(HasSubstr("function: nppiFilterBorder,"), HasSubstr("nppiFilterBorder;")));
      }
}

}  // namespace
}  // namespace convoscope
