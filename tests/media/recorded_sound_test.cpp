// The sound beside a recording: copied as it is, or filtered as it is heard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/media/recorder_test.h"

namespace convoscope::test {
namespace {

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

// So many pictures, from a position of the source on; what became of the sound.
std::string recorded(const RecordingSettings& settings, int pictures, double from = 0) {
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  for (int i = 0; i < pictures; ++i) lender.lend(*recorder, i, i / 25.0, true, from + i / 25.0);
  recorder->finish();
  return recorder->note();
}

// A second of what plays at two and a half times the pace.
std::string recorded_too_fast(const RecordingSettings& settings) {
  Lender lender(settings);
  lender.in_step = false;
  const auto recorder = Recorder::open(settings);
  for (int i = 0; i < 25; ++i) lender.lend(*recorder, i, i / 25.0, true, i / 10.0);
  recorder->finish();
  return recorder->note();
}

// Half a second from the start, a pause of a second, then half a second from 3 s on.
std::string recorded_with_a_pause(const RecordingSettings& settings) {
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  for (int i = 0; i <= 12; ++i) lender.lend(*recorder, i, i / 25.0, true, i / 25.0);
  for (int i = 0; i <= 12; ++i) {
    lender.in_step = i > 0;
    lender.lend(*recorder, i, 1.5 + i / 25.0, true, 3 + i / 25.0);
  }
  recorder->finish();
  return recorder->note();
}

TEST(Recorder, SoundFollowsThePicture) {
  const std::string folder = fresh_folder("recorder-sound");
  const std::string clip = clip_with_sound(folder, "clip.mp4", "aac");
  for (const char* name : {"/a.mp4", "/a.mkv"}) {
    RecordingSettings settings = settings_for(folder + name);
    settings.sound = clip;
    // One second of the clip from 1.5 s on.
    EXPECT_EQ(recorded(settings, 26, 1.5), "; sound copied");
    EXPECT_NEAR(tone(settings.path, 0.15), 440, 40);
    EXPECT_NEAR(tone(settings.path, 0.7), 880, 60);
    EXPECT_EQ(probe(settings.path, "stream=nb_read_frames"), "26");
  }
}

TEST(Recorder, SoundIsLeftOutWhereThePictureStandsOrRuns) {
  const std::string folder = fresh_folder("recorder-no-sound");
  RecordingSettings settings = settings_for(folder + "/a.mkv");
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  EXPECT_THAT(recorded_too_fast(settings), testing::HasSubstr("without sound"));
  EXPECT_EQ(
      output_of("ffprobe -v error -select_streams a -show_entries packet=size -of csv=p=0 '" + settings.path + "'"),
      "");
  EXPECT_THAT(recorded_with_a_pause(settings), testing::HasSubstr("left out where"));
  EXPECT_NEAR(tone(settings.path, 0.1), 440, 40);
  EXPECT_NEAR(tone(settings.path, 1.7), 880, 60);
}

TEST(Recorder, SoundThatTheContainerCannotHoldIsSaid) {
  const std::string folder = fresh_folder("recorder-pcm");
  RecordingSettings settings = settings_for(folder + "/a.mp4");
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  EXPECT_THAT(recorded(settings, 10), testing::HasSubstr("pcm_s16le"));
}

// The mean level of a part, in dB of full scale.
double level(const std::string& path, double at, double seconds = 0.3) {
  const std::string raw = output_of("ffmpeg -nostdin -v error -ss " + std::to_string(at) + " -t " +
                                    std::to_string(seconds) + " -i '" + path + "' -vn -ac 1 -ar 48000 -f f32le -");
  const auto* samples = reinterpret_cast<const float*>(raw.data());
  double sum = 0;
  const std::size_t count = raw.size() / sizeof(float);
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(samples[i]) * static_cast<double>(samples[i]);
  return count == 0 ? -HUGE_VAL : 10 * std::log10(sum / static_cast<double>(count) + 1e-12);
}

SoundSettings through(const std::string& filter) {
  SoundSettings sound;
  sound.filtered = true;
  sound.filter = parse_signal_filter(filter);
  return sound;
}

// 440 Hz for two seconds, then 880 Hz for two: a filter between them leaves one of the two.
TEST(RecordedSound, IsFilteredAsItIsHeard) {
  const std::string folder = fresh_folder("recorder-filtered");
  const std::string clip = clip_with_sound(folder, "clip.mp4", "aac");
  for (const bool lossless : {false, true})
    for (const char* name : {"/a.mp4", "/a.mkv"}) {
      if (lossless && std::string(name).ends_with("mp4")) continue;
      RecordingSettings settings = settings_for(folder + name);
      settings.sound = clip;
      settings.filtering = through("low-pass:cutoff=650,radius=512");
      if (lossless) settings.codec = RecordingCodec::ffv1;
      EXPECT_EQ(recorded(settings, 51, 1), std::string("; sound filtered, ") + (lossless ? "FLAC" : "AAC"));
      EXPECT_NEAR(tone(settings.path, 0.4), 440, 20);
      EXPECT_GT(level(settings.path, 0.5), -14) << name;
      EXPECT_LT(level(settings.path, 1.3), -60) << name;
      EXPECT_EQ(output_of("ffprobe -v error -select_streams a -show_entries stream=codec_name,sample_rate,channels -of "
                          "csv=p=0 '" +
                          settings.path + "'"),
                lossless ? "flac,48000,2\n" : "aac,48000,2\n");
      EXPECT_NEAR(std::stod(probe(settings.path, "format=duration")), 51 / 25.0, 0.06) << name;
    }
}

// Where the tone changes in the source it changes in the recording.
TEST(RecordedSound, FilteredIsInStep) {
  const std::string folder = fresh_folder("recorder-in-step");
  RecordingSettings settings = settings_for(folder + "/a.mkv");
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  settings.filtering = through("high-pass:cutoff=650,radius=512");
  recorded(settings, 51, 1);
  EXPECT_LT(level(settings.path, 0.90, 0.07), -40);
  EXPECT_GT(level(settings.path, 1.03, 0.07), -14);
}

// From its first sample on: nothing of what the filter takes away.
TEST(RecordedSound, BeginsFiltered) {
  const std::string folder = fresh_folder("recorder-begins");
  RecordingSettings settings = settings_for(folder + "/a.mkv");
  settings.codec = RecordingCodec::ffv1;
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  settings.filtering = through("high-pass:cutoff=2000,radius=512");
  recorded(settings, 26, 0.5);
  EXPECT_LT(level(settings.path, 0, 0.05), -60);
}

// 51 pictures last 2.04 s, which is no whole number of the encoder's frames.
TEST(RecordedSound, FilteredLastsAsLongAsThePicture) {
  const std::string folder = fresh_folder("recorder-length");
  RecordingSettings settings = settings_for(folder + "/a.mkv");
  settings.codec = RecordingCodec::ffv1;
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  settings.filtering = through("1");
  recorded(settings, 51, 1);
  const std::string raw = output_of("ffmpeg -nostdin -v error -i '" + settings.path + "' -vn -ac 1 -f f32le -");
  EXPECT_GE(raw.size() / sizeof(float), static_cast<std::size_t>(2.04 * 48000));
}

TEST(RecordedSound, FollowsWhatIsChosenMeanwhile) {
  const std::string folder = fresh_folder("recorder-follows");
  RecordingSettings settings = settings_for(folder + "/a.mkv");
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  settings.filtering = through("high-pass:cutoff=650,radius=512");
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  SoundSettings off = settings.filtering;
  off.filtered = false;
  for (int i = 0; i < 46; ++i) {
    if (i == 25) {  // what was given before is written, but for what the encoder holds
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      recorder->filter_sound(off);
    }
    lender.lend(*recorder, i, i / 25.0);
  }
  recorder->finish();
  EXPECT_LT(level(settings.path, 0.3), -40);
  EXPECT_GT(level(settings.path, 1.3), -14);
}

TEST(RecordedSound, FilteredIsLeftOutWhereThePictureStandsOrRuns) {
  const std::string folder = fresh_folder("recorder-filtered-gaps");
  RecordingSettings settings = settings_for(folder + "/a.mp4");
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  settings.filtering = through("low-pass:cutoff=4000");
  EXPECT_THAT(recorded_too_fast(settings), testing::HasSubstr("without sound"));
  EXPECT_THAT(recorded_with_a_pause(settings), testing::HasSubstr("left out where"));
  EXPECT_NEAR(tone(settings.path, 0.1), 440, 40);
  EXPECT_LT(level(settings.path, 0.8), -60);
  EXPECT_NEAR(tone(settings.path, 1.7), 880, 60);
}

TEST(RecordedSound, SaysThatACopyIsNotFiltered) {
  const std::string folder = fresh_folder("recorder-copy");
  RecordingSettings settings = settings_for(folder + "/a.mkv");
  settings.sound = clip_with_sound(folder, "clip.mkv", "pcm_s16le");
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  for (int i = 0; i < 20; ++i) {
    if (i == 10) recorder->filter_sound(through("low-pass"));
    lender.lend(*recorder, i, i / 25.0);
  }
  recorder->finish();
  EXPECT_EQ(recorder->note(), "; sound copied without the filter that was turned on after the recording had begun");
}

}  // namespace
}  // namespace convoscope::test
