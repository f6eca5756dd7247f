// bench --over: a number of a kind's problems with each of the values given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/problems.h"
#include "kernels/contract/error.h"
#include "kernels/contract/kind.h"

namespace convoscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<NamedProblem> problems_of(std::vector<std::string> arguments) {
  std::vector<const char*> argv{"convoscope", "bench"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return bench_problems(parse_arguments(static_cast<int>(argv.size()), argv.data(), default_settings()));
}
std::vector<std::string> described(std::vector<std::string> arguments) {
  std::vector<std::string> all;
  for (const auto& [filter, problem] : problems_of(std::move(arguments)))
    all.push_back(filter + ", " + problem.kind->describe(problem));
  return all;
}
std::string error_of(std::vector<std::string> arguments) {
  try {
    problems_of(std::move(arguments));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OverArguments, TheLastNumberGoesThroughItsValuesFirst) {
  EXPECT_THAT(described({"--filter", "box", "--size", "64x48", "--format", "rgba8", "--over", "size=48,24", "--over",
                         "radius=2,3"}),
              ElementsAre("box, 64 × 48 rgba8", "box:radius=3, 64 × 48 rgba8", "box, 32 × 24 rgba8",
                          "box:radius=3, 32 × 24 rgba8"));
}

TEST(OverArguments, EveryKindHasItsOwn) {
  const std::vector<NamedProblem> volumes = problems_of(
      {"--kind", "volume", "--filter", "box:radius=1", "--size", "64x48", "--format", "rgba8", "--over", "rt=0,2"});
  ASSERT_EQ(volumes.size(), 2u);
  EXPECT_EQ(volumes[0].problem.filter.depth, 1);
  EXPECT_EQ(volumes[1].problem.filter.depth, 5);
  EXPECT_THAT(described({"--kind", "layer", "--shape", "1,3,9,9,4,3", "--pass", "forward", "--over", "M=2,8", "--over",
                         "pass=forward,to-weights"}),
              ElementsAre("random 3 × 3, 1,3,9,9,2,3 gray32f forward", "random 3 × 3, 1,3,9,9,2,3 gray32f to-weights",
                          "random 3 × 3, 1,3,9,9,8,3 gray32f forward", "random 3 × 3, 1,3,9,9,8,3 gray32f to-weights"));
  EXPECT_THAT(described({"--kind", "layer", "--shape", "1,3,9,9,4,3", "--pass", "forward", "--over", "type=f32,f16"}),
              ElementsAre("random 3 × 3, 1,3,9,9,4,3 gray32f forward", "random 3 × 3, 1,3,9,9,4,3 f16 nchw forward"));
  EXPECT_EQ(problems_of({"--kind", "signal", "--samples", "100", "--over", "taps=3,7"}).size(), 2u)
      << "whatever the kind's own benchmarks have";
}

TEST(OverArguments, SayWhatIsWrong) {
  EXPECT_THAT(error_of({"--over", "radius"}), HasSubstr("like radius=1,2,4"));
  EXPECT_THAT(error_of({"--over", "radios=1"}), HasSubstr("Did you mean 'radius'?"));
  EXPECT_THAT(error_of({"--over", "radius=1,x"}), HasSubstr("'x'"));
  EXPECT_THAT(error_of({"--over", "radius=1", "--over", "radius=2"}), HasSubstr("given twice"));
  EXPECT_THAT(error_of({"--over", "radius=100"}), HasSubstr("100"));
  EXPECT_THAT(error_of({"--filter", "sharpen", "--over", "radius=1,2"}), HasSubstr("no parameter 'radius'"));
  EXPECT_THAT(error_of({"--kind", "layer", "--over", "radius=1"}), HasSubstr("M, C, K, size, pass, type"));
  EXPECT_THAT(error_of({"--kind", "layer", "--over", "pass=backward"}), HasSubstr("'backward'"));
  EXPECT_THAT(error_of({"--kind", "layer", "--shape", "1,3,4,4,2,3", "--over", "K=3,9"}), HasSubstr("spans 9 rows"));
  EXPECT_THAT(error_of({"--frame", "--over", "radius=1"}), HasSubstr("--over"));
}

TEST(OverArguments, ThoroughIsALargePictureTooUnlessSizesAreGiven) {
  const std::vector<std::string> one{"--filter", "box", "--format", "rgba8", "--thorough"};
  EXPECT_THAT(described(one),
              ElementsAre("box, 1920 × 1080 rgba8", "box, 3840 × 2160 rgba8", "box, 8192 × 8192 rgba8"));
  std::vector<std::string> sized = one;
  sized.insert(sized.end(), {"--size", "64x48"});
  EXPECT_THAT(described(sized), ElementsAre("box, 64 × 48 rgba8"));
}

}  // namespace
}  // namespace convoscope
