// What is measured with which tunings: --over of tunables and tiles, --runs, --statistic; and list tiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/commands/bench_contestants.h"
#include "app/cli/commands/list_tiles.h"
#include "kernels/compute/compute.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/measure/spread.h"
#include "tests/cli/parse.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

std::string bench_error_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  return error_of([&] { parse(arguments); });
}

TEST(Tunings, ANumberOfTheStrategiesIsVaried) {
  const Invocation invocation =
      parse({"bench", "--strategy", "cpu-separable,cpu-direct", "--over", "strip_width=32,64,128"});
  const Problem problem{.width = 64, .height = 64, .filter = parse_filter("gaussian").filter};
  const std::vector<Contestant> contestants = contestants_of(invocation, problem, list_devices(Backend::cpu).at(0));
  ASSERT_EQ(contestants.size(), 4u) << "and the one that has no such number is measured beside them";
  EXPECT_EQ(contestants[2].tuning.at("strip_width"), 128);
  EXPECT_EQ(contestants[3].strategy->id, "cpu-direct");
  const Invocation all = parse({"bench", "--over", "strip_width=32"});
  for (const Contestant& contestant : contestants_of(all, problem, list_devices(Backend::cpu).at(0)))
    EXPECT_TRUE(contestant.tuning.contains("strip_width")) << "of those that nobody named only what has it";
}

TEST(Tunings, ATileOfThatSizeIsFound) {
  const Device device = list_devices(Backend::emulated).at(0);
  const Problem problem{
      .width = 256, .height = 256, .format = PixelFormat::gray32f, .filter = parse_filter("gaussian:radius=8").filter};
  const auto tuning = [&](const char* id, int side) {
    return tuning_with_tile(*find_strategy(Backend::emulated, id), problem, device, {}, side);
  };
  for (const int side : {8, 16, 32}) {
    const auto found = tuning("tiled-halo", side);
    ASSERT_TRUE(found) << side;
    const Explanation how =
        find_strategy(Backend::emulated, "tiled-halo")->explain(problem, device, *found, {128, 128});
    EXPECT_EQ(how.steps[0].outputs[0].width, side);
    EXPECT_EQ(how.steps[0].outputs[0].height, side);
  }
  EXPECT_EQ(tuning("tiled-input-block", 4)->at("output_tile"), 1) << "20 × 20 of input";
  EXPECT_FALSE(tuning("tiled-halo", 24));
  EXPECT_FALSE(
      tuning_with_tile(*find_strategy(Backend::cpu, "cpu-direct"), problem, list_devices(Backend::cpu).at(0), {}, 8));
}

TEST(Tunings, WhatIsNoNumberOfThemIsRefused) {
  EXPECT_THAT(bench_error_of({"--strategy", "cpu-separable", "--over", "strip_width=33"}), HasSubstr("is one of 32"));
  EXPECT_THAT(bench_error_of({"--over", "T=0x"}), HasSubstr("--over T takes a whole number"));
  EXPECT_THAT(bench_error_of({"--over", "T=8", "--over", "T=16"}), HasSubstr("given twice"));
  EXPECT_THAT(bench_error_of({"--over", "sighs=8"}), HasSubstr("There is no number of the image 'sighs'"));
  EXPECT_THAT(bench_error_of({"--runs", "0"}), HasSubstr("--runs takes a whole number from 1"));
  EXPECT_THAT(bench_error_of({"--statistic", "mode"}), HasSubstr("median"));
  EXPECT_THAT(bench_error_of({"--frame", "--runs", "3"}), HasSubstr("--runs '3' does not go with --frame"));
  const Invocation invocation = parse({"bench", "--runs", "50", "--statistic", "mean"});
  EXPECT_EQ(invocation.runs, 50);
  EXPECT_TRUE(invocation.mean);
}

TEST(Tunings, AMeanHasStudentsInterval) {
  // t for 95 % at 5, 9 and 49 degrees of freedom: 2.571, 2.262, 2.010. Of half zeros and half ones.
  for (const auto& [n, t] : {std::pair(6, 2.5706), std::pair(10, 2.2622), std::pair(50, 2.0096)}) {
    std::vector<double> samples(static_cast<std::size_t>(n), 0);
    for (int i = 0; i < n / 2; ++i) samples[static_cast<std::size_t>(i)] = 1;
    const Spread time = spread(samples);
    EXPECT_DOUBLE_EQ(time.mean, 0.5);
    const double deviation = std::sqrt(n * 0.25 / (n - 1));
    EXPECT_NEAR((time.mean_high - time.mean) / (deviation / std::sqrt(n)), t, 0.005 * t) << n;
    EXPECT_DOUBLE_EQ(time.mean - time.mean_low, time.mean_high - time.mean);
  }
  EXPECT_EQ(spread({1, 2, 3}).mean, 2);
  EXPECT_EQ(spread({1, 2, 3}).mean_high, 0) << "too few for an interval";
}

// The numbers of the book, PMPP 4th ed., ch. 7, and of an earlier edition.
TEST(Tiles, AreListedAsTheBookHasThemAndAsItPrintsThem) {
  testing::internal::CaptureStdout();
  list_tiles(
      parse({"list", "tiles", "--over", "T=8,16,32,64", "--over", "M=5,9", "--over", "B=32,128", "--over", "n=5"}));
  const std::string out = testing::internal::GetCapturedStdout();
  for (const char* number : {"11.11", "16.00", "19.75", "22.15", "20.25", "36.00", "51.84", "64.00", "20736", "25",
                             "81", "10.20", "10.47", "10.13", "8.38", "9.11", "8.14", "11"})
    EXPECT_THAT(out, HasSubstr(number));
  EXPECT_NEAR(tile_load_reduction_1d_printed(128, 5), 10.13, 0.005);
  EXPECT_THAT(error_of([] { parse({"list", "tiles", "--over", "M=4"}); }), HasSubstr("must be odd"));
  EXPECT_THAT(error_of([] { parse({"list", "filters", "--over", "M=3"}); }), HasSubstr("is for list tiles"));
  EXPECT_THAT(error_of([] { parse({"list", "tiles", "--over", "K=3"}); }), HasSubstr("number of a tile 'K'"));
}

}  // namespace
}  // namespace convoscope
