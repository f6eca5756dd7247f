// Layers on the command line, as scripts see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

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

TEST(Layers, AreMeasuredByShapeAndPass) {
  const Folder folder;
  const Outcome outcome = run_program({"bench", "--kind", "layer", "--backend", "cpu", "--shape", "1,3,40,50,4,3",
                                       "--pass", "forward,to-input", "--json", "b.json"},
                                      folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1,3,40,50,4,3 gray32f to-input"));
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

TEST(Layers, AWrongShapeIsASentence) {
  const Folder folder;
  const Outcome outcome =
      run_program({"bench", "--kind", "layer", "--backend", "cpu", "--shape", "1,3,9,9,4,3,groups=2"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("2 groups: the number of channels must be a multiple of 2; it is 3."));
}

}  // namespace
}  // namespace convoscope
