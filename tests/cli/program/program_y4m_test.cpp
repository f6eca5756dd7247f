// y4m as it comes through pipes and from scripts: headers that cannot be used, rates that are none, files that are
// joined.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"
#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// 16 × 8, grey.
std::string y4m(const std::string& header, int frames) {
  std::string file = header + "\n";
  for (int i = 0; i < frames; ++i) file += "FRAME\n" + std::string(16 * 8 * 3 / 2, '\x80');
  return file;
}

int piped(const Folder& folder, const std::string& content) {
  folder.write("in.y4m", content);
  return bash(folder.path(), "cat in.y4m | \"$CONVOSCOPE\" filter - out.mkv --backend cpu 2>err");
}

TEST(Y4mOnAPipe, WhoseHeaderCannotBeUsedIsStillY4m) {
  const Folder folder;
  for (const auto& [header, said] : {std::pair{"W16 H8 F25:1 C440", "the colours 'C440'"},
                                     {"W16 H8 F25:1 C410", "the colours 'C410'"},
                                     {"W16 H8 F25:1 Cnope", "the colours 'Cnope'"},
                                     {"W0 H0 F25:1 C420jpeg", "the size 'W0 H0'"},
                                     {"W-4 H4 F25:1 C420jpeg", "the size 'W-4 H4'"},
                                     {"W99999 H99999 F25:1", "the size 'W99999 H99999'"},
                                     {"W4294967312 H8 F25:1 C420jpeg", "the size 'W4294967312 H8'"},
                                     {"W16 H8 F99999999999:7 C420jpeg", "the rate 'F99999999999:7'"},
                                     {"W16 H8 F25:1 A4294967297:1 C420jpeg", "the shape of a pixel 'A4294967297:1'"},
                                     {"F25:1", "no size"}}) {
    EXPECT_EQ(piped(folder, y4m(std::string("YUV4MPEG2 ") + header, 2)), 2) << header;
    EXPECT_THAT(folder.read("err"), HasSubstr(std::string("is y4m whose first line says ") + said)) << header;
    EXPECT_THAT(folder.read("err"), Not(HasSubstr("not y4m"))) << header;
  }
  EXPECT_EQ(piped(folder, y4m("YUV4MPEG2 W16 H8 F25:1 X" + std::string(300, 'x'), 2)), 2);
  EXPECT_THAT(folder.read("err"), HasSubstr("is y4m whose first line is longer than"));
  EXPECT_EQ(piped(folder, "YUV4MPEG2 W16 H8"), 2);
  EXPECT_THAT(folder.read("err"), HasSubstr("is y4m that ends within its first line"));
  EXPECT_EQ(piped(folder, "no video\n"), 2);
  EXPECT_THAT(folder.read("err"), HasSubstr("is not y4m"));
}

TEST(Y4mOnAPipe, WithoutARateHas25FramesASecondAndSaysSo) {
  const Folder folder;
  const std::string told = "says no valid frame rate in its first line (like F30:1), so 25 frames a second are assumed";
  for (const char* rate : {" F0:0", " F25:0", " F-25:1", ""}) {
    const std::string video = y4m(std::string("YUV4MPEG2 W16 H8") + rate + " C420jpeg", 2);
    EXPECT_EQ(piped(folder, video), 0) << rate;
    EXPECT_THAT(folder.read("err"), HasSubstr("'standard input' " + told)) << rate;
    EXPECT_EQ(convoscope(folder, "in.y4m" + offscreen), 0) << folder.read("err");
    EXPECT_THAT(folder.read("err"), HasSubstr("'in.y4m' " + told)) << rate;
  }
  EXPECT_EQ(piped(folder, y4m("YUV4MPEG2 W16 H8 F30000:1001 C420jpeg", 2)), 0);
  EXPECT_THAT(folder.read("err"), Not(HasSubstr("rate")));
}

TEST(Y4mOnAPipe, BehindWhoseFramesSomethingElseFollowsIsNotCutOff) {
  const Folder folder;
  const std::string three = y4m("YUV4MPEG2 W16 H8 F25:1 C420jpeg", 3);
  const auto told = AllOf(HasSubstr("after frame 3 something other than a frame follows"),
                          HasSubstr("concat JOINED.y4m"), Not(HasSubstr("cut off")));
  for (const std::string& content : {three + three, three + "some\nbytes" + three}) {
    EXPECT_EQ(piped(folder, content), 3);
    EXPECT_THAT(folder.read("err"), told);
    EXPECT_EQ(convoscope(folder, "filter in.y4m out.mkv"), 3);
    EXPECT_THAT(folder.read("err"), told);
    EXPECT_EQ(convoscope(folder, "in.y4m" + offscreen), 3);
    EXPECT_THAT(folder.read("err"), told);
  }
  EXPECT_EQ(piped(folder, three + "FRA"), 3);
  EXPECT_THAT(folder.read("err"), HasSubstr("is cut off"));
}

}  // namespace
}  // namespace convoscope
