#include "app/media/write/recorder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/media/write/encoder.h"
#include "kernels/contract/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

// A picture that shows `code` as the coded clips do, in the recorder's layout.
void draw_coded(int code, const PicturePlanes& planes, int width, std::uint8_t* bytes) {
  for (int y = 0; y < planes.height; ++y)
    for (int x = 0; x < planes.width; ++x) {
      const int grey = code >> (8 * std::min(x, width - 1) / width) & 1 ? 220 : 30;
      std::uint8_t* row = bytes + static_cast<std::size_t>(y) * planes.pitch[0];
      if (planes.layout == PictureLayout::bgr0) {
        std::fill_n(row + 4 * static_cast<std::size_t>(x), 3, static_cast<std::uint8_t>(grey));
        continue;
      }
      row[x] = static_cast<std::uint8_t>(std::lround(16 + 219 * grey / 255.0));
      for (int plane = 1; plane < 3; ++plane)
        bytes[planes.offset[plane] + static_cast<std::size_t>(y / 2) * planes.pitch[plane] +
              static_cast<std::size_t>(x / 2)] = 128;
    }
}

// Lends pictures as the tap does, from a few buffers; to be declared before the recorder that borrows them.
class Lender {
 public:
  explicit Lender(const RecordingSettings& settings) : width_(settings.width) {}
  // `position`: of the source, whose time is the recording's unless it is given.
  bool lend(Recorder& recorder, int code, double seconds, bool wait = true, double position = -1) {
    for (std::size_t i = 0;; i = (i + 1) % in_use_.size()) {
      if (!wait && i == in_use_.size() - 1 && in_use_[i]) return false;
      if (in_use_[i]) {
        if (i == in_use_.size() - 1) std::this_thread::sleep_for(std::chrono::microseconds(200));
        continue;
      }
      bytes_[i].resize(recorder.planes().bytes);
      draw_coded(code, recorder.planes(), width_, bytes_[i].data());
      if (noisy)
        for (std::uint8_t& byte : bytes_[i])
          byte = static_cast<std::uint8_t>((state_ = state_ * 1664525 + 1013904223) >> 24);
      return recorder.add({bytes_[i].data(), seconds, position < 0 ? seconds : position, in_step, &in_use_[i]});
    }
  }
  bool all_given_back() const {
    return std::none_of(in_use_.begin(), in_use_.end(), [](const std::atomic<bool>& one) { return one.load(); });
  }
  bool noisy = false, in_step = true;

 private:
  int width_;
  std::uint32_t state_ = 1;
  std::array<std::vector<std::uint8_t>, 4> bytes_;
  std::array<std::atomic<bool>, 4> in_use_{};
};

RecordingSettings settings_for(const std::string& path, int width = 128, int height = 64) {
  RecordingSettings settings;
  settings.path = path;
  settings.width = width;
  settings.height = height;
  settings.rate = 25;
  settings.metadata = {{"title", "convoscope test"}, {"comment", "constant, gaussian:radius=4"}};
  return settings;
}

std::string probe(const std::string& path, const std::string& what) {
  std::string text = output_of("ffprobe -v error -count_frames -select_streams v -show_entries " + what +
                               " -of csv=p=0 '" + path + "'");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

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
    const auto player = open(path);
    const std::vector<VideoFrame> frames = play(*player);
    EXPECT_GE(frames.size(), 125u) << name;  // of at least 150, all but the last second
    for (std::size_t i = 0; i < frames.size(); ++i) ASSERT_EQ(code_of(frames[i]), static_cast<int>(i));
    EXPECT_EQ(run("ffmpeg -nostdin -v error -i '" + path + "' -f null - 2>/dev/null"), 0);
  }
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
    const auto player = open(path);
    EXPECT_GT(play(*player).size(), 5u) << player->stats().error;
    std::filesystem::remove(path);
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
std::string clip_with_sound(const std::string& folder, const char* name, const char* codec) {
  const std::string path = folder + "/" + name;
  EXPECT_EQ(run("ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=128x64:rate=25:duration=4 -f lavfi -i "
                "'aevalsrc=0.5*sin(2*PI*t*if(lt(t\\,2)\\,440\\,880)):d=4' -pix_fmt yuv420p -c:a " +
                std::string(codec) + " '" + path + "'"),
            0);
  return path;
}

// Zero crossings a second around `at`, halved: the tone's frequency.
double tone(const std::string& path, double at) {
  const std::string raw = output_of("ffmpeg -nostdin -v error -ss " + std::to_string(at) + " -t 0.2 -i '" + path +
                                    "' -vn -ac 1 -ar 8000 -f s16le -");
  int crossings = 0;
  const auto* samples = reinterpret_cast<const std::int16_t*>(raw.data());
  for (std::size_t i = 1; i < raw.size() / 2; ++i) crossings += (samples[i] > 0) != (samples[i - 1] > 0);
  return raw.size() < 2000 ? 0 : crossings / 2.0 / (static_cast<double>(raw.size()) / 2 / 8000);
}

TEST(Recorder, SoundFollowsThePicture) {
  const std::string folder = fresh_folder("recorder-sound");
  const std::string clip = clip_with_sound(folder, "clip.mp4", "aac");
  for (const char* name : {"/a.mp4", "/a.mkv"}) {
    RecordingSettings settings = settings_for(folder + name);
    settings.sound = clip;
    Lender lender(settings);
    const auto recorder = Recorder::open(settings);
    // One second of the clip from 1.5 s on.
    for (int i = 0; i < 26; ++i) lender.lend(*recorder, i, i / 25.0, true, 1.5 + i / 25.0);
    recorder->finish();
    EXPECT_EQ(recorder->note(), "; sound copied");
    EXPECT_NEAR(tone(settings.path, 0.15), 440, 40);
    EXPECT_NEAR(tone(settings.path, 0.7), 880, 60);
    EXPECT_EQ(probe(settings.path, "stream=nb_read_frames"), "26");
  }
}

TEST(Recorder, SoundIsLeftOutWhereThePictureStandsOrRuns) {
  const std::string folder = fresh_folder("recorder-no-sound");
  RecordingSettings settings = settings_for(folder + "/a.mkv");
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  Lender lender(settings);
  auto recorder = Recorder::open(settings);
  lender.in_step = false;
  for (int i = 0; i < 25; ++i) lender.lend(*recorder, i, i / 25.0, true, i / 10.0);
  recorder->finish();
  EXPECT_NE(recorder->note().find("without sound"), std::string::npos) << recorder->note();
  EXPECT_EQ(
      output_of("ffprobe -v error -select_streams a -show_entries packet=size -of csv=p=0 '" + settings.path + "'"),
      "");

  // Half a second from the start, a pause of a second, then half a second from 3 s on.
  lender.in_step = true;
  recorder = Recorder::open(settings);
  for (int i = 0; i <= 12; ++i) lender.lend(*recorder, i, i / 25.0, true, i / 25.0);
  for (int i = 0; i <= 12; ++i) {
    lender.in_step = i > 0;
    lender.lend(*recorder, i, 1.5 + i / 25.0, true, 3 + i / 25.0);
  }
  recorder->finish();
  EXPECT_NE(recorder->note().find("left out where"), std::string::npos) << recorder->note();
  EXPECT_NEAR(tone(settings.path, 0.1), 440, 40);
  EXPECT_NEAR(tone(settings.path, 1.7), 880, 60);
}

TEST(Recorder, SoundThatTheContainerCannotHoldIsSaid) {
  const std::string folder = fresh_folder("recorder-pcm");
  RecordingSettings settings = settings_for(folder + "/a.mp4");
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  for (int i = 0; i < 10; ++i) lender.lend(*recorder, i, i / 25.0);
  recorder->finish();
  EXPECT_NE(recorder->note().find("pcm_s16le"), std::string::npos) << recorder->note();
}

}  // namespace
}  // namespace convoscope::test
