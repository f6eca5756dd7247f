// Numbers as a source of the window, offscreen: what the panes make of them is in --stats; and the sources of
// strategies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

// Row and column passes add in float32, with weights that are quotients.
json in_thousandths(const json& numbers) {
  if (!numbers.is_array()) return std::llround(numbers.get<double>() * 1000);
  json all = json::array();
  for (const json& each : numbers) all.push_back(in_thousandths(each));
  return all;
}

class SourceOfNumbers : public testing::Test {
 protected:
  // The planes of the first pane.
  json numbers(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--offscreen", "--frames", "1", "--stats", "-"});
    const Outcome outcome = run_program(arguments, folder_.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::size_t begin = outcome.out.find('{');
    return begin == std::string::npos ? json() : json::parse(outcome.out.substr(begin)).at("numbers").at(0);
  }
  Folder folder_;
};

TEST_F(SourceOfNumbers, TheBooksSignalThroughARowOfTheWindow) {
  for (const char* const strategy : {"cpu-direct", "cpu-separable", "auto"})
    EXPECT_EQ(in_thousandths(numbers({"numbers:8 2 5 4 1 7 3", "--filter", "1 3 5 3 1", "--border", "zero",
                                      "--strategy", strategy, "--backend", "cpu"})),
              in_thousandths(json::parse("[[[51,53,52,47,46,51,37]]]")))
        << strategy;
  EXPECT_EQ(numbers({"numbers:1 2 3 4 5 6 7", "--filter", "3 4 5 4 3", "--border", "mirror", "--strategy", "constant",
                     "--backend", "emulated"}),
            json::parse("[[[39,44,57,76,95,108,113]]]"));
}

TEST_F(SourceOfNumbers, TheImagesOfTheBookHaveValuesBeyond255) {
  EXPECT_EQ(numbers({"numbers:1 2 3 4 5; 5 6 7 8 9; 9 0 1 2 3; 4 5 6 7 8", "--filter", "1 0 1; 0 1 0; 1 0 1",
                     "--border", "zero", "--strategy", "tiled-halo", "--backend", "emulated"}),
            json::parse("[[[7,14,17,20,13],[7,20,15,20,15],[20,22,27,32,18],[4,15,8,11,10]]]"));
  const json patch = numbers({"numbers:1 2 3 4 5; 2 3 4 5 6; 3 4 5 6 7; 4 5 6 7 8; 5 6 7 8 5", "--filter",
                              "1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1", "--border", "zero"})[0];
  EXPECT_EQ(patch[2][2], 321);
  EXPECT_EQ((std::vector<int>{patch[0][0], patch[0][4], patch[4][0], patch[4][4]}), (std::vector{69, 135, 135, 181}));
}

TEST_F(SourceOfNumbers, TheBooksLayerOfEvenFilters) {
  for (const char* const strategy : {"cpu-direct", "cpu-gemm"})
    EXPECT_EQ(numbers({"channels:1 2 3; 1 1 0; 2 0 1;; 0 2 1; 0 3 1; 1 0 2;; 1 2 0; 0 1 2; 1 1 0", "--bank",
                       "1 1; 2 2;; 1 1; 1 1;; 0 1; 1 0;; 1 0; 0 1;; 0 1; 1 0;; 1 1; 1 1", "--strategy", strategy,
                       "--backend", "cpu"}),
              json::parse("[[[14,15],[12,12]],[[8,11],[8,7]]]"))
        << strategy;
}

TEST_F(SourceOfNumbers, AFileOfThemIsOpenedLikeAnyOther) {
  std::ofstream(folder_.path() / "samples.csv") << "1,2,3,4,5,6,7\n";
  EXPECT_EQ(numbers({"samples.csv", "--filter", "1 2 1", "--border", "zero"}), json::parse("[[[4,8,12,16,20,24,20]]]"));
}

TEST_F(SourceOfNumbers, WhatAreNoneIsRefused) {
  const Outcome outcome = run_program({"numbers:1 2; 3", "--offscreen", "--frames", "1"}, folder_.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("in row 2"));
}

TEST(Listing, IsTheFileThatWasCompiled) {
  const Folder folder;
  const Outcome outcome = run_program({"listing", "tiled-halo"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::ifstream file(CONVOSCOPE_SOURCE "/kernels/strategies/image/2-tiles/tiled-halo.cu");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(outcome.out, text.str());
  EXPECT_THAT(outcome.err, StartsWith("kernels/strategies/image/2-tiles/tiled-halo.cu, made with "));
  EXPECT_THAT(outcome.err, HasSubstr("output_tile.h"));
}

TEST(Listing, OfAnotherLadderWithNumbersAndOfAPart) {
  const Folder folder;
  const Outcome numbered = run_program({"listing", "constant", "--kind", "signal", "--numbers"}, folder.path());
  EXPECT_EQ(numbered.exit_code, 0) << numbered.err;
  EXPECT_THAT(numbered.out, StartsWith(" 1  //"));
  EXPECT_THAT(numbered.err, StartsWith("kernels/strategies/signal/"));
  const Outcome part = run_program({"listing", "tiled-halo", "--part", "output_tile.h"}, folder.path());
  EXPECT_THAT(part.out, HasSubstr("struct OutputTile"));
  // Only layers have one of this name.
  EXPECT_EQ(run_program({"listing", "im2col-own-gemm"}, folder.path()).exit_code, 0);
}

TEST(Listing, WhatThereIsNoneOfIsRefusedByName) {
  const Folder folder;
  const Outcome unknown = run_program({"listing", "tiled-hallo"}, folder.path());
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("tiled-halo"));
  const Outcome part = run_program({"listing", "tiled-halo", "--part", "nothing.h"}, folder.path());
  EXPECT_EQ(part.exit_code, 2);
  EXPECT_THAT(part.err, HasSubstr("nothing.h"));
  EXPECT_EQ(run_program({"listing"}, folder.path()).exit_code, 2);
}

}  // namespace
}  // namespace convoscope
