// What becomes of sound: that begins late, that was cut away, that a container does not take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::Not;

double begin_of_sound(const std::string& file) {
  const std::string seconds = probe(file, "-select_streams a -read_intervals %+#1 -show_entries packet=pts_time");
  return seconds.empty() ? -100 : std::stod(seconds);
}

TEST(LateSound, IsCopiedWhereTheInputIsAFile) {
  const Folder folder;
  const std::string picture = "-f lavfi -i testsrc2=s=160x120:r=25:d=15 -itsoffset 13 -f lavfi -i sine=d=2 ";
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
      EXPECT_EQ(times(folder / out).size(), 375u);
      EXPECT_NEAR(begin_of_sound(folder / out), 13 + times(folder / in)[0], 0.2);
      if (std::string(out) == "out.mp4") continue;  // written by the same MuxedOutput
      ASSERT_EQ(convoscope(folder, in + offscreen + "--record " + out), 0) << folder.read("err");
      EXPECT_THAT(folder.read("err"), HasSubstr("sound copied"));
      EXPECT_THAT(probe(folder / out, "-show_entries stream=codec_type"), HasSubstr("audio"));
    }
}

// Nobody would hear or see that another one is at work.
TEST(SoundStrategy, ThatDoesNotFilterIsTold) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -c:a aac in.mp4");
  const std::string line = "in.mp4 --sound low-pass:cutoff=900 --record r.mkv" + offscreen + "--sound-strategy ";
  EXPECT_EQ(convoscope(folder, line + "tiled-regions"), 0);
  EXPECT_THAT(folder.read("err"), HasSubstr("; sound filtered, with cpu-"));
  EXPECT_THAT(folder.read("err"), HasSubstr(" in place of tiled-regions, AAC"));
  std::string told;
  for (const std::string by : {"cpu-direct", "cpu-fft"}) {  // of which one is not the fastest
    EXPECT_EQ(convoscope(folder, line + by), 0) << folder.read("err");
    told += folder.read("err");
  }
  EXPECT_THAT(told, HasSubstr(" in place of cpu-"));
  EXPECT_EQ(convoscope(folder, line + "auto"), 0);
  EXPECT_THAT(folder.read("err"), HasSubstr("; sound filtered, AAC"));
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
  EXPECT_GT(times(folder / "out.part.mkv").size(), 50u);
  ASSERT_EQ(convoscope(folder, "silent.ts" + offscreen + "--record r.mkv"), 3) << folder.read("err");
  EXPECT_THAT(folder.read("err"), HasSubstr("sound that begins late was left out"));
}

// What an edit list has cut away before the beginning, but for the packet that a decoder begins with.
TEST(Sound, ThatWasCutAwayStaysAway) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -g 50 -c:a aac whole.mp4");
  ffmpeg(folder, "-ss 0.35 -i whole.mp4 -c copy cut.mp4");
  for (const char* out : {"out.mp4", "out.mkv", "out.mov"}) {
    SCOPED_TRACE(out);
    ASSERT_EQ(convoscope(folder, std::string("filter cut.mp4 ") + out + " --filter identity"), 0);
    EXPECT_GT(begin_of_sound(folder / out), -0.047);  // two packets
    EXPECT_EQ(times(folder / out), times(folder / "cut.mp4"));
  }
}

TEST(Sound, IsCopiedIntoWhateverContainerTakesIt) {
  const Folder folder;
  const std::string picture = "-f lavfi -i testsrc2=s=160x120:r=25:d=1 -f lavfi -i sine=d=1:sample_rate=8000 ";
  for (const auto& [codec, out, taken] : {std::tuple{"flac", "flac.mp4", true},
                                          {"wmav2", "wma.mkv", true},
                                          {"pcm_mulaw", "mulaw.mkv", true},
                                          {"libopus", "opus.mov", false},
                                          {"wmav2", "wma.mov", false},
                                          {"libmp3lame", "mp3.mov", true},
                                          {"pcm_mulaw", "mulaw.mp4", false}}) {
    SCOPED_TRACE(out);
    ffmpeg(folder, picture + "-c:v mjpeg -c:a " + codec + " in.mkv");
    EXPECT_EQ(convoscope(folder, std::string("filter in.mkv ") + out + " --filter identity"), taken ? 0 : 2);
    EXPECT_THAT(folder.read("err"), HasSubstr(taken ? "sound copied" : "Choose a name that ends in .mkv."));
    if (std::string(out).ends_with(".mov")) continue;  // which is not recorded
    EXPECT_EQ(convoscope(folder, "in.mkv" + offscreen + "--frames 20 --record r-" + out), 0);
    EXPECT_THAT(folder.read("err"), HasSubstr(taken ? "sound copied" : "which this container cannot hold; .mkv can"));
  }
  ffmpeg(folder, picture + "-c:v flv1 -c:a nellymoser in.flv");
  EXPECT_EQ(convoscope(folder, "filter in.flv out.mkv --filter identity"), 2);
  EXPECT_THAT(folder.read("err"), HasSubstr("Filter a copy without sound"));
}

}  // namespace
}  // namespace convoscope
