// Layers are stated as a shape and a pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/commands/problems.h"
#include "kernels/contract/kind.h"
#include "tests/cli/parse.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string layer_error_of(const std::vector<std::string>& arguments) {
  return error_of([&] { bench_problems(parse(arguments)); });
}
std::vector<std::string> layer_problems_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"bench", "--kind", "layer"});
  std::vector<std::string> described;
  for (const NamedProblem& one : bench_problems(parse(std::move(arguments))))
    described.push_back(one.problem.kind->describe(one.problem));
  return described;
}

TEST(LayerArguments, EveryShapeMeetsEveryPass) {
  EXPECT_THAT(layer_problems_of({"--shape", "1,3,9,9,4,3", "--shape", "1,4,8,8,4,3,groups=4,padding=1", "--pass",
                                 "forward,to-weights"}),
              ElementsAre("1,3,9,9,4,3 f32 nchw forward", "1,3,9,9,4,3 f32 nchw to-weights",
                          "1,4,8,8,4,3,padding=1,groups=4 f32 nchw forward",
                          "1,4,8,8,4,3,padding=1,groups=4 f32 nchw to-weights"));
  EXPECT_EQ(layer_problems_of({"--shape", "1,3,9,9,4,3"}).size(), 3u);
}

TEST(LayerArguments, WithoutAShapeTheKindsOwnAreMeasured) {
  const std::size_t all = layer_problems_of({}).size();
  EXPECT_EQ(all, find_kind("layer")->benchmarks().size());
  EXPECT_EQ(3 * layer_problems_of({"--pass", "to-input"}).size(), all);
}

TEST(LayerArguments, EveryTypeMeetsEveryLayout) {
  EXPECT_THAT(
      layer_problems_of({"--shape", "1,3,9,9,4,3", "--pass", "forward", "--type", "f16,tf32", "--layout", "nhwc,nchw"}),
      ElementsAre("1,3,9,9,4,3 f16 nhwc forward", "1,3,9,9,4,3 f16 nchw forward", "1,3,9,9,4,3 tf32 nhwc forward",
                  "1,3,9,9,4,3 tf32 nchw forward"));
  EXPECT_THAT(layer_problems_of({"--shape", "1,3,9,9,4,3", "--pass", "forward", "--layout", "nhwc"}),
              ElementsAre("1,3,9,9,4,3 f32 nhwc forward"));
  const std::vector<std::string> own = layer_problems_of({"--type", "f16", "--layout", "nhwc"});
  EXPECT_THAT(own, testing::Contains("1,3,1080,1920,16,3 f16 nhwc forward"));
  EXPECT_THAT(own, testing::Contains("1,3,1080,1920,16,3 f16 nhwc to-weights")) << "its row says why it cannot be";
  EXPECT_THAT(own, testing::Contains("1,256,135,240,256,3 f16 nhwc to-weights"));
}

TEST(LayerArguments, AFilterGoesIntoEveryPlaceOfTheBank) {
  const std::vector<NamedProblem> problems = bench_problems(
      parse({"bench", "--kind", "layer", "--shape", "1,3,9,9,4,3", "--pass", "forward", "--filter", "box:radius=2"}));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].problem.filter.width, 5);
  EXPECT_EQ(problems[0].problem.filter.weights.size(), 4u * 3 * 25);
}

TEST(LayerArguments, SayWhatIsWrong) {
  const auto error_of_shape = [](const char* shape) {
    return layer_error_of({"bench", "--kind", "layer", "--shape", shape});
  };
  EXPECT_THAT(error_of_shape("1,3,9"), HasSubstr("has 3 numbers"));
  EXPECT_THAT(error_of_shape("1,3,2,2,4,3"), HasSubstr("spans 3 rows"));
  EXPECT_THAT(error_of_shape(""), HasSubstr("--shape is empty"));
  EXPECT_THAT(error_of_shape("1,3,5,5,3,3,groups=3,groups=3"), HasSubstr("has groups twice"));
  EXPECT_THAT(error_of_shape("1,3,5,5,3,3,padding=0,groups=3,padding=1"), HasSubstr("has padding twice"));
  EXPECT_THAT(layer_error_of({"bench", "--shape", "1,3,9,9,4,3"}), HasSubstr("Add --kind layer"));
  EXPECT_THAT(layer_error_of({"verify", "--kind", "volume", "--pass", "forward"}), HasSubstr("not for volumes"));
  EXPECT_THAT(layer_error_of({"bench", "--kind", "layer", "--pass", "backward"}), HasSubstr("'backward'"));
  EXPECT_THAT(layer_error_of({"bench", "--kind", "layer", "--type", "bf16"}), HasSubstr("'bf16'"));
  EXPECT_THAT(layer_error_of({"bench", "--kind", "layer", "--layout", "chwn"}), HasSubstr("'chwn'"));
  EXPECT_THAT(layer_error_of({"verify", "--kind", "signal", "--type", "f16"}), HasSubstr("not for signals"));
  EXPECT_THAT(layer_error_of({"bench", "--layout", "nhwc"}), HasSubstr("Add --kind layer"));
  EXPECT_THAT(layer_error_of({"bench", "--kind", "layer", "--shape", "1,3,1080,1920,4,3", "--type", "f16"}),
              HasSubstr("a float16 holds only up to 65504"));
  EXPECT_THAT(layer_error_of({"bench", "--frame", "--type", "f16"}), HasSubstr("--type"));
  EXPECT_THAT(layer_error_of({"bench", "--kind", "layer", "--size", "640x480"}), HasSubstr("Give --shape instead"));
  EXPECT_THAT(layer_error_of({"bench", "--kind", "layer", "--border", "mirror"}), HasSubstr("not for layers"));
  EXPECT_THAT(layer_error_of({"bench", "--frame", "--shape", "1,3,9,9,4,3"}), HasSubstr("--shape"));
}

TEST(LayerArguments, ATunableIsThatOfTheKindsStrategy) {
  EXPECT_EQ(parse({"bench", "--kind", "layer", "--strategy", "tiled", "--tune", "tile=32"}).tuning,
            (Tuning{{"tile", 32}}));
  EXPECT_THAT(layer_error_of({"bench", "--kind", "layer", "--strategy", "tiled", "--tune", "tile=9"}),
              HasSubstr("8, 16, 32"));
}

}  // namespace
}  // namespace convoscope
