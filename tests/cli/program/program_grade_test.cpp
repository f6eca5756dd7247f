// convoscope new-kernel and convoscope grade, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class OwnKernel : public testing::Test {
 protected:
  Outcome run(const std::vector<std::string>& arguments) { return run_program(arguments, folder_.path()); }
  std::string text_of(const std::string& name) { return folder_.read(name); }
  void change(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = text_of(name);
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), to);
    std::ofstream(folder_.path() / name) << text;
  }
  Folder folder_;
};

TEST_F(OwnKernel, IsWrittenGradedBrokenAndMended) {
  EXPECT_EQ(run({"new-kernel", "my.cu", "--format", "gray32f"}).exit_code, 0);
  for (const char* name : {"my.cu", "convoscope_kernel.h", "compile_commands.json"})
    EXPECT_NE(text_of(name), "") << name;
  EXPECT_TRUE(json::parse(text_of("compile_commands.json")).is_array());
  const Outcome right = run({"grade", "my.cu", "--seed", "5", "--json", "out.json", "--csv", "out.csv"});
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_THAT(right.out, HasSubstr("my.cu: right"));
  EXPECT_THAT(right.out, HasSubstr("seed 5"));
  const json out = json::parse(text_of("out.json"));
  EXPECT_EQ(out["version"], 1);
  EXPECT_EQ(out["kernels"][0]["verdict"], "right");
  EXPECT_EQ(out["kernels"][0]["counted_by_emulator"]["loads_per_output"], 25);
  EXPECT_THAT(text_of("out.csv"), HasSubstr("\"my.cu\",image,right,"));

  change("my.cu", "y >= out.height) return;", "y >= out.height + 1) return;");
  const Outcome wrong = run({"grade", "my.cu"});
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out;
  EXPECT_THAT(wrong.out, HasSubstr("behind the end of its output"));
  EXPECT_THAT(wrong.out, HasSubstr("(line "));

  change("my.cu", "out.height + 1) return;", "out.height) retrun;");
  const Outcome broken = run({"grade", "my.cu"});
  EXPECT_EQ(broken.exit_code, 2) << broken.out;
  EXPECT_THAT(broken.out, HasSubstr("'retrun' was not declared"));
  EXPECT_THAT(broken.out, HasSubstr("^"));
}

TEST_F(OwnKernel, IsNeverReplacedUnasked) {
  std::ofstream(folder_.path() / "my.cu") << "precious";
  const Outcome refused = run({"new-kernel", "my.cu"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is there already"));
  EXPECT_EQ(text_of("my.cu"), "precious");
  EXPECT_EQ(run({"new-kernel", "my.cu", "--force", "--fork", "tiled-halo"}).exit_code, 0);
  EXPECT_THAT(text_of("my.cu"), HasSubstr("filter_tiled_halo"));
}

TEST_F(OwnKernel, RefusesByNameWhatItCannot) {
  EXPECT_THAT(run({"new-kernel", "my.cu", "--kind", "layer"}).err, HasSubstr("are not there yet"));
  EXPECT_THAT(run({"new-kernel", "my.cu", "--fork", "winograd"}).err, HasSubstr("that can be copied out"));
  EXPECT_THAT(run({"new-kernel", "my.txt"}).err, HasSubstr("ends in .cu"));
  EXPECT_EQ(run({"grade"}).exit_code, 2);
  const Outcome missing = run({"grade", "nowhere.cu"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.out, HasSubstr("'nowhere.cu' cannot be read: it is not there"));
}

// However a file is asked for: the judge compiles what a class hands in.
TEST_F(OwnKernel, IncludesNothingElse) {
  ASSERT_EQ(run({"new-kernel", "my.cu"}).exit_code, 0);
  const std::string text = text_of("my.cu");
  for (const char* const line : {"#include <limits.h>", "%:include <limits.h>", "#import <limits.h>"}) {
    std::ofstream(folder_.path() / "my.cu") << line << "\n" << text;
    const Outcome outcome = run({"grade", "my.cu"});
    EXPECT_EQ(outcome.exit_code, 2) << line;
    EXPECT_THAT(outcome.out, testing::AnyOf(HasSubstr("only \"convoscope_kernel.h\""), HasSubstr("write # instead")));
  }
}

TEST_F(OwnKernel, SaysWhichPackageIsMissing) {
  ASSERT_EQ(run({"new-kernel", "my.cu"}).exit_code, 0);
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  unsetenv("CXX");
  const Outcome outcome = run({"grade", "my.cu"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("sudo apt install g++"));
}

TEST_F(OwnKernel, AreRankedAsATable) {
  ASSERT_EQ(run({"new-kernel", "plain.cu", "--kind", "signal"}).exit_code, 0);
  ASSERT_EQ(run({"new-kernel", "tile.cu", "--kind", "signal", "--fork", "tiled-uniform"}).exit_code, 0);
  std::ofstream(folder_.path() / "bad.cu") << "int x;";
  const Outcome outcome = run({"grade", "bad.cu", "nowhere.cu", "plain.cu", "tile.cu", "--table", "--seed", "1"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  const std::size_t tile = outcome.out.find("tile.cu"), plain = outcome.out.find("plain.cu");
  EXPECT_LT(tile, plain) << outcome.out;
  EXPECT_LT(plain, outcome.out.find("bad.cu")) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("nowhere.cu")) << "one that cannot be read costs itself alone";
}

}  // namespace
}  // namespace convoscope
