// convoscope filter on photos and deep clips: which way up they are, and what is said of their depth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A photo that was taken with the camera on its side and seen in a mirror, by EXIF's tag: its picture is the other's.
TEST(FilterPhotos, StandUpright) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120 -frames:v 1 -q:v 2 flat.jpg");
  std::string bytes = contents(folder / "flat.jpg");
  bytes.insert(2, std::string("\xff\xe1\x00\x22"
                              "Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x07\0\0\0\0\0\0",
                              36));
  std::ofstream(folder / "turned.jpg", std::ios::binary) << bytes;
  for (const std::string name : {"flat", "turned"})
    EXPECT_EQ(convoscope(folder, "filter " + name + ".jpg " + name + ".png --filter identity"), 0)
        << folder.read("err");
  EXPECT_THAT(probe(folder / "turned.png", "-show_entries stream=width,height"), HasSubstr("120,160"));
  ffmpeg(folder, "-i flat.png -vf transpose=clock_flip -f rawvideo -pix_fmt rgba expected.raw");
  ffmpeg(folder, "-i turned.png -f rawvideo -pix_fmt rgba seen.raw");
  EXPECT_TRUE(contents(folder / "expected.raw") == contents(folder / "seen.raw"));
}

TEST(FilterPhotos, SayHowMuchOfTheDepthIsKept) {
  const Folder folder;
  const std::string clip = "-f lavfi -i testsrc2=s=64x48 -frames:v 1 -c:v ffv1 ";
  ffmpeg(folder, clip + "-pix_fmt yuv420p10le -color_trc smpte2084 deep.mkv");
  ffmpeg(folder, clip + "-pix_fmt yuv420p plain.mkv");
  EXPECT_EQ(convoscope(folder, "filter deep.mkv out.mkv"), 0);
  EXPECT_THAT(folder.read("err"), HasSubstr("; 8 of 10 bits kept, PQ taken for SDR."));
  EXPECT_EQ(convoscope(folder, "deep.mkv" + offscreen + "--stats stats.json"), 0);
  EXPECT_THAT(folder.read("stats.json"), AllOf(HasSubstr("\"bits\": 10,"), HasSubstr("\"bits_kept\": 8,"),
                                               HasSubstr("\"dynamic_range\": \"PQ\"")));
  EXPECT_EQ(convoscope(folder, "filter plain.mkv out.mkv"), 0);
  EXPECT_THAT(folder.read("err"), Not(HasSubstr("kept")));
}

}  // namespace
}  // namespace convoscope
