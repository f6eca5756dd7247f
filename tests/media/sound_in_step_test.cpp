// When sound is heard in a recording: where its picture is, to the hundredth of a second.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/media/recorder_test.h"

namespace convoscope::test {
namespace {

// Silence for a second, then a tone.
std::string silence_and_tone(const std::string& folder) {
  const std::string path = folder + "/clip.mp4";
  EXPECT_EQ(run("ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=128x64:rate=25:duration=4 -f lavfi -i "
                "'aevalsrc=if(lt(t\\,1)\\,0\\,0.5*sin(2*PI*1000*t)):s=48000:d=4' -pix_fmt yuv420p -c:a aac '" +
                path + "'"),
            0);
  return path;
}

// When a player that heeds the file's times makes the first sound; −1: never.
double first_sound(const std::string& path) {
  const std::string raw = output_of("ffmpeg -nostdin -v error -copyts -i '" + path +
                                    "' -vn -af aresample=async=1:first_pts=0 -ac 1 -ar 48000 -f f32le -");
  const auto* samples = reinterpret_cast<const float*>(raw.data());
  for (std::size_t i = 0; i < raw.size() / sizeof(float); ++i)
    if (std::abs(samples[i]) > 0.1f) return static_cast<double>(i) / 48000;
  return -1;
}

struct InStep : testing::TestWithParam<std::tuple<const char*, bool>> {};

// What was begun while the picture stood: the file's sound begins long after its pictures.
TEST_P(InStep, AlsoAfterAPauseAtTheBeginning) {
  const auto& [name, filtered] = GetParam();
  const std::string folder = fresh_folder("in-step");
  const std::string clip = silence_and_tone(folder);
  for (const int standing : {1, 25, 75}) {
    SCOPED_TRACE(std::to_string(standing) + " pictures of a pause");
    RecordingSettings settings = settings_for(folder + "/" + name);
    settings.sound = clip;
    if (filtered) {
      settings.filtering.filtered = true;
      settings.filtering.filter = parse_signal_filter("delay:delay=0");
    }
    Lender lender(settings);
    const auto recorder = Recorder::open(settings);
    for (int i = 0; i < standing + 50; ++i) {
      lender.in_step = i >= standing;
      lender.lend(*recorder, i, i / 25.0, true, std::max(0, i + 1 - standing) / 25.0);
    }
    recorder->finish();
    EXPECT_NEAR(first_sound(settings.path), 1 + (standing - 1) / 25.0, 0.004) << recorder->note();
  }
}

INSTANTIATE_TEST_SUITE_P(RecordedSound, InStep, testing::Combine(testing::Values("a.mp4", "a.mkv"), testing::Bool()),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param)).substr(2) +
                                  (std::get<1>(each.param) ? "_filtered" : "_copied");
                         });

}  // namespace
}  // namespace convoscope::test
