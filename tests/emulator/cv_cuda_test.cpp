// What `cv-cuda` makes of CV-CUDA's operators, with a stand-in for them: on a GPU `verify` says the same of CV-CUDA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "peer_results.h"

extern "C" int fake_cv_cuda_objects;

namespace convoscope {
namespace {

using testing::HasSubstr;

PeerResult result_of(const Problem& problem, bool measure = false) {
  return peer_result("cv-cuda", problem, measure, problem.filter);
}
Problem problem_of(const Filter& filter, PixelFormat format, Border border = Border::replicate) {
  return {37, 23, format, border, filter};
}
Problem problem_of(const char* filter, PixelFormat format) { return problem_of(image_kind.parse(filter), format); }

TEST(CvCuda, IsRightAtEveryBorderWhateverOperatorItTakes) {
  const int before = fake_cv_cuda_objects;
  for (const PixelFormat format : image_kind.formats)
    for (const Border border : all_borders) {
      for (const Filter& filter :
           {random_filter(3, 5), random_filter(7, 1), random_filter(1, 7), random_filter(1, 1)}) {
        const PeerResult result = result_of(problem_of(filter, format, border));
        EXPECT_LE(result.error, result.tolerance) << filter.name << ", " << to_string(border) << ", " << result.note;
      }
      for (const char* filter : {"gaussian:radius=12", "gaussian:radius=7,gain=0.5", "box:rx=8,ry=6", "disk:radius=4",
                                 "sobel-x:bias=0,gain=0.25"}) {
        const PeerResult result = result_of(problem_of(image_kind.parse(filter), format, border));
        EXPECT_LE(result.error, result.tolerance) << filter << ", " << to_string(border) << ", " << result.note;
      }
      for (const char* filter : {"gaussian:radius=2", "box:rx=2,ry=1"}) {
        const PeerResult result = result_of(problem_of(image_kind.parse(filter), format, border), true);
        EXPECT_LE(result.error, result.tolerance) << filter << ", " << to_string(border) << ", " << result.note;
      }
    }
  EXPECT_EQ(fake_cv_cuda_objects, before) << "what was made is given back";
}

TEST(CvCuda, AddsWhatFloatsAllow) {
  for (const char* filter : {"sobel-magnitude:gain=0.5,bias=-0.25,absolute=1", "gaussian:radius=4,gain=-1,absolute=1"})
    for (const bool measure : {false, true}) {
      const PeerResult result = result_of(problem_of(filter, PixelFormat::gray32f), measure);
      EXPECT_LE(result.error, result.tolerance) << filter << ", " << result.note;
    }
}

TEST(CvCuda, TakesTheOperatorThatIsMadeForTheWeights) {
  for (const PixelFormat format : image_kind.formats) {
    for (const char* gauss : {"gaussian:radius=1", "gaussian:radius=2", "gaussian:radius=8", "gaussian:radius=16",
                              "gaussian:radius=5,sigma=1.25"})
      EXPECT_THAT(result_of(problem_of(gauss, format)).note, HasSubstr("cvcudaGaussianSubmit")) << gauss;
    for (const char* mean : {"box:radius=1", "box:rx=16,ry=3"})
      EXPECT_THAT(result_of(problem_of(mean, format)).note, HasSubstr("cvcudaAverageBlurSubmit")) << mean;
    for (const char* other : {"disk:radius=4", "binomial:radius=2", "1", "-1 2 -1", "sharpen"})
      EXPECT_THAT(result_of(problem_of(other, format)).note, HasSubstr("cvcudaConv2DVarShapeSubmit")) << other;
  }
  EXPECT_THAT(result_of(problem_of("gaussian:radius=2,gain=0.5", PixelFormat::rgba8)).note, HasSubstr("Conv2D"));
  const std::string tried = result_of(problem_of("gaussian:radius=2", PixelFormat::rgba8), true).note;
  EXPECT_THAT(tried, HasSubstr("the fastest of 2 that are right"));
}

// The same plan for weights that the planned operator does not take, and for some that it does.
TEST(CvCuda, AnotherFilterOfTheSameSizeIsRightToo) {
  for (const PixelFormat format : image_kind.formats)
    for (const char* planned : {"gaussian:radius=7", "box:radius=7", "disk:radius=7"})
      for (const Filter& filter : {random_filter(15, 15), image_kind.parse("gaussian:radius=7,sigma=2")}) {
        const PeerResult result = peer_result("cv-cuda", problem_of(planned, format), false, filter);
        EXPECT_LE(result.error, result.tolerance) << planned << ", " << filter.name << ", " << result.note;
      }
}

TEST(CvCuda, SaysWhyItRefuses) {
  const Strategy& peer = *find_strategy(Backend::emulated, "cv-cuda");
  EXPECT_THAT(peer.unsupported(problem_of("disk:radius=4", PixelFormat::rgba8), {}, {}), HasSubstr("emulated"));
  if (!built_with_cuda()) return;
  const auto refusal = [](const Problem& problem) {
    return find_strategy(Backend::cuda, "cv-cuda")->unsupported(problem, {}, {});
  };
  EXPECT_EQ(refusal(problem_of("disk:radius=4", PixelFormat::rgba8)), "");
  EXPECT_THAT(refusal(problem_of("sobel-magnitude", PixelFormat::rgba8)), HasSubstr("8 bits"));
  EXPECT_THAT(refusal(problem_of("disk:radius=4,bias=0.5", PixelFormat::rgba8)), HasSubstr("no bias"));
  Problem thin = problem_of("disk:radius=4", PixelFormat::gray32f);
  thin.height = 1;
  EXPECT_EQ(refusal(thin), "");
  thin.border = Border::mirror;
  EXPECT_THAT(refusal(thin), HasSubstr("1 pixel"));
}

}  // namespace
}  // namespace convoscope
