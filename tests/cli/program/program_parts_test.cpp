// A final name means a whole file: what could not be finished is a part, which the next run overwrites, and no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"
#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class KilledFilter : public testing::Test {
 protected:
  KilledFilter() {
    ffmpeg(folder_, "-f lavfi -i testsrc2=s=320x240:r=25:d=40 -c:v libx264 -preset ultrafast long.mp4");
    ffmpeg(folder_, "-i long.mp4 -c copy -frames:v 9 short.mp4");
  }
  // As the kernel does where memory is short, once there is that file.
  void kill_filter(const std::string& output, const std::string& once) {
    EXPECT_EQ(bash(folder_.path(), "\"$CONVOSCOPE\" filter long.mp4 " + output + options_ + "2>err & p=$!; " +
                                       "for i in $(seq 3000); do [ -s " + once + " ] && break; sleep 0.01; done; " +
                                       "kill -KILL $p; wait $p"),
              137);
  }
  bool has(const std::string& name) const { return fs::exists(folder_ / name); }

  const Folder folder_;
  const std::string options_ = " --backend cpu --filter box:radius=3 --strategy cpu-direct ";
};

TEST_F(KilledFilter, LeavesAPartThatTheNextRunTakesThePlaceOf) {
  for (const std::string out : {"a.mp4", "a.mkv", "a.y4m"}) {
    SCOPED_TRACE(out);
    kill_filter(out, part_of(out));
    EXPECT_FALSE(has(out)) << "the next job would take it for done";
    EXPECT_TRUE(has(part_of(out)));
    EXPECT_EQ(convoscope(folder_, "filter short.mp4 " + out + options_), 0) << folder_.read("err");
    EXPECT_EQ(times(folder_ / out).size(), 9u);
    EXPECT_FALSE(has(part_of(out))) << "which was its own";
  }
}

TEST_F(KilledFilter, LeavesNoPictureThatIsNotWhole) {
  kill_filter("f%d.png", "f3.png");
  std::size_t pictures = 0;
  while (has("f" + std::to_string(pictures + 1) + ".png")) ++pictures;
  EXPECT_GE(pictures, 3u);
  EXPECT_EQ(times(folder_ / "f%d.png").size(), pictures);
  EXPECT_EQ(bash(folder_.path(), "ffmpeg -nostdin -v error -xerror -i f%d.png -f null - 2>err"), 0)
      << folder_.read("err");
}

TEST_F(KilledFilter, LeavesTheFilesOfOthers) {
  folder_.write("a.part.mkv", "mine");
  kill_filter("a.mkv", "a.part-2.mkv");
  EXPECT_EQ(convoscope(folder_, "filter short.mp4 a.mkv" + options_), 0) << folder_.read("err");
  EXPECT_EQ(folder_.read("a.part.mkv"), "mine");
  EXPECT_FALSE(has("a.part-2.mkv"));
  EXPECT_EQ(times(folder_ / "a.mkv").size(), 9u);
}

// What was left may be all that there is of it.
TEST_F(KilledFilter, LeavesAPartThatCanBeFilteredItself) {
  kill_filter("a.y4m", "a.part.y4m");
  std::ofstream(folder_ / "a.part.y4m", std::ios::app) << "FRAME\nso far";
  const std::string part = folder_.read("a.part.y4m");
  EXPECT_EQ(convoscope(folder_, "filter a.part.y4m a.y4m" + options_), 3) << "its last picture is cut";
  EXPECT_TRUE(folder_.read("a.part.y4m") == part) << "it is the input";
  EXPECT_THAT(folder_.read("err"), HasSubstr("a.part-2.y4m'"));
}

// A recording offscreen: at its beginning, when there are pictures, and asked to end.
// Of another size or not, the second has no place in a file of one; nobody has taken the first away.
TEST(OnePicture, TakesNoSecondWhateverItsSize) {
  const Folder folder;
  ffmpeg(folder,
         "-f lavfi -i testsrc2=s=64x48 -frames:v 1 a.jpg -f lavfi -i testsrc2=s=32x24 -frames:v 1 -map 1 b.jpg");
  ASSERT_EQ(bash(folder.path(), "cat a.jpg b.jpg > two.mjpeg"), 0);
  EXPECT_EQ(convoscope(folder, "filter two.mjpeg two.png --backend cpu --filter identity"), 2);
  EXPECT_THAT(folder.read("err"), HasSubstr("takes one picture, but the input has more"));
  EXPECT_FALSE(fs::exists(folder / "two.png"));
  EXPECT_TRUE(fs::exists(folder / "two.part.png"));
}

TEST(KilledRecording, LeavesOnePartAndNoWholeName) {
  const Folder folder;
  const std::string recording = "\"$CONVOSCOPE\" pattern --size 320x240 --record r.mp4" + offscreen;
  for (const auto& [signal, bytes, code] :
       {std::tuple{"KILL", "0", 137}, {"KILL", "20000", 137}, {"TERM", "20000", 143}}) {
    SCOPED_TRACE(std::string(signal) + " at " + bytes + " bytes");
    EXPECT_EQ(bash(folder.path(),
                   "truncate -c -s 100 r.part.mp4; " + recording + "--frames 100000 2>err & p=$!; " +
                       "for i in $(seq 3000); do s=$(stat -c %s r.part.mp4 2>/dev/null || echo -1); [ $s -ge " + bytes +
                       " ] && break; sleep 0.01; done; kill -" + signal + " $p; wait $p"),
              code)
        << folder.read("err");
    EXPECT_FALSE(fs::exists(folder / "r.mp4")) << "the next job would take it for done";
    bash(folder.path(), "ls -d r.* .r.* 2>/dev/null > made");
    EXPECT_EQ(folder.read("made"), "r.part.mp4\n") << "nothing piles up";
  }
  EXPECT_GT(times(folder / "r.part.mp4").size(), 0u);
  EXPECT_THAT(folder.read("err"), HasSubstr("r.part.mp4'"));
  EXPECT_EQ(bash(folder.path(), recording + "--frames 5 2>err"), 0) << folder.read("err");
  EXPECT_EQ(times(folder / "r.mp4").size(), 5u);
  EXPECT_FALSE(fs::exists(folder / "r.part.mp4")) << "which was its own";
}

}  // namespace
}  // namespace convoscope
