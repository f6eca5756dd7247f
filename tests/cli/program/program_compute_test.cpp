// convoscope compute: the worked examples of the book, each by one command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Computed : public testing::Test {
 protected:
  Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compute");
    return run_program(arguments, folder_.path());
  }
  // What it prints, without the blanks at the ends of rows; every strategy of `ids` has to print the same.
  std::string numbers(std::vector<std::string> arguments, const std::vector<std::string>& ids = {"auto"}) {
    std::string all;
    for (const std::string& id : ids) {
      std::vector<std::string> these = arguments;
      these.insert(these.end(), {"--strategy", id});
      const Outcome outcome = run(these);
      EXPECT_EQ(outcome.exit_code, 0) << id << ": " << outcome.err;
      if (!all.empty()) {
        EXPECT_EQ(outcome.out, all) << id;
      }
      all = outcome.out;
    }
    return all;
  }
  Folder folder_;
};

TEST_F(Computed, ASignalBySeveralStrategiesAndBorders) {
  EXPECT_EQ(numbers({"--kind", "signal", "--input", "8 2 5 4 1 7 3", "--filter", "1 3 5 3 1", "--border", "zero"},
                    {"cpu-direct", "cpu-parallel", "global", "constant", "tiled-cached-halo", "tiled-regions"}),
            "51 53 52 47 46 51 37\n");
  const auto ramp = [&](const char* taps, const char* border) {
    return numbers({"--kind", "signal", "--input", "1 2 3 4 5 6 7", "--filter", taps, "--border", border});
  };
  EXPECT_EQ(ramp("3 4 5 4 3", "zero"), "22 38 57 76 95 90 74\n");
  EXPECT_EQ(ramp("3 4 5 4 3", "replicate"), " 29  41  57  76  95 111 123\n");
  EXPECT_EQ(ramp("3 4 5 4 3", "mirror"), " 39  44  57  76  95 108 113\n");
  EXPECT_EQ(ramp("1 2 1", "zero"), " 4  8 12 16 20 24 20\n");
}

// Heat that spreads by a quarter to each side, twice.
TEST_F(Computed, AFilterAppliedAgainAndAgain) {
  EXPECT_EQ(numbers({"--kind", "signal", "--input", "0 0 16 0 0", "--filter", "1/4 1/2 1/4", "--border", "zero",
                     "--steps", "2"},
                    {"cpu-direct", "constant"}),
            "1 4 6 4 1\n");
  EXPECT_EQ(numbers({"--input", "0 0 0;0 16 0;0 0 0", "--filter", "0 1/4 0;1/4 0 1/4;0 1/4 0", "--border", "wrap",
                     "--steps", "2"}),
            "2 1 2\n1 4 1\n2 1 2\n");
  EXPECT_EQ(run({"--kind", "layer", "--input", "1 2;3 4", "--filter", "1", "--steps", "2"}).exit_code, 2);
}

TEST_F(Computed, AnImageWithItsCorners) {
  const std::vector<std::string> patch{"--input",  "1 2 3 4 5;2 3 4 5 6;3 4 5 6 7;4 5 6 7 8;5 6 7 8 5",
                                       "--filter", "1 2 3 2 1;2 3 4 3 2;3 4 5 4 3;2 3 4 3 2;1 2 3 2 1",
                                       "--border", "zero",
                                       "--json"};
  for (const char* id : {"cpu-direct", "tiled-halo", "constant"}) {
    std::vector<std::string> these = patch;
    these.insert(these.end(), {"--strategy", id});
    const Outcome outcome = run(these);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json result = json::parse(outcome.out);
    EXPECT_EQ(result.at("strategy"), id);
    EXPECT_EQ(result.at("right"), true);
    const json& rows = result.at("outputs");
    EXPECT_EQ(rows[2][2], 321);
    EXPECT_EQ((std::vector<int>{rows[0][0], rows[0][4], rows[4][0], rows[4][4]}), (std::vector{69, 135, 135, 181}));
  }
  EXPECT_EQ(numbers({"--input", "1 2 3 4 5;5 6 7 8 9;9 0 1 2 3;4 5 6 7 8", "--filter", "1 0 1;0 1 0;1 0 1", "--border",
                     "zero"}),
            " 7 14 17 20 13\n 7 20 15 20 15\n20 22 27 32 18\n 4 15  8 11 10\n");
}

// 27 inside, 18 on a face, 12 on an edge, 8 in a corner: the border is in time as well.
TEST_F(Computed, AVolumeWithTheBorderInTime) {
  const std::string ones = "1 1 1;1 1 1;1 1 1", three = ones + ";;" + ones + ";;" + ones;
  EXPECT_EQ(numbers({"--kind", "volume", "--input", three, "--filter", three, "--border", "zero"},
                    {"cpu-direct", "constant"}),
            " 8 12  8\n12 18 12\n 8 12  8\n\n12 18 12\n18 27 18\n12 18 12\n\n 8 12  8\n12 18 12\n 8 12  8\n");
}

const char* const layer_x = "1 2 3;1 1 0;2 0 1;;0 2 1;0 3 1;1 0 2;;1 2 0;0 1 2;1 1 0";
const char* const layer_bank = "1 1;2 2;;1 1;1 1;;0 1;1 0;;1 0;0 1;;0 1;1 0;;1 1;1 1";

TEST_F(Computed, ALayerOfEvenFiltersInAllPasses) {
  EXPECT_EQ(numbers({"--kind", "layer", "--input", layer_x, "--filter", layer_bank}, {"cpu-direct", "direct", "tiled"}),
            "14 15\n12 12\n\n 8 11\n 8  7\n");
  EXPECT_EQ(numbers({"--kind", "layer", "--pass", "to-weights", "--input", layer_x, "--gradient", "1 2;3 4;;1 0;0 -1"}),
            "12 11\n 9  5\n\n16 17\n 9 13\n\n 9 13\n 9  8\n\n 0  2\n 1  0\n\n-3  1\n 0  1\n\n 0  0\n-1  1\n");
  EXPECT_EQ(
      numbers({"--kind", "layer", "--pass", "to-input", "--filter", layer_bank, "--gradient", "1 2;3 4;;1 0;0 -1"}),
      " 2  3  2\n 5 13  8\n 6 14  7\n\n 1  4  2\n 5 10  5\n 3  6  4\n\n 1  2  2\n 2  5  3\n 3  3 -1\n");
}

// 16, 13 and no ghost cells; block (1, 1) of 4 × 4 makes P[5][5] from rows and columns 3 … 7.
TEST_F(Computed, AnOutputIsExplainedInNumbers) {
  std::string rows;
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) rows += std::to_string(x + y) + (x < 15 ? " " : ";");
  const auto at = [&](const std::string& place) {
    const Outcome outcome =
        run({"--input", rows, "--filter", "box:radius=2", "--border", "zero", "--strategy", "global", "--tune",
             "block_width=4", "--tune", "block_height=4", "--at", place, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out).at("at");
  };
  EXPECT_EQ(at("0,0").at("ghost_cells"), 16);
  EXPECT_EQ(at("0,1").at("ghost_cells"), 13);
  const json inside = at("5,5");
  EXPECT_EQ(inside.at("ghost_cells"), 0);
  EXPECT_EQ(inside.at("terms").size(), 25u);
  EXPECT_EQ(inside.at("terms")[0].at("x"), 3);
  EXPECT_EQ(inside.at("terms")[24].at("y"), 7);
  EXPECT_EQ(inside.at("kernels")[0].at("block"), (std::vector{1, 1, 0}));
  EXPECT_EQ(inside.at("kernels")[0].at("thread"), (std::vector{1, 1, 0}));
}

TEST_F(Computed, AnOutputOfALayerIsAColumnOfTheUnrolledInput) {
  const Outcome outcome = run({"--kind", "layer", "--input", layer_x, "--filter", layer_bank, "--strategy",
                               "im2col-own-gemm", "--at", "0,0,1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json at = json::parse(outcome.out).at("at");
  EXPECT_EQ(at.at("value"), 8);
  EXPECT_EQ(at.at("outputs"), 8) << "N·M·H·W";
  EXPECT_NEAR(at.at("unrolled_expansion").get<double>(), 16.0 / 9, 1e-9);
  EXPECT_EQ(at.at("product").at("depth"), 12);
  EXPECT_EQ(at.at("product").at("columns"), 4);
  std::vector<int> column;
  for (const json& term : at.at("terms")) column.push_back(term.at("input"));
  EXPECT_EQ(column, (std::vector{1, 2, 1, 1, 0, 2, 0, 3, 1, 2, 0, 1}));
}

// 1,024 threads and 5 taps: 5,120 loads by the definition, 1,028 by the block.
TEST_F(Computed, ABlocksLoadsAreCounted) {
  std::string samples;
  for (int i = 0; i < 3 * 1024; ++i) samples += std::to_string(i % 7) + " ";
  const Outcome outcome = run({"--kind", "signal", "--input", samples, "--filter", "1 1 1 1 1", "--border", "zero",
                               "--strategy", "tiled-regions", "--tune", "block_size=1024", "--at", "1500,0", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json block = json::parse(outcome.out).at("at").at("block");
  EXPECT_EQ(block.at("loads_by_definition"), 5120);
  EXPECT_EQ(block.at("loads"), 1028);
}

TEST_F(Computed, FromFilesOfOtherPrograms) {
  shell("cd '" + folder_.path().string() + "' && printf '8,2,5\\n4,1,7\\n' > rows.csv && python3 -c \"import struct;" +
        "h=str({'descr':'<f8','fortran_order':False,'shape':(2,3)}).ljust(117)+chr(10);" +
        "open('a.npy','wb').write(bytes([147])+b'NUMPY'+bytes([1,0])+struct.pack('<H',len(h))+h.encode()+" +
        "struct.pack('<6d',8,2,5,4,1,7))\"");
  for (const char* file : {"rows.csv", "a.npy"})
    EXPECT_EQ(numbers({"--input", file, "--filter", "0 0 0;0 2 0;0 0 0"}), "16  4 10\n 8  2 14\n") << file;
  EXPECT_THAT(run({"--input", "a.npy", "--filter", "1"}).err, HasSubstr("float64"));
}

TEST_F(Computed, SaysWhatItCannotTake) {
  const auto refused = [&](std::vector<std::string> arguments) {
    const Outcome outcome = run(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(refused({"--filter", "1"}), HasSubstr("--input"));
  EXPECT_THAT(refused({"--input", "1 2; 3", "--filter", "1"}), HasSubstr("1 numbers in row 2"));
  EXPECT_THAT(refused({"--input", "no-such-file", "--filter", "1"}), HasSubstr("'no-such-file'"));
  EXPECT_THAT(refused({"--input", "1;;2", "--filter", "1"}), HasSubstr("2 planes"));
  EXPECT_THAT(refused({"--input", "1 2 3", "--filter", "1 2"}), HasSubstr("odd"));
  EXPECT_THAT(refused({"--kind", "layer", "--input", layer_x, "--filter", "1 1;1 1;;1 1;1 1"}),
              HasSubstr("2 filters for 3 channels"));
  EXPECT_THAT(refused({"--kind", "layer", "--pass", "to-input", "--filter", layer_bank, "--gradient",
                       "1 2;3 4;;1 0;0 1;;1 1;1 1;;2 2;2 2"}),
              HasSubstr("planes of"));
  EXPECT_THAT(refused({"--input", "1 2 3", "--filter", "1", "--strategy", "tiled-halo", "--backend", "cpu"}),
              HasSubstr("tiled-halo"));
}

TEST_F(Computed, SaysWhatRunsInPlaceOfAGpu) {
  const Outcome outcome = run({"--input", "1 2 3", "--filter", "1", "--strategy", "tiled-halo"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("tiled-halo is emulated, thread by thread"));
  EXPECT_THAT(outcome.err, HasSubstr("right, 0 from the reference at most"));
}

}  // namespace
}  // namespace convoscope
