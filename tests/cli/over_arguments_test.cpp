// bench --over: a number of a kind's problems with each of the values given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/commands/problems.h"
#include "kernels/contract/kind.h"
#include "tests/cli/folder.h"
#include "tests/cli/parse.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<NamedProblem> named_problems_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  return bench_problems(parse(arguments));
}
std::vector<std::string> described(std::vector<std::string> arguments) {
  std::vector<std::string> all;
  for (const auto& [filter, problem] : named_problems_of(std::move(arguments)))
    all.push_back(filter + ", " + problem.kind->describe(problem));
  return all;
}
std::string over_error_of(const std::vector<std::string>& arguments) {
  return error_of([&] { named_problems_of(arguments); });
}

TEST(OverArguments, TheLastNumberGoesThroughItsValuesFirst) {
  EXPECT_THAT(described({"--filter", "box", "--size", "64x48", "--format", "rgba8", "--over", "size=48,24", "--over",
                         "radius=2,3"}),
              ElementsAre("box, 64 × 48 rgba8", "box:radius=3, 64 × 48 rgba8", "box, 32 × 24 rgba8",
                          "box:radius=3, 32 × 24 rgba8"));
}

TEST(OverArguments, TwoFiltersOfOneNameAreBothMeasured) {
  const Folder folder;
  const auto filter = [&](const char* file, const char* weight) {
    return folder.write(file, std::string(R"({"name": "mine", "width": 1, "height": 1, "weights": [)") + weight + "]}");
  };
  const std::vector<NamedProblem> problems =
      named_problems_of({"--filter", filter("a.json", "1"), "--filter", filter("b.json", "2"), "--size", "64x48",
                         "--format", "rgba8", "--over", "size=48,24,48"});
  ASSERT_EQ(problems.size(), 4u) << "and no value twice";
  EXPECT_NE(problems[0].problem.filter, problems[2].problem.filter);
}

TEST(OverArguments, EveryKindHasItsOwn) {
  const std::vector<NamedProblem> volumes = named_problems_of(
      {"--kind", "volume", "--filter", "box:radius=1", "--size", "64x48", "--format", "rgba8", "--over", "rt=0,2"});
  ASSERT_EQ(volumes.size(), 2u);
  EXPECT_EQ(volumes[0].problem.filter.depth, 1);
  EXPECT_EQ(volumes[1].problem.filter.depth, 5);
  EXPECT_THAT(
      described({"--kind", "layer", "--shape", "1,3,9,9,4,3", "--pass", "forward", "--over", "M=2,8", "--over",
                 "pass=forward,to-weights"}),
      ElementsAre("random 3 × 3, 1,3,9,9,2,3 f32 nchw forward", "random 3 × 3, 1,3,9,9,2,3 f32 nchw to-weights",
                  "random 3 × 3, 1,3,9,9,8,3 f32 nchw forward", "random 3 × 3, 1,3,9,9,8,3 f32 nchw to-weights"));
  EXPECT_THAT(described({"--kind", "layer", "--shape", "1,3,9,9,4,3", "--pass", "forward", "--over", "type=f32,f16"}),
              ElementsAre("random 3 × 3, 1,3,9,9,4,3 f32 nchw forward", "random 3 × 3, 1,3,9,9,4,3 f16 nchw forward"));
  EXPECT_EQ(named_problems_of({"--kind", "signal", "--samples", "100", "--over", "taps=3,7"}).size(), 2u)
      << "whatever the kind's own benchmarks have";
}

TEST(OverArguments, SayWhatIsWrong) {
  EXPECT_THAT(over_error_of({"--over", "radius"}), HasSubstr("like radius=1,2,4"));
  EXPECT_THAT(over_error_of({"--over", "radios=1"}), HasSubstr("Did you mean 'radius'?"));
  EXPECT_THAT(over_error_of({"--over", "radius=1,x"}), HasSubstr("'x'"));
  EXPECT_THAT(over_error_of({"--over", "radius=1", "--over", "radius=2"}), HasSubstr("given twice"));
  EXPECT_THAT(over_error_of({"--over", "radius=100"}), HasSubstr("100"));
  EXPECT_THAT(over_error_of({"--filter", "sharpen", "--over", "radius=1,2"}), HasSubstr("no parameter 'radius'"));
  EXPECT_THAT(over_error_of({"--kind", "layer", "--over", "radius=1"}), HasSubstr("M, C, K, size, pass, type"));
  EXPECT_THAT(over_error_of({"--kind", "layer", "--over", "pass=backward"}), HasSubstr("'backward'"));
  EXPECT_THAT(over_error_of({"--kind", "layer", "--shape", "1,3,4,4,2,3", "--over", "K=3,9"}),
              HasSubstr("spans 9 rows"));
  EXPECT_THAT(over_error_of({"--frame", "--over", "radius=1"}), HasSubstr("--over"));
}

TEST(OverArguments, ThoroughIsALargePictureTooUnlessSizesAreGiven) {
  const std::vector<std::string> one{"--filter", "box", "--format", "rgba8", "--thorough"};
  EXPECT_THAT(described(one),
              ElementsAre("box, 1920 × 1080 rgba8", "box, 3840 × 2160 rgba8", "box, 8192 × 8192 rgba8"));
  std::vector<std::string> sized = one;
  sized.insert(sized.end(), {"--size", "64x48"});
  EXPECT_THAT(described(sized), ElementsAre("box, 64 × 48 rgba8"));
}

TEST(OverArguments, ANumberOutOfRangeIsToldTheRangeThatHolds) {
  const std::string whole = " takes a whole number from ";
  for (const char* value : {"M=-1", "M=0", "M=1048577"})
    EXPECT_THAT(over_error_of({"--kind", "layer", "--over", value}),
                HasSubstr("--over M (maps)" + whole + "1 to 1048576"));
  for (const char* value : {"radius=-1", "radius=64"})
    EXPECT_THAT(over_error_of({"--over", value}), HasSubstr("--over radius (pixels)" + whole + "0 to 63"));
  EXPECT_THAT(over_error_of({"--over", "size=0"}), HasSubstr("--over size (rows)" + whole + "1 to 16384, not '0'"));
  EXPECT_THAT(over_error_of({"--kind", "signal", "--over", "taps=1027"}), HasSubstr("(taps)" + whole + "1 to 1025"));
  EXPECT_THAT(over_error_of({"--kind", "volume", "--over", "rt=64"}), HasSubstr("(frames)" + whole + "0 to 63"));
  EXPECT_THAT(over_error_of({"--size", "1000x10", "--over", "size=1000"}),
              HasSubstr("1000 rows, to which 100000 columns"));
}

TEST(OverArguments, MakeNoMorePointsThanASweepOfTheWindow) {
  std::string radii = "radius=0", rows = "size=10";
  for (int i = 1; i < 60; ++i) radii += "," + std::to_string(i);
  for (int i = 11; i < 16; ++i) rows += "," + std::to_string(i);
  const std::vector<std::string> most{"--filter", "box", "--size", "10x10", "--format", "rgba8", "--over", radii};
  const auto with_rows = [&](const std::string& values) {
    std::vector<std::string> all = most;
    all.insert(all.end(), {"--over", values});
    return all;
  };
  EXPECT_EQ(named_problems_of(with_rows("size=10,11,12,13,14")).size(), 300u);
  EXPECT_THAT(over_error_of(with_rows(rows)), HasSubstr("360 points for each strategy. A sweep has up to 300"));
}

}  // namespace
}  // namespace convoscope
