// Inputs that have lost pictures in the middle or at the end, and those that cannot be decoded here: the program says
// which it is, does what can be done, and its exit code says so, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <vector>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"
#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  return bytes;
}

// In ascending order.
std::vector<double> packet_times(const std::string& file, const std::string& stream) {
  std::istringstream lines(probe(file, "-select_streams " + stream + " -show_entries packet=pts_time"));
  std::vector<double> out;
  for (std::string line; std::getline(lines, line);) out.push_back(std::stod(line));
  std::sort(out.begin(), out.end());
  return out;
}

// And the older file is as it was.
void expect_recorded_as_a_part(const Folder& folder) {
  EXPECT_EQ(folder.read("r.mkv"), "older");
  EXPECT_GT(times(folder / "r.part.mkv").size(), 0u);
  EXPECT_THAT(folder.read("err"), HasSubstr("Not all of the input could be decoded. Recorded "));
  EXPECT_THAT(folder.read("err"), HasSubstr("r.part.mkv' ("));
}

void expect_told(const Folder& folder, const std::string& name, const std::string& words) {
  SCOPED_TRACE(name);
  folder.write("out.mkv", "older");  // beside which the part has its folder's name as it was given, too
  EXPECT_EQ(convoscope(folder, "filter " + name + " out.mkv --filter identity"), 3) << folder.read("err");
  EXPECT_THAT(folder.read("err"), HasSubstr("'" + name + "' is " + words));
  EXPECT_THAT(folder.read("err"), HasSubstr(" to 'out.part.mkv' in "));
  EXPECT_GT(times(folder / "out.part.mkv").size(), 0u);
  folder.write("r.mkv", "older");
  EXPECT_EQ(convoscope(folder, name + offscreen + "--record r.mkv --stats s.json"), 3) << folder.read("err");
  EXPECT_THAT(folder.read("err"), HasSubstr("'" + name + "' is " + words));
  EXPECT_THAT(folder.read("s.json"), HasSubstr("\"cut_short\": true"));
  expect_recorded_as_a_part(folder);
}

TEST(DamagedInput, IsFilteredWithCode3) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -c:v libx264 -g 12 whole.mkv");
  ffmpeg(folder, "-i whole.mkv -c copy whole.mp4");
  ffmpeg(folder, "-i whole.mkv -c copy whole.ts");
  ffmpeg(folder, "-i whole.mkv -c:v libvpx -b:v 300k whole.webm");
  ffmpeg(folder, "-i whole.mkv -c:v mpeg2video whole.mpg");
  ffmpeg(folder, "-i whole.mkv -c:v mjpeg whole.avi");
  for (const std::string ending : {"mkv", "mp4", "ts", "webm", "mpg", "avi"}) {
    EXPECT_EQ(convoscope(folder, "filter whole." + ending + " out.mkv --filter identity"), 0) << folder.read("err");
    EXPECT_THAT(folder.read("err"), Not(HasSubstr("damaged")));
    EXPECT_EQ(convoscope(folder, "whole." + ending + offscreen), 0) << folder.read("err");
    std::string bytes = folder.read("whole." + ending);
    bytes.replace(bytes.size() / 2, 3000, noise(3000));
    folder.write("damaged." + ending, bytes);
    expect_told(folder, "damaged." + ending, "damaged after ");
  }
}

TEST(DamagedInput, APictureOrAnAnimationThatIsCutShortIsTold) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=10:d=3 whole.gif");
  ffmpeg(folder, "-f lavfi -i testsrc2=s=640x480:r=1:d=1 -frames:v 1 whole.jpg");
  ffmpeg(folder, "-f lavfi -i testsrc2=s=640x480:r=1:d=1 -frames:v 1 -huffman 0 -pix_fmt yuvj444p plain.jpg");
  for (const std::string name : {"whole.gif", "whole.jpg", "plain.jpg"}) {
    EXPECT_EQ(convoscope(folder, "filter " + name + " out.mkv --filter identity"), 0) << folder.read("err");
    const std::string whole = folder.read(name);
    if (name.ends_with("jpg")) {  // what follows its end is nobody's business
      folder.write("more-" + name, whole + "more");
      EXPECT_EQ(convoscope(folder, "filter more-" + name + " out.mkv --filter identity"), 0) << folder.read("err");
    }
    folder.write("cut-" + name, whole.substr(0, whole.size() * 6 / 10));
    expect_told(folder, "cut-" + name, "cut off");
  }
}

TEST(DamagedInput, IsToldOfAnimations) {
  const Folder folder;
  const std::string clip = "-f lavfi -i testsrc2=s=160x120:r=10:d=1 ";
  ffmpeg(folder, clip + "whole.gif");
  std::string bytes = folder.read("whole.gif");
  std::size_t at = 0;
  for (int frame = 1; frame <= 5; ++frame) at = bytes.find("\x21\xF9\x04", at + 1);
  folder.write("damaged.gif", bytes.replace(at, 1, "x"));
  expect_told(folder, "damaged.gif", "damaged after ");
  ffmpeg(folder, clip + "-c:v libwebp_anim whole.webp");
  bytes = folder.read("whole.webp");
  at = 0;
  for (int frame = 1; frame <= 5; ++frame) at = bytes.find("ANMF", at + 1);
  folder.write("damaged.webp", bytes.replace(at, 1, "X"));
  expect_told(folder, "damaged.webp", "damaged after ");
}

// They tell of it to FFmpeg's log alone.
TEST(DamagedInput, IsToldWhereDecodersPutUpWithIt) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -c:v ffv1 -level 3 -slicecrc 1 whole.mkv");
  EXPECT_EQ(convoscope(folder, "filter whole.mkv out.mkv --filter identity"), 0) << folder.read("err");
  std::string bytes = folder.read("whole.mkv");
  bytes.replace(bytes.size() / 2, 300, noise(300));
  folder.write("damaged.mkv", bytes);
  expect_told(folder, "damaged.mkv", "damaged after ");

  for (const std::string kind : {"jpg", "png"}) {
    shell("mkdir '" + (folder / kind) + "'");
    ffmpeg(folder, "-f lavfi -i testsrc2=s=320x240:r=25:d=1 -frames:v 6 " + kind + "/%02d." + kind);
    const std::string pictures = kind + "/%02d." + kind, one = kind + "/03." + kind;
    EXPECT_EQ(convoscope(folder, "filter " + pictures + " out.mkv --filter identity"), 0) << folder.read("err");
    bytes = folder.read(one);
    folder.write(one, bytes.substr(0, bytes.size() * 6 / 10));
    expect_told(folder, pictures, "damaged after ");
    expect_told(folder, kind, "damaged after ");
  }
}

// Frames are in the decoder still when the next file is looked for.
TEST(DamagedPlaylist, SaysWhichFileIsNotThereAndAfterWhichFrame) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=10:d=1 -pix_fmt yuv420p -c:v libx264 a.mp4");
  folder.write("list.ffconcat", "ffconcat version 1.0\nfile a.mp4\nfile gone.mp4\n");
  EXPECT_EQ(convoscope(folder, "filter list.ffconcat out.mkv --filter identity"), 3);
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("ends after frame 10"), HasSubstr("gone.mp4', which is not there")));
  EXPECT_EQ(times(folder / "out.part.mkv").size(), 10u);
  EXPECT_EQ(convoscope(folder, "list.ffconcat" + offscreen), 3);
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("ends after 0.9 s"), HasSubstr("gone.mp4', which is not there")));
  folder.write("list.ffconcat", "ffconcat version 1.0\nfile gone.mp4\nfile a.mp4\n");
  EXPECT_EQ(convoscope(folder, "filter list.ffconcat out.mkv --filter identity"), 2);
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("begins with"), HasSubstr("gone.mp4', which is not there")));
}

// Packets of AAC that begin with no header of AAC's.
TEST(DamagedSound, IsLeftOutAndCounted) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25:d=4 -f lavfi -i sine=d=4 -c:v libx264 -c:a aac whole.ts");
  std::string bytes = folder.read("whole.ts");
  std::size_t at = bytes.size() / 3;
  for (int i = 0; i < 5; ++i, at += 2000) bytes[at = bytes.find("\xff\xf1\x50", at)] = 0;
  folder.write("damaged.ts", bytes);
  for (const std::string out : {"out.mp4", "out.mkv", "out.mov"}) {
    SCOPED_TRACE(out);
    EXPECT_EQ(convoscope(folder, "filter whole.ts " + out + " --filter identity"), 0) << folder.read("err");
    EXPECT_THAT(folder.read("err"), Not(HasSubstr("damaged")));
    EXPECT_EQ(convoscope(folder, "filter damaged.ts " + out + " --filter identity"), 3) << folder.read("err");
    EXPECT_THAT(folder.read("err"), HasSubstr("sound copied; 5 damaged packets of sound were left out"));
    EXPECT_EQ(times(folder / part_of(out)).size(), 100u);
    EXPECT_GT(packet_times(folder / part_of(out), "a").back(), 3.9);
    if (out == "out.mov") continue;  // which is not recorded
    EXPECT_EQ(convoscope(folder, "damaged.ts" + offscreen + "--record r-" + out), 0) << folder.read("err");
    EXPECT_THAT(folder.read("err"), HasSubstr("sound copied; 5 damaged packets of sound were left out"));
    EXPECT_EQ(times(folder / ("r-" + out)).size(), 100u);
  }
}

// Where one ends and the next begins, counters and times begin anew, but nothing is missing. Whether the last picture
// of the first is whole its decoder knows.
TEST(JoinedStreams, AreNotDamaged) {
  const Folder folder;
  std::string small;
  for (const std::string codec : {"mpeg2video", "libx264"}) {
    SCOPED_TRACE(codec);
    const std::string end = ":r=25:d=1 -f lavfi -i sine=d=1 -c:a mp2 -pix_fmt yuv420p -c:v " + codec + " ";
    ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120" + end + "small.ts");
    ffmpeg(folder, "-f lavfi -i testsrc2=s=320x240" + end + "large.ts");
    small = folder.read("small.ts");
    folder.write("both.ts", small + folder.read("large.ts"));
    EXPECT_EQ(convoscope(folder, "filter both.ts out.mkv --filter identity"), 3);
    EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("to 320 × 240 at frame 25 of"), Not(HasSubstr("damaged"))));
    EXPECT_EQ(convoscope(folder, "filter both.ts %03d.png --filter identity"), 0);
    EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("Wrote 50 frames"), Not(HasSubstr("damaged"))));
    EXPECT_EQ(convoscope(folder, "both.ts" + offscreen), 0) << folder.read("err");
  }
  folder.write("both.ts", small + small);
  EXPECT_EQ(convoscope(folder, "filter both.ts out.mkv --filter identity"), 0);
  EXPECT_THAT(folder.read("err"), HasSubstr("has times that begin anew, as where files were joined; they go on"));
  const std::vector<double> pictures = packet_times(folder / "out.mkv", "v");
  const std::vector<double> sound = packet_times(folder / "out.mkv", "a");
  ASSERT_GE(pictures.size(), 49u);
  EXPECT_NEAR(pictures.back() - pictures.front(), 1.96, 0.1);
  ASSERT_FALSE(sound.empty());
  EXPECT_NEAR(sound.back(), pictures.back(), 0.1);
  const std::size_t packets = small.size() / 188;
  folder.write("both.ts", small.substr(0, packets / 2 * 188) + small.substr(packets * 3 / 4 * 188));
  EXPECT_EQ(convoscope(folder, "filter both.ts out.mkv --filter identity"), 3) << "some of it is missing";
  EXPECT_THAT(folder.read("err"), HasSubstr("damaged"));
}

// Two recordings that were joined, pictures alone and sound alone whose times jump.
TEST(JumpOfTimes, IsClosedWhereTheContainerCannotHoldIt) {
  const Folder folder;
  const std::string two = "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -c:a aac ";
  ffmpeg(folder, two + "a.ts");
  ffmpeg(folder, two + "-output_ts_offset 30000 b.ts");
  shell("cd '" + folder.path().string() + "' && cat a.ts b.ts > both.ts");
  ffmpeg(folder, two + "whole.mkv");
  const std::string jump = "setts=pts=\"PTS+gt(N\\,25)*2E9\":dts=\"DTS+gt(N\\,25)*2E9\" ";
  ffmpeg(folder, "-i whole.mkv -c copy -bsf:v " + jump + "pictures.mkv");
  ffmpeg(folder, "-i whole.mkv -c copy -bsf:a " + jump + "sound.mkv");
  for (const std::string in : {"both.ts", "pictures.mkv", "sound.mkv"})
    for (const std::string out : {"out.mp4", "out.mov", "out.mkv"}) {
      SCOPED_TRACE(in + " to " + out);
      const bool holds = out == "out.mkv";
      // So do the counters by which a transport stream shows that nothing is missing.
      EXPECT_EQ(convoscope(folder, "filter " + in + " " + out + " --filter identity"), in == "both.ts" ? 3 : 0);
      const std::string jumped = std::string("a jump of its times by ") + (in == "both.ts" ? "8" : "556") + " hours";
      EXPECT_EQ(folder.read("err").find(jumped) == std::string::npos, holds) << folder.read("err");
      for (const char* const stream : {"v", "a"}) {
        SCOPED_TRACE(stream);
        const std::vector<double> packets = packet_times(folder / (in == "both.ts" ? part_of(out) : out), stream);
        ASSERT_FALSE(packets.empty());
        double widest = 0;
        for (std::size_t i = 1; i < packets.size(); ++i) widest = std::max(widest, packets[i] - packets[i - 1]);
        const bool jumps = in == "both.ts" || in[0] == (*stream == 'v' ? 'p' : 's');
        EXPECT_EQ(widest > 3600, holds && jumps);
        if (holds) continue;
        EXPECT_LT(widest, 0.2);
        EXPECT_NEAR(packets.back() - packets.front(), in == "both.ts" ? 4 : 2, 0.2);
      }
    }
}

TEST(UnreadableInput, AnAnimatedWebpIsFiltered) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=10:d=1 -c:v libwebp_anim anim.webp");
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=1:d=1 -frames:v 1 -c:v libwebp still.webp");
  EXPECT_EQ(convoscope(folder, "filter still.webp out.mkv --filter identity"), 0) << folder.read("err");
  EXPECT_EQ(convoscope(folder, "filter anim.webp out.mkv --filter identity"), 0) << folder.read("err");
  EXPECT_EQ(packet_times(folder / "out.mkv", "v").size(), 10u);
  EXPECT_EQ(convoscope(folder, "anim.webp" + offscreen), 0) << folder.read("err");
}

TEST(UnreadableInput, NamesTheLimitOfAPictureThatIsTooLarge) {
  const Folder folder;
  for (const char* const size : {"16384 16384", "20000 20000", "1000000 1000000"})
    for (const char* const kind : {"P5", "P6"}) {
      SCOPED_TRACE(std::string(kind) + " " + size);
      folder.write("large.ppm", std::string(kind) + "\n" + size + "\n255\n" + std::string(5000, 'x'));
      EXPECT_EQ(convoscope(folder, "filter large.ppm out.mkv"), 2);
      EXPECT_THAT(folder.read("err"), HasSubstr("'large.ppm' has pictures of "));
      EXPECT_EQ(convoscope(folder, "large.ppm" + offscreen), 2);
      EXPECT_THAT(folder.read("err"), HasSubstr("'large.ppm' has pictures of "));
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need more of it than that
// What is short is memory, whatever fails first for want of it.
TEST(LittleMemory, IsToldAsSuch) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25:d=1 -c:v libx264 in.mkv");
  for (const int megabytes : {250, 300, 350, 400, 450, 500, 550, 600, 660, 720, 780, 860, 940, 980, 1030, 1080, 1130})
    for (const std::string& what : {std::string("filter in.mkv out.mkv"), "in.mkv" + offscreen + "--frames 3"}) {
      SCOPED_TRACE(what + ", " + std::to_string(megabytes) + " MB");
      const int code = convoscope(folder, what, "ulimit -v " + std::to_string(1000 * megabytes) + "; ");
      if (code == 0 || code == 127) continue;  // 127: not even loaded
      EXPECT_EQ(code, 2) << folder.read("err");
      EXPECT_THAT(folder.read("err"), HasSubstr("not enough memory"));
    }
}
#endif

}  // namespace
}  // namespace convoscope
