// Sound that begins late: it is copied where that is possible, and what is left out is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LateSound, IsCopiedWhereTheInputIsAFile) {
  const Folder folder;
  const std::string picture = "-f lavfi -i testsrc2=s=160x120:r=25:d=24 -itsoffset 15 -f lavfi -i sine=d=4 ";
  ffmpeg(folder, picture + "-c:v mpeg2video -b:v 6M -c:a mp2 late.ts");
  ffmpeg(folder, picture + "-c:v mpeg2video -b:v 6M -c:a mp2 late.mpg");
  ffmpeg(folder, picture + "-c:v flv1 -c:a mp3 -flvflags no_metadata late.flv");
  std::string flv = folder.read("late.flv");
  flv[4] = 1;  // the header promises video only
  folder.write("late.flv", flv);
  for (const char* in : {"late.ts", "late.mpg", "late.flv"})
    for (const char* out : {"out.mkv", "out.mp4"}) {
      SCOPED_TRACE(std::string(in) + " to " + out);
      ASSERT_EQ(convoscope(folder, std::string("filter ") + in + " " + out + " --filter identity"), 0)
          << folder.read("err");
      EXPECT_THAT(folder.read("err"), HasSubstr("sound copied"));
      EXPECT_EQ(times(folder / out).size(), 600u);
      const std::string begins =
          probe(folder / out, "-select_streams a -read_intervals %+#1 -show_entries packet=pts_time");
      ASSERT_FALSE(begins.empty());
      EXPECT_NEAR(std::stod(begins), 15 + times(folder / in)[0], 0.2);
      if (std::string(out) == "out.mp4") continue;  // written by the same MuxedOutput
      ASSERT_EQ(convoscope(folder, in + offscreen + "--record " + out), 0) << folder.read("err");
      EXPECT_THAT(folder.read("err"), HasSubstr("sound copied"));
      EXPECT_THAT(probe(folder / out, "-show_entries stream=codec_type"), HasSubstr("audio"));
    }
}

// A transport stream that announces sound of which nothing comes. Its last picture is cut, which is told, too.
TEST(LateSound, IsToldWhereNothingIsKnownOfIt) {
  const Folder folder;
  ffmpeg(folder,
         "-f lavfi -i testsrc2=s=160x120:r=25:d=12 -itsoffset 10 -f lavfi -i sine=d=1 -c:v mpeg2video -b:v 2M -c:a mp2 "
         "late.ts");
  const std::string late = folder.read("late.ts");
  folder.write("silent.ts", late.substr(0, late.size() / 3 / 188 * 188));
  ASSERT_EQ(convoscope(folder, "filter silent.ts out.mkv --filter identity"), 3) << folder.read("err");
  EXPECT_THAT(folder.read("err"), HasSubstr("has sound that begins late"));
  EXPECT_THAT(folder.read("err"), Not(HasSubstr("sound copied")));
  EXPECT_GT(times(folder / "out.mkv").size(), 50u);
  ASSERT_EQ(convoscope(folder, "silent.ts" + offscreen + "--record r.mkv"), 3) << folder.read("err");
  EXPECT_THAT(folder.read("err"), HasSubstr("sound that begins late was left out"));
}

}  // namespace
}  // namespace convoscope
