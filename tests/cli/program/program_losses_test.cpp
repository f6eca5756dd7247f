// convoscope filter: what the output cannot have of the input is told, and the rest is kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Times, BeginInTheOutputWhereTheyDoInTheInput) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=30:d=1 -c:v mpeg2video in.ts");
  for (const char* out : {"out.mp4", "out.mov"}) {
    ASSERT_EQ(convoscope(folder, std::string("filter in.ts ") + out + " --filter identity"), 0);
    EXPECT_NEAR(times(folder / out).at(0), times(folder / "in.ts").at(0), 2e-5) << out;
  }
}

TEST(Pictures, WhatTheOutputLacksOfThemIsTold) {
  const Folder folder;
  const std::string picture = "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v libx264 ";
  ffmpeg(folder, picture + "-color_trc smpte2084 -color_primaries bt2020 -colorspace bt2020nc hdr.mp4");
  ffmpeg(folder, picture + "-flags +ildct+ilme -x264opts tff=1 fields.mp4");
  ffmpeg(folder, picture + "plain.mp4");
  for (const auto& [in, told] : {std::pair{"hdr.mp4", "high dynamic range (PQ)"}, {"fields.mp4", "is interlaced"}}) {
    EXPECT_EQ(convoscope(folder, std::string("filter ") + in + " out.mkv --filter identity"), 0);
    EXPECT_THAT(folder.read("err"), HasSubstr(told));
  }
  EXPECT_EQ(convoscope(folder, "filter plain.mp4 out.mkv --filter identity"), 0);
  EXPECT_THAT(folder.read("err"), Not(HasSubstr("'plain.mp4'")));
}

TEST(Pictures, WhoseSumsMayOverflowAreFilteredAndThatIsTold) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -c:v libx264 in.mp4");
  for (const char* which : {"", " --strategy cpu-direct"}) {
    EXPECT_EQ(convoscope(folder, std::string("filter in.mp4 out.mkv --filter \"3.4e38 -3.4e38 3.4e38\"") + which), 0);
    const std::string err = folder.read("err");
    EXPECT_THAT(
        err, AllOf(HasSubstr("Sums of these weights may reach"), HasSubstr("smaller weights"), HasSubstr("Wrote 5")));
    EXPECT_EQ(err.find("Sums of"), err.rfind("Sums of")) << err;
  }
}

TEST(Pictures, ThatChangeTheirSizeAreDoneInPart) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg2video a.ts");
  ffmpeg(folder, "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v mpeg2video b.ts");
  folder.write("ab.ts", folder.read("a.ts") + folder.read("b.ts"));
  EXPECT_EQ(convoscope(folder, "filter ab.ts out.mp4 --filter identity"), 3);
  EXPECT_THAT(folder.read("err"), HasSubstr("size changes from 64 × 48 to 96 × 64"));
  EXPECT_GT(times(folder / "out.part.mp4").size(), 15u);
  EXPECT_THAT(probe(folder / "out.mp4", "-show_entries format=duration"), "") << "which is not whole";
}

}  // namespace
}  // namespace convoscope
