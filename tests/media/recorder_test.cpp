#include "app/media/write/recorder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/files/file_names.h"
#include "app/media/write/encoder.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"
#include "tests/media/media_test.h"
#include "tests/media/recorder_test.h"

namespace convoscope::test {
namespace {

struct RecordingKind {
  const char* file;
  bool lossless;
  int width, height;
};
class Recording : public testing::TestWithParam<RecordingKind> {};

TEST_P(Recording, HoldsEveryFrame) {
  const RecordingKind kind = GetParam();
  const std::string path = fresh_folder("recorder-" + std::string(kind.file)) + "/" + kind.file;
  RecordingSettings settings = settings_for(path, kind.width, kind.height);
  if (kind.lossless) settings.codec = RecordingCodec::ffv1;
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(lender.lend(*recorder, i, i / 25.0));
  recorder->finish();
  EXPECT_TRUE(lender.all_given_back());
  EXPECT_EQ(recorder->frames_written(), 60);
  EXPECT_EQ(recorder->error(), "");
  EXPECT_FALSE(recorder->encoder().empty());

  EXPECT_EQ(probe(path, "stream=nb_read_frames"), "60");
  const int width = kind.lossless ? kind.width : (kind.width + 1) / 2 * 2,
            height = kind.lossless ? kind.height : (kind.height + 1) / 2 * 2;
  EXPECT_EQ(probe(path, "stream=width,height"), std::to_string(width) + "," + std::to_string(height));
  EXPECT_NEAR(std::stod(probe(path, "format=duration")), 60 / 25.0, 0.05);
  const std::string tags = output_of("ffprobe -v error -show_entries format_tags '" + path + "'");
  EXPECT_NE(tags.find("convoscope test"), std::string::npos) << tags;
  EXPECT_NE(tags.find("gaussian:radius=4"), std::string::npos) << tags;
  if (!kind.lossless) {
    EXPECT_EQ(probe(path, "stream=color_range,color_space"), "tv,bt709");
  }

  const auto player = open(path);
  const std::vector<VideoFrame> frames = play(*player);
  ASSERT_EQ(frames.size(), 60u);
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(code_of(frames[static_cast<std::size_t>(i)]), i);
    EXPECT_NEAR(frames[static_cast<std::size_t>(i)].seconds, i / 25.0, 0.0011);
    // The colours come back: exactly without loss, nearly with.
    const auto* pixel = static_cast<const std::uint8_t*>(frames[static_cast<std::size_t>(i)].planes[0]);
    EXPECT_NEAR(pixel[0], i & 1 ? 220 : 30, kind.lossless ? 0 : 6);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Recording,
                         testing::Values(RecordingKind{"a.mp4", false, 128, 64}, RecordingKind{"a.mkv", false, 128, 64},
                                         RecordingKind{"odd.mp4", false, 127, 63},
                                         RecordingKind{"lossless.mkv", true, 127, 63}),
                         [](const auto& parameter) {
                           std::string name = parameter.param.file;
                           name[name.find('.')] = '_';
                           return name;
                         });

TEST(Recorder, TimesAreThoseGiven) {
  const std::string path = fresh_folder("recorder-times") + "/times.mkv";
  const RecordingSettings settings = settings_for(path);
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  const double given[] = {0, 0.04, 0.2, 0.25, 0.29, 0.33};
  for (int i = 0; i < 6; ++i) lender.lend(*recorder, i, given[i]);
  recorder->finish();
  const auto player = open(path);
  const std::vector<VideoFrame> frames = play(*player);
  ASSERT_EQ(frames.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(frames[i].seconds, given[i], 0.002);
}

// Five pictures of a second each, then a second of thirty; and the other way round. Read back without a guess at a
// rate: the average would make converters leave pictures out.
TEST(Recorder, PicturesThatComeAtAnyTimeLastAsLongAsTheyDid) {
  const std::string folder = fresh_folder("recorder-variable");
  for (const char* const name : {"/v.mkv", "/v.mp4"})
    for (const bool slow_first : {true, false}) {
      SCOPED_TRACE(std::string(name) + (slow_first ? ", slow ones first" : ", slow ones last"));
      RecordingSettings settings = settings_for(folder + name);
      settings.rate = 35.0 / 6;
      Lender lender(settings);
      const auto recorder = Recorder::open(settings);
      double time = 0;
      for (int i = 0; i < 35; ++i) {
        lender.lend(*recorder, i, time);
        time += (slow_first ? i < 5 : i >= 30) ? 1 : 1 / 30.0;
      }
      recorder->finish();
      EXPECT_NEAR(
          std::stod(output_of("ffprobe -v error -show_entries format=duration -of csv=p=0 '" + settings.path + "'")), 6,
          0.002);
      EXPECT_EQ(probe(settings.path, "stream=r_frame_rate"), "30/1");
    }
}

TEST(Recorder, NothingWaitsForASlowEncoder) {
  const std::string path = fresh_folder("recorder-full") + "/a.mkv";
  RecordingSettings settings = settings_for(path, 640, 360);
  settings.codec = RecordingCodec::ffv1;  // noise without loss takes far longer to encode than to make
  Lender lender(settings);
  lender.noisy = true;
  const auto recorder = Recorder::open(settings);
  int refused = 0, taken = 0;
  for (int i = 0; i < 500 && refused == 0; ++i) ++(lender.lend(*recorder, i, i / 25.0, false) ? taken : refused);
  EXPECT_GT(refused, 0);
  recorder->finish();
  EXPECT_EQ(recorder->frames_written(), taken);
  EXPECT_FALSE(lender.lend(*recorder, 1, 100)) << "a finished recording takes no more";
  EXPECT_TRUE(lender.all_given_back());
}

TEST(Recorder, AKilledProgramLeavesAPlayableFile) {
  for (const char* name : {"killed.mp4", "killed.mkv"}) {
    const std::string path = fresh_folder(std::string("recorder-") + name) + "/" + name;
    const pid_t child = ::fork();
    if (child == 0) {
      const RecordingSettings settings = settings_for(path);
      Lender lender(settings);
      const auto recorder = Recorder::open(settings);
      for (int i = 0; i < 200; ++i) lender.lend(*recorder, i, i / 25.0);
      while (recorder->frames_written() < 150) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    EXPECT_FALSE(std::filesystem::exists(path)) << "the name of a whole one";
    const std::string part = part_name(path);
    const auto player = open(part);
    const std::vector<VideoFrame> frames = play(*player);
    EXPECT_GE(frames.size(), 125u) << name;  // of at least 150, all but the last second
    for (std::size_t i = 0; i < frames.size(); ++i) ASSERT_EQ(code_of(frames[i]), static_cast<int>(i));
    EXPECT_EQ(run("ffmpeg -nostdin -v error -i '" + part + "' -f null - 2>/dev/null"), 0);
  }
}

TEST(Recorder, WhatWasLeftAndPlaysNowIsNotOverwritten) {
  const std::string path = fresh_folder("recorder-plays") + "/a.mkv", part = part_name(path);
  {
    const RecordingSettings settings = settings_for(path);
    Lender lender(settings);
    const auto recorder = Recorder::open(settings);
    for (int i = 0; i < 5; ++i) lender.lend(*recorder, i, i / 25.0);
    recorder->close(false);
    recorder->finish();
    EXPECT_EQ(recorder->where_left(), "'" + std::filesystem::canonical(part).string() + "'");
  }
  const auto draft_now = [&] { return OutputFile(path, OutputFile::Use::part_until_whole).draft(); };
  if (::getxattr(part.c_str(), "user.convoscope.part", nullptr, 0) < 0) GTEST_SKIP() << "no attributes are kept";
  auto player = open(part);
  EXPECT_EQ(play(*player).size(), 5u);
  EXPECT_NE(draft_now(), part);
  EXPECT_TRUE(std::filesystem::exists(part));
  player.reset();
  EXPECT_EQ(draft_now(), part) << "nobody reads it any more";
}

void expect_refused(const RecordingSettings& settings) {
  try {
    Recorder::open(settings)->wait_until_open();
    ADD_FAILURE() << settings.path;
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.ends_with(".")) << text;
    EXPECT_GT(text.size(), 30u);
  }
}

TEST(Recorder, RefusesWhatCannotBe) {
  const std::string folder = fresh_folder("recorder-bad");
  for (const char* name : {"/a.avi", "/a", "/mkv", "/no/such/folder/a.mp4"})
    expect_refused(settings_for(folder + name));
  std::filesystem::create_directory(folder + "/folder.mp4");
  expect_refused(settings_for(folder + "/folder.mp4"));
  expect_refused(settings_for(folder + "/a.mkv", 0, 10));
  expect_refused(settings_for(folder + "/a.mkv", 10, 20000));
  RecordingSettings settings = settings_for(folder + "/a.mp4");
  settings.codec = RecordingCodec::ffv1;
  expect_refused(settings);
  settings.codec = RecordingCodec::automatic;
  for (const double rate : {0.0, -5.0, std::nan(""), 1e9}) {
    settings.rate = rate;
    expect_refused(settings);
  }
}

TEST(Recorder, AFullDiskIsSaidAndNothingHangs) {
  const std::string folder = fresh_folder("recorder-disk");
  for (const char* name : {"/full.mp4", "/full.mkv"}) {
    std::filesystem::create_symlink("/dev/full", folder + name);
    expect_refused(settings_for(folder + name));
  }
}

TEST(Recorder, ADiskThatFillsLeavesWhatWasWritten) {
  const std::string folder = fresh_folder("recorder-small-disk");
  if (run("mount -t tmpfs -o size=300k tmpfs '" + folder + "' 2>/dev/null") != 0)
    GTEST_SKIP() << "may not mount a small disk";
  for (const char* name : {"/a.mkv", "/a.mp4"}) {
    const std::string path = folder + name;
    RecordingSettings settings = settings_for(path);
    Lender lender(settings);
    lender.noisy = true;
    const auto recorder = Recorder::open(settings);
    int i = 0;
    for (; i < 2000 && recorder->error().empty(); ++i) lender.lend(*recorder, i, i / 25.0);
    EXPECT_LT(i, 2000);
    EXPECT_NE(recorder->error().find("No space left"), std::string::npos) << recorder->error();
    EXPECT_THROW(recorder->finish(), Error);
    EXPECT_TRUE(lender.all_given_back());
    EXPECT_FALSE(std::filesystem::exists(path)) << "the name of a whole one";
    const auto player = open(part_name(path));
    EXPECT_GT(play(*player).size(), 5u) << player->stats().error;
    std::filesystem::remove(part_name(path));
  }
  run("umount '" + folder + "'");
}

TEST(Recorder, AFolderThatGoesIsSaidWithinSeconds) {
  const std::string folder = fresh_folder("recorder-gone");
  const RecordingSettings settings = settings_for(folder + "/a.mkv");
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  recorder->wait_until_open();
  lender.lend(*recorder, 1, 0);
  std::filesystem::remove_all(folder);
  for (int i = 1; i < 500 && recorder->error().empty(); ++i) {
    lender.lend(*recorder, 2, i * 0.04);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_NE(recorder->error().find("deleted"), std::string::npos) << recorder->error();
  EXPECT_THROW(recorder->finish(), Error);
}

TEST(Recorder, AFileThatGoesAtTheEndIsSaid) {
  const std::string folder = fresh_folder("recorder-gone-late");
  const RecordingSettings settings = settings_for(folder + "/a.mkv");
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  lender.lend(*recorder, 1, 0);
  recorder->wait_until_open();
  std::filesystem::remove_all(folder);
  EXPECT_THROW(recorder->finish(), Error);
}

TEST(Recorder, FallsBackWhenNvencIsMissing) {
  RecordingSettings settings = settings_for(fresh_folder("recorder-nvenc") + "/a.mp4");
  settings.prefer_nvenc = true;
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  recorder->wait_until_open();
  if (recorder->encoder() != "h264_nvenc") {
    EXPECT_NE(recorder->encoder().find("h264_nvenc:"), std::string::npos) << recorder->encoder();
  }
  for (int i = 0; i < 5; ++i) lender.lend(*recorder, i, i / 25.0);
  recorder->finish();
  EXPECT_EQ(recorder->frames_written(), 5);
}

TEST(Recorder, HevcWhereThisFFmpegHasIt) {
  for (const char* name : {"/a.mp4", "/a.mkv"}) {
    const std::string path = fresh_folder("recorder-hevc") + name;
    RecordingSettings settings = settings_for(path);
    settings.codec = RecordingCodec::hevc;
    Lender lender(settings);
    const auto recorder = Recorder::open(settings);
    for (int i = 0; i < 30; ++i) lender.lend(*recorder, i, i / 25.0);
    recorder->finish();
    EXPECT_EQ(probe(path, "stream=codec_name,nb_read_frames"), "hevc,30");
  }
}

TEST(Recorder, PresetsAreFasterForMorePixels) {
  const double hd30 = 1920 * 1080 * 30, uhd60 = 3840.0 * 2160 * 60;
  EXPECT_STREQ(preset_for(RecordingCodec::h264, 0, 1), "veryfast");
  EXPECT_STREQ(preset_for(RecordingCodec::h264, hd30, 16), "veryfast");
  EXPECT_STREQ(preset_for(RecordingCodec::h264, uhd60, 16), "ultrafast");
  EXPECT_STREQ(preset_for(RecordingCodec::hevc, uhd60, 16), "ultrafast");
}

// A clip of 4 s with a tone that becomes one octave higher after 2 s.

}  // namespace
}  // namespace convoscope::test
