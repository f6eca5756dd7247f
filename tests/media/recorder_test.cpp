#include "app/media/recorder.h"

#include <gtest/gtest.h>
#include <png.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kernels/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

// A picture that shows `code` as the coded clips do.
std::vector<std::uint8_t> coded_picture(int code, int width, int height, std::size_t pitch) {
  std::vector<std::uint8_t> pixels(pitch * static_cast<std::size_t>(height), 99);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      std::uint8_t* pixel = pixels.data() + static_cast<std::size_t>(y) * pitch + 4 * static_cast<std::size_t>(x);
      std::fill_n(pixel, 3, code >> (8 * x / width) & 1 ? std::uint8_t{220} : std::uint8_t{30});
      pixel[3] = 255;
    }
  return pixels;
}

RecordingSettings settings_for(const std::string& path, int width = 128, int height = 64) {
  RecordingSettings settings;
  settings.path = path;
  settings.width = width;
  settings.height = height;
  settings.rate = 25;
  settings.metadata = {{"title", "convoscope test"}, {"comment", "constant, gaussian:radius=4"}};
  return settings;
}

void add(Recorder& recorder, const RecordingSettings& settings, int code, double seconds) {
  const std::size_t pitch = static_cast<std::size_t>(settings.width) * 4 + 16;
  auto pixels = coded_picture(code, settings.width, settings.height, pitch);
  EXPECT_TRUE(recorder.add({pixels.data(), settings.width, settings.height, pitch, PixelFormat::rgba8}, seconds, true));
}

std::string probe(const std::string& path, const std::string& what) {
  std::string text = output_of("ffprobe -v error -count_frames -select_streams v -show_entries " + what +
                               " -of csv=p=0 '" + path + "'");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

struct Kind {
  const char* file;
  bool lossless;
  int width, height;
};
class Recording : public testing::TestWithParam<Kind> {};

TEST_P(Recording, HoldsEveryFrame) {
  const Kind kind = GetParam();
  const std::string path = fresh_folder("recorder-" + std::string(kind.file)) + "/" + kind.file;
  RecordingSettings settings = settings_for(path, kind.width, kind.height);
  settings.lossless = kind.lossless;
  const auto recorder = Recorder::open(settings);
  for (int i = 0; i < 60; ++i) add(*recorder, settings, i, 3 + i / 25.0);
  recorder->finish();
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
                         testing::Values(Kind{"a.mp4", false, 128, 64}, Kind{"a.mkv", false, 128, 64},
                                         Kind{"odd.mp4", false, 127, 63}, Kind{"lossless.mkv", true, 127, 63}),
                         [](const auto& parameter) {
                           std::string name = parameter.param.file;
                           name[name.find('.')] = '_';
                           return name;
                         });

TEST(Recorder, TimesAreThoseGiven) {
  const std::string path = fresh_folder("recorder-times") + "/times.mkv";
  const RecordingSettings settings = settings_for(path);
  const auto recorder = Recorder::open(settings);
  // Uneven steps, then a jump back as a loop makes it.
  const double given[] = {10, 10.04, 10.2, 10.25, 2, 2.04};
  for (int i = 0; i < 6; ++i) add(*recorder, settings, i, given[i]);
  recorder->finish();
  const auto player = open(path);
  const std::vector<VideoFrame> frames = play(*player);
  const double expected[] = {0, 0.04, 0.2, 0.25, 0.29, 0.33};
  ASSERT_EQ(frames.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(frames[i].seconds, expected[i], 0.002);
}

TEST(Recorder, WithoutWaitingAFullQueueRefuses) {
  const std::string path = fresh_folder("recorder-full") + "/a.mkv";
  RecordingSettings settings = settings_for(path, 640, 360);
  settings.lossless = true;  // noise without loss takes far longer to encode than to copy
  const auto recorder = Recorder::open(settings);
  auto pixels = coded_picture(5, 640, 360, 640 * 4);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : pixels) byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  int refused = 0, taken = 0;
  for (int i = 0; i < 500 && refused == 0; ++i)
    ++(recorder->add({pixels.data(), 640, 360, 640 * 4, PixelFormat::rgba8}, i / 25.0, false) ? taken : refused);
  EXPECT_GT(refused, 0);
  recorder->finish();
  EXPECT_EQ(recorder->frames_written(), taken);
}

TEST(Recorder, AKilledProgramLeavesAPlayableFile) {
  for (const char* name : {"killed.mp4", "killed.mkv"}) {
    const std::string path = fresh_folder(std::string("recorder-") + name) + "/" + name;
    const pid_t child = ::fork();
    if (child == 0) {
      const RecordingSettings settings = settings_for(path);
      const auto recorder = Recorder::open(settings);
      for (int i = 0; i < 200; ++i) add(*recorder, settings, i, i / 25.0);
      while (recorder->frames_written() < 150) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    const auto player = open(path);
    const std::vector<VideoFrame> frames = play(*player);
    EXPECT_GT(frames.size(), 100u) << name;  // of at least 150, all but the last second or so
    for (std::size_t i = 0; i < frames.size(); ++i) ASSERT_EQ(code_of(frames[i]), static_cast<int>(i));
    EXPECT_EQ(run("ffmpeg -nostdin -v error -i '" + path + "' -f null - 2>/dev/null"), 0);
  }
}

void expect_refused(const RecordingSettings& settings) {
  try {
    Recorder::open(settings);
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
  settings.lossless = true;
  expect_refused(settings);
  settings.lossless = false;
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
    const auto recorder = Recorder::open(settings);
    std::vector<std::uint8_t> noise(128 * 64 * 4);
    std::uint32_t state = 1;
    int i = 0;
    for (; i < 2000 && recorder->error().empty(); ++i) {
      for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
      recorder->add({noise.data(), 128, 64, 128 * 4, PixelFormat::rgba8}, i / 25.0, true);
    }
    EXPECT_LT(i, 2000);
    EXPECT_NE(recorder->error().find("No space left"), std::string::npos) << recorder->error();
    EXPECT_THROW(recorder->finish(), Error);
    const auto player = open(path);
    EXPECT_GT(play(*player).size(), 5u) << player->stats().error;
    std::filesystem::remove(path);
  }
  run("umount '" + folder + "'");
}

TEST(Recorder, AFolderThatGoesIsSaid) {
  const std::string folder = fresh_folder("recorder-gone");
  const RecordingSettings settings = settings_for(folder + "/a.mkv");
  const auto recorder = Recorder::open(settings);
  add(*recorder, settings, 1, 0);
  std::filesystem::remove_all(folder);
  add(*recorder, settings, 2, 0.04);
  EXPECT_THROW(recorder->finish(), Error);
  EXPECT_FALSE(recorder->error().empty());
}

TEST(Recorder, AChangedSizeIsSaid) {
  const RecordingSettings settings = settings_for(fresh_folder("recorder-size") + "/a.mkv");
  const auto recorder = Recorder::open(settings);
  add(*recorder, settings, 1, 0);
  std::vector<std::uint8_t> small(16 * 16 * 4);
  EXPECT_FALSE(recorder->add({small.data(), 16, 16, 64, PixelFormat::rgba8}, 1, true));
  EXPECT_NE(recorder->error().find("128 × 64"), std::string::npos) << recorder->error();
}

TEST(Recorder, FallsBackWhenNvencIsMissing) {
  RecordingSettings settings = settings_for(fresh_folder("recorder-nvenc") + "/a.mp4");
  settings.prefer_nvenc = true;
  const auto recorder = Recorder::open(settings);
  if (recorder->encoder() != "h264_nvenc") {
    EXPECT_NE(recorder->encoder().find("h264_nvenc:"), std::string::npos) << recorder->encoder();
  }
  for (int i = 0; i < 5; ++i) add(*recorder, settings, i, i / 25.0);
  recorder->finish();
  EXPECT_EQ(recorder->frames_written(), 5);
}

TEST(Png, HoldsPixelsAndTexts) {
  const std::string path = fresh_folder("png") + "/a.png";
  const std::size_t pitch = 37 * 4 + 8;
  std::vector<std::uint8_t> pixels(pitch * 19);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 7);
  write_png(path, {pixels.data(), 37, 19, pitch, PixelFormat::rgba8},
            {{"Software", "Convoscope"}, {"Filter", "σ = 3"}});

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&image, path.c_str())) << image.message;
  ASSERT_EQ(image.width, 37u);
  ASSERT_EQ(image.height, 19u);
  image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> back(PNG_IMAGE_SIZE(image));
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, back.data(), 0, nullptr));
  for (std::size_t y = 0; y < 19; ++y)
    for (std::size_t x = 0; x < 37 * 4; ++x) ASSERT_EQ(back[y * 37 * 4 + x], pixels[y * pitch + x]);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(bytes.find(std::string("tEXtSoftware\0Convoscope", 23)), std::string::npos);
  EXPECT_NE(bytes.find("iTXtFilter"), std::string::npos);

  EXPECT_THROW(write_png("/no/such/folder/a.png", {pixels.data(), 37, 19, pitch, PixelFormat::rgba8}, {}), Error);
  ASSERT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_THROW(write_png("/dev/full", {pixels.data(), 37, 19, pitch, PixelFormat::rgba8}, {}), Error);
  EXPECT_TRUE(std::filesystem::exists("/dev/full")) << "a device must not be removed";
  EXPECT_THROW(write_png(path, {pixels.data(), 0, 19, pitch, PixelFormat::rgba8}, {}), Error);
}

}  // namespace
}  // namespace convoscope::test
