// Layers on the command line, as scripts see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Layers, AreVerifiedByShapeAndPass) {
  const Folder folder;
  const Outcome outcome = run_program({"verify", "--kind", "layer", "--backend", "cpu", "--json", "--shape",
                                       "2,3,9,11,4,3,padding=1", "--pass", "forward,to-weights"},
                                      folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::set<std::string> passes, strategies;
  for (const json& row : json::parse(outcome.out)) {
    EXPECT_EQ(row.at("shape"), "2,3,9,11,4,3,padding=1");
    EXPECT_TRUE(row.at("passed").get<bool>()) << row.dump();
    passes.insert(row.at("pass"));
    strategies.insert(row.at("strategy"));
  }
  EXPECT_EQ(passes, (std::set<std::string>{"forward", "to-weights"}));
  EXPECT_TRUE(strategies.contains("cpu-direct"));
  EXPECT_TRUE(strategies.contains("cpu-gemm"));
  EXPECT_TRUE(strategies.contains("auto"));
}

TEST(Layers, AreVerifiedAndMeasuredInTheirNumbers) {
  const Folder folder;
  const std::vector<std::string> what{"--kind",     "layer",      "--backend", "cpu",
                                      "--strategy", "cpu-direct", "--shape",   "2,3,9,11,4,3,padding=1",
                                      "--type",     "f16,tf32",   "--layout",  "nhwc"};
  std::vector<std::string> verify{"verify", "--json"}, bench{"bench", "--json", "b.json"};
  verify.insert(verify.end(), what.begin(), what.end());
  bench.insert(bench.end(), what.begin(), what.end());
  const Outcome verified = run_program(verify, folder.path()), measured = run_program(bench, folder.path());
  ASSERT_EQ(verified.exit_code, 0) << verified.err;
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("2,3,9,11,4,3,padding=1 f16 nhwc to-input"));
  for (const json& rows : {json::parse(verified.out), json::parse(folder.read("b.json")).at("rows")}) {
    std::set<std::string> types;
    for (const json& row : rows) {
      EXPECT_EQ(row.at("layout"), "nhwc");
      types.insert(row.at("type"));
    }
    EXPECT_EQ(types, (std::set<std::string>{"f16", "tf32"}));
  }
}

TEST(Layers, TheTableOfVerifySaysWhatItsCountsAreOf) {
  const Folder folder;
  const Outcome outcome =
      run_program({"verify", "--kind", "layer", "--backend", "cpu", "--strategy", "cpu-direct,cpu-gemm", "--shape",
                   "2,3,9,11,4,3", "--pass", "forward", "--type", "f16,tf32,f32", "--layout", "nhwc"},
                  folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Tunings"));
  EXPECT_THAT(outcome.out, HasSubstr("this layer's are f16 nhwc; 2 other reasons (see --verbose)"));
}

TEST(Layers, AreMeasuredByShapeAndPass) {
  const Folder folder;
  const Outcome outcome = run_program({"bench", "--kind", "layer", "--backend", "cpu", "--shape", "1,3,40,50,4,3",
                                       "--pass", "forward,to-input", "--json", "b.json"},
                                      folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1,3,40,50,4,3 f32 nchw to-input"));
  std::set<std::string> passes;
  const json report = json::parse(folder.read("b.json"));
  for (const json& row : report.at("rows")) {
    EXPECT_EQ(row.at("kind"), "layer");
    EXPECT_EQ(row.at("shape"), "1,3,40,50,4,3");
    EXPECT_TRUE(row.at("verified").get<bool>()) << row.dump();
    EXPECT_EQ(row.at("model").at("flop"), 2 * 4 * 38 * 48 * 27);
    passes.insert(row.at("pass"));
  }
  EXPECT_EQ(passes, (std::set<std::string>{"forward", "to-input"}));
}

TEST(Layers, AreListedForAShape) {
  const Folder folder;
  const Outcome outcome = run_program({"list", "strategies", "--kind", "layer", "--backend", "emulated", "--json",
                                       "--shape", "1,64,56,56,64,3", "--pass", "to-input"},
                                      folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const json& row : json::parse(outcome.out)) {
    const std::string id = row.at("id"), why_not = row.at("unsupported");
    if (id == "direct") {
      EXPECT_EQ(why_not, "");
    }
    if (id == "constant") {
      EXPECT_THAT(why_not, HasSubstr("36864 weights"));
    }
  }
}

TEST(Layers, AreListedInTheirNumbers) {
  const Folder folder;
  const Outcome outcome =
      run_program({"list", "strategies", "--kind", "layer", "--backend", "emulated", "--json", "--shape",
                   "1,64,56,56,64,3", "--pass", "forward", "--type", "f16", "--layout", "nhwc"},
                  folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::map<std::string, std::string> why_not;
  for (const json& row : json::parse(outcome.out)) why_not[row.at("id")] = row.at("unsupported");
  EXPECT_EQ(why_not.at("implicit-gemm-tensor"), "");
  EXPECT_THAT(why_not.at("direct"), HasSubstr("this layer's are f16 nhwc"));
}

TEST(Layers, AWrongShapeIsASentence) {
  const Folder folder;
  const Outcome outcome =
      run_program({"bench", "--kind", "layer", "--backend", "cpu", "--shape", "1,3,9,9,4,3,groups=2"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("2 groups: the number of channels must be a multiple of 2; it is 3."));
  EXPECT_EQ(run_program({"verify", "--kind", "layer", "--backend", "cpu", "--shape", "0,0,0,0,0,0"}, folder.path()).err,
            "convoscope: The layer's number of samples N is 0; it must be from 1 to 1048576.\n");
}

}  // namespace
}  // namespace convoscope
