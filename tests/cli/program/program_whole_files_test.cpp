// convoscope filter from the first frame to the last: the same on every backend, and next to ffmpeg's own arithmetic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* clip_of_bt709 =
    "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -vf noise=alls=8:allf=t -c:v libx264 -bf 2 -pix_fmt yuv420p "
    "-colorspace bt709 -color_range tv ";

// The largest difference of two files' code values, and how many they have.
int furthest(const Folder& folder, const std::string& a, const std::string& b, const std::string& planes = "") {
  const auto values_of = [&](const std::string& name) {
    return output_of("ffmpeg -v error -i '" + (folder / name) + "' " + planes + " -f rawvideo -");
  };
  const std::string one = values_of(a), other = values_of(b);
  EXPECT_EQ(one.size(), other.size());
  EXPECT_FALSE(one.empty());
  int most = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    most = std::max(most, std::abs(static_cast<unsigned char>(one[i]) - static_cast<unsigned char>(other[i])));
  return most;
}

TEST(WholeFiles, AreTheSameOnEveryBackend) {
  const Folder folder;
  ffmpeg(folder, std::string(clip_of_bt709) + "-s 46x34 -frames:v 2 in.mp4");
  for (const std::string filter : {"gaussian:radius=1", "sharpen"})
    for (const std::string out : {"y4m", "mkv --lossless", "y4m --lossless", "y4m --format gray32f"}) {
      if (filter == "sharpen" && out != "y4m") continue;
      SCOPED_TRACE(filter + " to " + out);
      const std::string ending = out.substr(0, 3), options = out.substr(3);
      for (const std::string backend : {"cpu", "emulated"})
        ASSERT_EQ(convoscope(folder, "filter in.mp4 " + backend + "." + ending + " --filter " + filter + options +
                                         " --backend " + backend),
                  0)
            << folder.read("err");
      EXPECT_LE(furthest(folder, "cpu." + ending, "emulated." + ending), 1);
    }
}

// What a mean does to Y of any file, ffmpeg does to the plane.
TEST(WholeFiles, AMeanOfLumaIsThatOfFfmpeg) {
  const Folder folder;
  ffmpeg(folder, std::string(clip_of_bt709) + "-s 1280x720 -frames:v 2 in.mp4");
  ffmpeg(folder,
         "-i in.mp4 -vf \"convolution=0m='1 1 1 1 1 1 1 1 1':0rdiv=1/9:0bias=0\" -pix_fmt yuv420p -f yuv4mpegpipe "
         "theirs.y4m");
  ASSERT_EQ(convoscope(folder, "filter in.mp4 ours.y4m --filter box:radius=1 --border mirror --backend cpu"), 0);
  EXPECT_THAT(folder.read("err"), HasSubstr("on Y, U and V"));
  // Its border is another one.
  EXPECT_LE(furthest(folder, "ours.y4m", "theirs.y4m", "-vf extractplanes=y,crop=1200:700 -pix_fmt gray"), 1);
}

TEST(WholeFiles, WhatIsEncodedStaysYuvWhereThatMeansTheSame) {
  const Folder folder;
  ffmpeg(folder, std::string(clip_of_bt709) + "in.mp4");
  ffmpeg(folder, "-i in.mp4 -c:v libx264 -colorspace smpte170m other.mp4");
  const std::string options = " --filter box:radius=1 --backend cpu";
  ASSERT_EQ(convoscope(folder, "filter in.mp4 out.mp4" + options), 0);
  EXPECT_THAT(folder.read("err"), HasSubstr("on Y, U and V, as libx264"));
  ASSERT_EQ(convoscope(folder, "filter other.mp4 out.mp4" + options), 0);
  EXPECT_THAT(folder.read("err"), Not(HasSubstr("on Y, U and V")));
  ASSERT_EQ(convoscope(folder, "filter in.mp4 out.mkv --lossless" + options), 0);
  EXPECT_THAT(folder.read("err"), Not(HasSubstr("on Y, U and V")));
}

TEST(WholeFiles, TheStepThatTheOthersWaitForIsNamed) {
  const Folder folder;
  ffmpeg(folder, std::string(clip_of_bt709) + "in.mp4");
  ASSERT_EQ(convoscope(folder, "filter in.mp4 out.y4m --filter disk:radius=10 --strategy cpu-direct --backend cpu"), 0);
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("Wrote 10 frames"), HasSubstr(". Filtering set the pace.\n")));
  // 9,222 bytes a frame: more than a pipe holds comes after what is read at last. The reader rests from the first byte
  // on, however long the program takes to begin.
  ASSERT_EQ(bash(folder.path(),
                 "ffmpeg -v error -stream_loop 3 -i in.mp4 -c copy long.mp4; \"$CONVOSCOPE\" filter long.mp4 - "
                 "--filter identity --backend cpu 2>err | (head -c 1; sleep 1; cat) >/dev/null"),
            0);
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("Wrote 40 frames"), HasSubstr(". Writing set the pace.\n")));
}

TEST(WholeFiles, AreTimedStepByStep) {
  const Folder folder;
  ffmpeg(folder, std::string(clip_of_bt709) + "in.mp4");
  ASSERT_EQ(
      convoscope(folder, "bench --file in.mp4 --encode --backend cpu --filter gaussian:radius=2 --json rows.json"), 0)
      << folder.read("err");
  EXPECT_THAT(folder.read("out"),
              AllOf(HasSubstr("'in.mp4', 10 frames of 96 × 64; gaussian:radius=2"), HasSubstr("decoding alone"),
                    HasSubstr("cpu, to y4m"), HasSubstr("cpu, to .mp4"), HasSubstr("set the pace")));
  const auto json = nlohmann::json::parse(folder.read("rows.json"));
  ASSERT_EQ(json["rows"].size(), 3u);
  for (const auto& row : json["rows"]) {
    EXPECT_EQ(row["frames"], 10);
    EXPECT_GT(row["seconds"], 0);
  }
  EXPECT_GT(json["rows"][1]["filter_s"], 0);
  for (const std::string wrong : {"bench --file", "bench --file --frame in.mp4", "bench --file in.mp4 --radius 2",
                                  "bench --file none.mp4 --backend cpu", "bench --encode"})
    EXPECT_EQ(convoscope(folder, wrong), 2) << wrong;
}

}  // namespace
}  // namespace convoscope
