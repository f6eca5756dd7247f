// Sound alone: its waveform is the picture.
#include "app/media/sound/sound_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "app/media/ffmpeg/stream_choice.h"
#include "app/media/write/whole_file.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

constexpr int middle = sound_picture_width / 2;

// Nothing in the first second; then the left channel stays at a half, and the right one at minus a half.
std::string step_sound(const std::string& file, const std::string& options = "") {
  return made_file(file, "ffmpeg -nostdin -v error -y -f lavfi -i \"aevalsrc='gte(t,1)/2|-gte(t,1)/2':s=48000:d=2\" " +
                             options + " OUT");
}

std::uint32_t pixel_of_sound(const VideoFrame& frame, int x, int y) {
  const auto* row = static_cast<const std::uint8_t*>(frame.planes[0]) + static_cast<std::size_t>(y) * frame.pitch[0];
  const auto* pixel = row + static_cast<std::size_t>(x) * 4;
  return static_cast<std::uint32_t>(pixel[0] << 16 | pixel[1] << 8 | pixel[2]);
}

// The height of what is drawn there of the upper or the lower half, from 1 to -1.
double height_of(const VideoFrame& frame, int x, int channel) {
  const int rows = sound_picture_height / 2, from = channel * rows;
  const double centre = (rows - 1) / 2.0;
  for (int y = 0; y < rows; ++y)
    if (y != std::lround(centre) && pixel_of_sound(frame, x, from + y) != pixel_of_sound(frame, x, from))
      return (centre - y) / centre;
  return 0;
}

TEST(SoundPicture, ShowsASecondAroundThePresent) {
  const auto player = open(step_sound("step.wav"));
  const std::vector<VideoFrame> frames = play(*player);
  ASSERT_EQ(frames.size(), 2u * sound_picture_rate);
  const SourceStats stats = player->stats();
  EXPECT_EQ(stats.width, sound_picture_width);
  EXPECT_EQ(stats.height, sound_picture_height);
  EXPECT_EQ(stats.frames, 120);
  EXPECT_DOUBLE_EQ(stats.duration, 2);
  EXPECT_TRUE(stats.seekable);
  EXPECT_FALSE(stats.cut_short);
  EXPECT_NE(stats.description.find("waveform of one second"), std::string::npos) << stats.description;
  EXPECT_NE(stats.description.find("stereo"), std::string::npos) << stats.description;
  const VideoFrame& at_step = frames[60];
  for (const int channel : {0, 1}) {
    EXPECT_NEAR(height_of(at_step, middle - 3, channel), 0, 0.01);
    EXPECT_NEAR(height_of(at_step, middle + 3, channel), channel == 0 ? 0.5 : -0.5, 0.01);
  }
  // A tenth of a second later the step is further to the left by so much.
  EXPECT_NEAR(height_of(frames[66], middle - 96 + 3, 0), 0.5, 0.01);
  EXPECT_NEAR(height_of(frames[66], middle - 96 - 3, 0), 0, 0.01);
}

TEST(SoundPicture, IsTheSameAfterAJump) {
  const auto player = open(step_sound("step.flac"));
  const std::vector<VideoFrame> frames = play(*player);
  ASSERT_EQ(frames.size(), 120u);
  for (const int number : {100, 3, 61}) {
    player->seek_frame(number);
    const std::optional<VideoFrame> frame = player->next_frame(once());
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->number, number);
    EXPECT_DOUBLE_EQ(frame->seconds, number / 60.0);
    EXPECT_EQ(hash_of(*frame), hash_of(frames[static_cast<std::size_t>(number)])) << number;
  }
  player->seek_seconds(1.5);
  EXPECT_EQ(player->next_frame(once())->number, 90);
  player->seek_seconds(500);
  EXPECT_FALSE(player->next_frame(once()));
}

TEST(SoundPicture, IsDrawnOfEveryKindOfSound) {
  const std::string cover = made_file("cover.png",
                                      "ffmpeg -nostdin -v error -y -f lavfi -i color=red:s=32x32 "
                                      "-frames:v 1 OUT");
  for (const auto& [file, options] : std::initializer_list<std::pair<const char*, std::string>>{
           {"tone.mp3", ""},
           {"tone.ogg", ""},
           {"tone.opus", ""},
           {"tone.m4a", ""},
           {"tone.aac", ""},
           {"tone.mka", "-c:a flac"},
           {"tone-covered.m4a", "-i '" + cover + "' -map 0 -map 1 -c:v png -disposition:v attached_pic"}}) {
    const auto player = open(
        made_file(file, "ffmpeg -nostdin -v error -y -f lavfi -i \"sine=f=440:d=2,volume=6\" " + options + " OUT"));
    const std::vector<VideoFrame> frames = play(*player);
    EXPECT_NEAR(static_cast<double>(frames.size()), 120, 10) << file;
    EXPECT_EQ(player->stats().frames, static_cast<std::int64_t>(frames.size())) << file;
    EXPECT_EQ(player->stats().error, "");
    ASSERT_GT(frames.size(), 70u) << file;
    EXPECT_GT(std::abs(height_of(frames[66], middle + 100, 0)), 0.3) << file;
    EXPECT_FALSE(player->take_error()) << file;
  }
}

TEST(SoundPicture, OfSoundThatIsCutOffPlaysWhatIsThere) {
  std::ifstream whole(step_sound("step.wav"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  const std::string path = fresh_folder("cut-sound") + "/cut.wav";
  std::ofstream(path, std::ios::binary) << bytes.substr(0, 44 + 48000 * 4);
  const auto player = open(path);
  EXPECT_NEAR(static_cast<double>(play(*player).size()), 60, 1);
  EXPECT_TRUE(player->stats().cut_short);
  EXPECT_EQ(player->stats().frames, 60);
  const std::optional<std::string> said = player->take_error();
  ASSERT_TRUE(said);
  EXPECT_NE(said->find("cut.wav' is cut off: it ends before its contents do."), std::string::npos) << *said;
}

TEST(SoundPicture, IsNotWhatFilterReads) {
  Interrupt interrupt;
  WholeFileSettings settings;
  settings.input = step_sound("step.wav");
  settings.output = "unused.mp4";
  EXPECT_THROW(WholeFile::open(settings, interrupt), SoundAlone);
}

}  // namespace
}  // namespace convoscope::test
