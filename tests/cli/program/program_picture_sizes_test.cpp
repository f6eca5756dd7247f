// Pictures over the limit, and those that have no size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"
#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

TEST(Limits, AVeryLargePictureIsRefusedBeforeItTakesMemory) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i color=red:s=12000x12000 -frames:v 1 big.png");
  for (const std::string& line : {"big.png --frames 1" + offscreen, std::string("filter big.png out.mkv")}) {
    EXPECT_EQ(convoscope(folder, line), 2);
    EXPECT_THAT(folder.read("err"), HasSubstr("12000 × 12000"));
    EXPECT_THAT(folder.read("err"), HasSubstr("--max-pixels 144000000"));
  }
  ffmpeg(folder, "-f lavfi -i color=red:s=64x64 -frames:v 1 small.png");
  EXPECT_EQ(convoscope(folder, "small.png --max-pixels 4000 --frames 1" + offscreen), 2);
  EXPECT_EQ(convoscope(folder, "small.png --max-pixels 5000 --frames 1" + offscreen), 0) << folder.read("err");
}

// FFmpeg fills rows up before it compares, and coders fill pictures up to whole blocks.
TEST(Limits, APictureIsAsLargeAsItIsShown) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc=s=100x50 -frames:v 1 whole.png");
  ffmpeg(folder, "-f lavfi -i testsrc=s=100x50:r=25:d=0.2 -c:v libx264 -pix_fmt yuv420p whole.mp4");
  folder.write("damaged.png", folder.read("whole.png").substr(0, 60));
  for (const std::string& end : {" --frames 1" + offscreen, std::string(" out.mkv")}) {
    const std::string begin = end.starts_with(" out") ? "filter " : "";
    for (const char* name : {"whole.png", "whole.mp4"}) {
      EXPECT_EQ(convoscope(folder, begin + name + end + " --max-pixels 5000"), 0) << folder.read("err");
      EXPECT_EQ(convoscope(folder, begin + name + end + " --max-pixels 4999"), 2);
      EXPECT_THAT(folder.read("err"), HasSubstr("100 × 50 pixels"));
    }
    EXPECT_EQ(convoscope(folder, begin + "damaged.png" + end + " --max-pixels 5000"), 2);
    EXPECT_THAT(folder.read("err"), HasSubstr("It is damaged or cut off"));
  }
}

TEST(Limits, AVideoOverTheLimitIsNoDamage) {
  const Folder folder;
  for (const std::string video : {"raw.y4m", "raw.avi -c:v rawvideo", "ffv1.mkv -c:v ffv1", "huffyuv.avi -c:v huffyuv",
                                  "h264.mp4 -c:v libx264"}) {
    const std::string name = video.substr(0, video.find(' '));
    ffmpeg(folder, "-f lavfi -i testsrc2=s=64x64:r=25:d=0.2" + video.substr(name.size()) + " " + name);
    for (const std::string& line : {name + " --frames 1" + offscreen, "filter " + name + " out.mkv"}) {
      EXPECT_EQ(convoscope(folder, line + " --max-pixels 4000"), 2);
      EXPECT_THAT(folder.read("err"), HasSubstr("64 × 64 pixels. The limit is 4,000 pixels"));
      EXPECT_THAT(folder.read("err"), HasSubstr("--max-pixels 4096 lets this one in"));
      EXPECT_EQ(convoscope(folder, line + " --max-pixels 4096"), 0) << folder.read("err");
    }
  }
}

TEST(Limits, AHeaderWithoutASizeIsDamage) {
  const Folder folder;
  folder.write("zero.y4m", "YUV4MPEG2 W0 H48 F25:1\nFRAME\n");
  for (const std::string& line : {"zero.y4m" + offscreen, std::string("filter zero.y4m out.mkv")}) {
    EXPECT_EQ(convoscope(folder, line), 2);
    EXPECT_THAT(folder.read("err"), HasSubstr("damaged"));
  }
}

}  // namespace
}  // namespace convoscope
