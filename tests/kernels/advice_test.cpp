// What the chapter advises, and whether what was measured agrees.
#include "kernels/choose/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/contract/theory/model.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using Here = Advice::Here;

Problem filtered_by(const char* filter) {
  return {1920, 1080, PixelFormat::gray32f, Border::zero, parse_filter(filter).filter};
}

TEST(ChapterAdvice, ASeparableFilterSavesMultiplications) {
  EXPECT_EQ(separable_saving(5, 5), "25 multiplications become 10: 60 % less");
  EXPECT_EQ(separable_saving(17, 17), "289 multiplications become 34: 88 % less");
  EXPECT_EQ(separable_saving(1, 5), "5 multiplications become 6");
}

TEST(ChapterAdvice, SaysByTheFiltersSizeWhatPays) {
  const auto says = [](const char* filter, bool rank_one) {
    std::string all;
    for (const Advice& advice : advice_for(filtered_by(filter), rank_one, Backend::cuda, {})) all += advice.says + "\n";
    return all;
  };
  EXPECT_THAT(says("box:radius=1", true), HasSubstr("Separable whenever the filter is: 9 multiplications become 6"));
  EXPECT_THAT(says("box:radius=1", true), HasSubstr("At 3 × 3, tiles"));
  EXPECT_THAT(says("box:radius=5", false), HasSubstr("At 11 × 11, tiles"));
  EXPECT_THAT(says("box:radius=6", false), HasSubstr("At 13 × 13, beyond 11 × 11, an FFT or a library"));
  EXPECT_THAT(says("box:radius=6", false), testing::Not(HasSubstr("Separable")));
  EXPECT_EQ(says("identity", true), "");
}

// As the ladder's own says what it costs.
MeasuredHere measured(const char* filter, const char* id, double median, double low, double high) {
  const Strategy* strategy = find_strategy(Backend::emulated, id);
  if (!strategy) strategy = find_strategy(Backend::cpu, id);
  return {id, median, low, high, strategy->model(filtered_by(filter), {}), strategy->calls_library};
}

TEST(ChapterAdvice, IsHeldAgainstWhatWasMeasured) {
  const auto here = [](std::vector<MeasuredHere> measured) {
    return advice_for(filtered_by("box:radius=2"), false, Backend::cuda, measured)[0];
  };
  const auto one = [](const char* id, double median, double low, double high) {
    return measured("box:radius=2", id, median, low, high);
  };
  const MeasuredHere tile = one("tiled-halo", 1.0, 0.98, 1.02), plain = one("constant", 2.0, 1.9, 2.1);
  EXPECT_EQ(here({tile, plain}).here, Here::agrees);
  EXPECT_EQ(here({tile, plain}).found, "Here tiled-halo takes 1 ms and constant takes 2 ms.");
  EXPECT_EQ(here({tile, one("constant", 0.5, 0.4, 0.6)}).here, Here::disagrees);
  EXPECT_EQ(here({tile, one("constant", 1.01, 0.99, 1.05)}).here, Here::undecided);
  EXPECT_EQ(here({tile}).here, Here::not_measured);
  EXPECT_THAT(here({tile}).found, HasSubstr("another one that reads each window"));
  const std::vector<MeasuredHere> weights{plain, one("global", 3, 2.9, 3.1)};
  EXPECT_EQ(advice_for(filtered_by("box:radius=2"), false, Backend::cuda, weights)[1].here, Here::agrees)
      << "constant memory";
  // The best of each side counts.
  EXPECT_EQ(here({tile, plain, one("global", 0.3, 0.29, 0.31)}).here, Here::disagrees);
}

TEST(ChapterAdvice, WithoutAGpuTilesAreNotPutToTheTest) {
  const std::vector<MeasuredHere> both{measured("box:radius=2", "cpu-separable", 1, 0.9, 1.1),
                                       measured("box:radius=2", "cpu-direct", 3, 2.9, 3.1)};
  const std::vector<Advice> all = advice_for(filtered_by("box:radius=2"), true, Backend::cpu, both);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].here, Here::agrees) << "two passes save multiplications on any machine";
  EXPECT_EQ(all[1].here, Here::not_measured);
  EXPECT_THAT(all[1].found, HasSubstr("of a GPU"));
  for (const Advice& advice : advice_for(filtered_by("box:radius=2"), true, Backend::emulated, {}))
    EXPECT_EQ(advice.found, "") << advice.says;
}

}  // namespace
}  // namespace convoscope
