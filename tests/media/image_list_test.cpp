// Folders and patterns of pictures played as clips, and small pictures of files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/media/read/thumbnail.h"
#include "app/media/write/whole_file.h"
#include "kernels/text/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

namespace fs = std::filesystem;

// shot0.png … shot11.png, each showing its number.
std::string shots(const std::string& name) {
  const std::string folder = fresh_folder(name);
  const std::string clip = coded_clip("shots.mkv", 12, "-c:v ffv1");
  EXPECT_EQ(run("ffmpeg -nostdin -v error -y -i '" + clip + "' -start_number 0 '" + folder + "/shot%d.png'"), 0);
  return folder;
}

std::vector<int> codes_of(const std::string& input, std::string* warning = nullptr) {
  const auto player = open(input);
  std::vector<int> codes;
  for (const VideoFrame& frame : play(*player)) codes.push_back(code_of(frame));
  if (warning) *warning = player->take_error().value_or("");
  return codes;
}

std::vector<int> up_to(int count) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i) all.push_back(i);
  return all;
}

TEST(ImageList, AFolderPlaysInTheOrderInWhichPeopleCount) {
  const std::string folder = shots("shots-folder");
  EXPECT_EQ(codes_of(folder), up_to(12)) << "shot2 comes before shot10";
  const auto player = open(folder);
  next(*player, paused());
  EXPECT_EQ(player->stats().frames, 12);
  EXPECT_TRUE(player->stats().seekable);
  EXPECT_NEAR(player->stats().duration, 12 / 25.0, 1e-6);
  player->seek_frame(7);
  const VideoFrame seventh = next(*player, paused());
  EXPECT_EQ(code_of(seventh), 7);
  EXPECT_EQ(seventh.number, 7);
  EXPECT_NEAR(seventh.seconds, 7 / 25.0, 1e-6);
  player->seek_seconds(3 / 25.0);
  EXPECT_EQ(code_of(next(*player, paused())), 3);
}

TEST(ImageList, AFolderIsWhatThereIsMostOfInIt) {
  const std::string folder = shots("shots-and-clips");
  std::ofstream(folder + "/making of.mp4") << "no clip";
  std::string warning;
  EXPECT_EQ(codes_of(folder, &warning), up_to(12));
  EXPECT_NE(warning.find("has 1 clip beside its pictures"), std::string::npos) << warning;
  for (int i = 0; i < 12; ++i) std::ofstream(folder + "/take " + std::to_string(i) + ".wav") << "no clip";
  const auto player = open(folder);
  EXPECT_TRUE(play(*player).empty());
  const ClipNames clips = player->stats().clips;
  ASSERT_TRUE(clips);
  ASSERT_EQ(clips->size(), 13u);
  EXPECT_EQ(clips->front(), folder + "/making of.mp4");
  EXPECT_EQ(clips->back(), folder + "/take 11.wav") << "behind take 2";
  Interrupt interrupt;
  WholeFileSettings settings;
  settings.input = folder;
  settings.output = "unused.mkv";
  try {
    WholeFile::open(settings, interrupt);
    ADD_FAILURE() << "it reads one clip";
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("is a folder of 13 clips, and one clip is read at a time."), std::string::npos) << said;
    EXPECT_NE(said.find("for clip in '" + folder + "'/*; do"), std::string::npos) << said;
  }
}

TEST(ImageList, AGapInTheNumbersAndADamagedPictureAreNoEnd) {
  const std::string folder = shots("shots-gap");
  fs::remove(folder + "/shot5.png");
  std::ofstream(folder + "/shot8.png") << "no picture";
  for (const std::string& input : {folder, folder + "/shot%d.png"})
    EXPECT_EQ(codes_of(input), (std::vector<int>{0, 1, 2, 3, 4, 6, 7, 9, 10, 11})) << input;
}

TEST(ImageList, AGapInASequenceIsNoDamage) {
  const std::string folder = shots("shots-numbers");
  fs::remove(folder + "/shot5.png");
  fs::copy(folder + "/shot6.png", folder + "/shot06.png");
  std::string warning;
  EXPECT_EQ(codes_of(folder + "/shot%d.png", &warning), (std::vector<int>{0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(warning, "");
  EXPECT_EQ(codes_of(folder + "/shot%02d.png"), (std::vector<int>{6, 10, 11}));
}

TEST(ImageList, APatternChoosesAmongTheNames) {
  const std::string folder = shots("shots-glob");
  EXPECT_EQ(codes_of(folder + "/shot1*.png"), (std::vector<int>{1, 10, 11}));
  EXPECT_EQ(codes_of(folder + "/shot[2-4].png"), (std::vector<int>{2, 3, 4}));
  const auto none = open(folder + "/*.webp");
  const auto error = wait_for_error(*none);
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("No picture has a name like"), std::string::npos) << *error;
}

TEST(ImageList, PicturesOfAnotherKindAreLeftOutAndNamed) {
  const std::string folder = shots("shots-mixed");
  EXPECT_EQ(run("ffmpeg -nostdin -v error -y -i '" + folder + "/shot0.png' '" + folder + "/other.jpg'"), 0);
  std::ofstream(folder + "/notes.txt") << "text";
  std::string warning;
  EXPECT_EQ(codes_of(folder, &warning), up_to(12));
  EXPECT_NE(warning.find("left out"), std::string::npos) << warning;
  WholeFileSettings settings;
  settings.input = folder;
  settings.output = folder + ".mkv";
  Interrupt interrupt;
  EXPECT_EQ(WholeFile::open(settings, interrupt)->take_warning(), warning);
}

TEST(ImageList, PicturesWithNamesOfTheirOwnAreShownOneASecond) {
  const std::string folder = shots("shots-named");
  fs::rename(folder + "/shot3.png", folder + "/beach.png");
  const auto player = open(folder);
  next(*player, paused());
  EXPECT_NEAR(player->stats().duration, 12, 1e-6);
}

TEST(ImageList, AnyNameOfAFolderWillDo) {
  const std::string folder = fresh_folder("odd names") + "/two\nlines \xff %d [x]";
  fs::rename(shots("shots-odd"), folder);
  EXPECT_EQ(codes_of(folder), up_to(12));
}

TEST(ImageList, IsFilteredAsAWholeFile) {
  WholeFileSettings settings;
  settings.input = shots("shots-whole");
  settings.output = settings.input + ".mkv";
  Interrupt interrupt;
  const auto whole = WholeFile::open(settings, interrupt);
  VideoFrame frame;
  int count = 0;
  PictureMoment moment;
  while (whole->read(frame, moment)) EXPECT_EQ(code_of(frame), count++);
  EXPECT_EQ(count, 12);
  EXPECT_EQ(whole->frames_expected(), 12);
}

TEST(Thumbnail, ShowsAPictureSomeWayIntoAVideo) {
  Interrupt interrupt;
  const std::string clip =
      coded_clip("thumbnail-keys.mp4", 100, "-c:v libx264 -pix_fmt yuv420p -g 10 -keyint_min 10 -sc_threshold 0");
  const ThumbnailPixels pixels = make_thumbnail(clip, 128, 72, interrupt);
  ASSERT_EQ(pixels.width, 128);
  ASSERT_EQ(pixels.height, 64);
  ASSERT_EQ(pixels.rgba.size(), 128u * 64 * 4);
  int code = 0;
  for (int bit = 0; bit < 8; ++bit)
    code |= (pixels.rgba[static_cast<std::size_t>(4 * (32 * 128 + (2 * bit + 1) * 8))] > 128) << bit;
  EXPECT_EQ(code, 10) << "the key frame at a tenth of its length";
}

TEST(Thumbnail, StandsUprightAndKeepsItsShape) {
  Interrupt interrupt;
  const std::string clip = coded_clip("thumbnail-source.mp4", 5, "-c:v libx264 -pix_fmt yuv420p");
  const std::string turned =
      made_file("thumbnail-turned.mp4", "ffmpeg -nostdin -v error -y -display_rotation 90 -i '" + clip +
                                            "' -c copy OUT"
                                            " || ffmpeg -nostdin -v error -y -i '" +
                                            clip + "' -c copy -metadata:s:v rotate=90 OUT");
  const ThumbnailPixels pixels = make_thumbnail(turned, 128, 72, interrupt);
  EXPECT_EQ(pixels.height, 72);
  EXPECT_EQ(pixels.width, 36) << "twice as high as wide";
}

TEST(Thumbnail, IsEmptyForWhatShowsNothing) {
  Interrupt interrupt;
  EXPECT_EQ(make_thumbnail("/nowhere/a.mp4", 128, 72, interrupt).width, 0);
  const std::string junk = fresh_folder("junk") + "/junk.mp4";
  std::ofstream(junk) << std::string(10000, 'x');
  EXPECT_EQ(make_thumbnail(junk, 128, 72, interrupt).width, 0);
  interrupt.stop = true;
  const std::string clip =
      coded_clip("thumbnail-keys.mp4", 100, "-c:v libx264 -pix_fmt yuv420p -g 10 -keyint_min 10 -sc_threshold 0");
  EXPECT_EQ(make_thumbnail(clip, 128, 72, interrupt).width, 0);
}

}  // namespace
}  // namespace convoscope::test
