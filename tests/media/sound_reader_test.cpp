#include "app/media/sound/sound_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/text/error.h"
#include "tests/media/sound_clips.h"

namespace convoscope::test {
namespace {

class Reading : public testing::Test {
 protected:
  void open(const std::string& path) { reader_ = SoundReader::open(source_of(path), interrupt_); }
  // That many frames, or as many as there are.
  std::vector<float> take(std::size_t count) {
    std::vector<float> all, some;
    while (all.size() < 2 * count) {
      reader_->read(some);
      if (some.empty()) break;
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  Interrupt interrupt_;
  std::unique_ptr<SoundReader> reader_;
};

TEST_F(Reading, BeginsWhereItIsAskedTo) {
  open(plain_clip());
  ASSERT_TRUE(reader_);
  for (const double position : {7.123, 0.0, 19.5, 3.3333}) {
    reader_->seek(position, 1, rate);
    const std::vector<float> samples = take(9600);
    ASSERT_GE(samples.size(), 2 * 9600u);
    for (const std::size_t frame : {0, 1000, 9599}) {
      const double there = position + static_cast<double>(frame) / rate;
      EXPECT_NEAR(samples[2 * frame], there / length, 1e-3 / length) << position << " " << frame;
      EXPECT_NEAR(samples[2 * frame + 1], -there / length, 1e-3 / length);
    }
  }
}

TEST_F(Reading, EndsWithTheFile) {
  open(plain_clip());
  reader_->seek(19, 1, rate);
  EXPECT_NEAR(static_cast<double>(take(10 * rate).size()), 2 * rate, 200);  // Matroska's times are milliseconds
  EXPECT_TRUE(take(1).empty());
  reader_->seek(500, 1, rate);
  EXPECT_TRUE(take(1).empty());
}

TEST_F(Reading, IsSilentUntilSoundBegins) {
  open(timed_clip("late.mkv", "-map 0:v -map 1:a -c:a pcm_f32le", "-itsoffset 2.5"));
  reader_->seek(1, 1, rate);
  const std::vector<float> samples = take(2 * rate);
  const auto at = [&](double seconds) { return samples[2 * static_cast<std::size_t>((seconds - 1) * rate)]; };
  EXPECT_EQ(at(1.01), 0);
  EXPECT_EQ(at(2.45), 0);
  EXPECT_NEAR(at(2.9), 0.4 / length, 0.002 / length);
}

TEST_F(Reading, KeepsThePaceOfThePicture) {
  open(plain_clip());
  for (const double speed : {0.1, 0.5, 2.0, 4.0}) {
    reader_->seek(4, speed, rate);
    const std::vector<float> samples = take(rate);
    ASSERT_GE(samples.size(), 2u * rate);
    // FFmpeg joins windows of some 60 ms of the file where they fit, so times are right to within one of them.
    EXPECT_NEAR(samples[static_cast<std::size_t>(rate)] * length, 4 + 0.5 * speed, 0.065) << speed;
  }
}

TEST_F(Reading, TakesOtherRatesAndChannels) {
  open(timed_clip("mono.mkv", "-c:a flac -ac 1 -ar 22050 -af \"pan=mono|c0=c0\""));
  reader_->seek(10, 1, 44100);
  const std::vector<float> samples = take(4410);
  ASSERT_GE(samples.size(), 2 * 4410u);
  EXPECT_FLOAT_EQ(samples[4000], samples[4001]);
  EXPECT_NEAR(samples[4000], 10 / length, 0.01) << "as loud as it is, from both sides";
  open(timed_clip("six.mkv", "-c:a flac -af \"pan=5.1|FL=c0|FR=c1\""));
  reader_->seek(10, 1, rate);
  EXPECT_GE(take(4800).size(), 2 * 4800u);
}

TEST_F(Reading, RefusesRatesThatMakeHoursOfSeconds) {
  const std::string clip = made_file("slow.avi",
                                     "ffmpeg -v error -y -f lavfi -i color=size=64x48:rate=25:duration=2 -f lavfi -i "
                                     "anoisesrc=r=1000:d=2 -c:v mjpeg -c:a pcm_s16le -ar 1000 OUT");
  open(clip);
  ASSERT_TRUE(reader_);
  reader_->seek(0, 1, rate);
  EXPECT_THROW(take(1), Error);
}

TEST_F(Reading, IsNothingWithoutSound) {
  const std::string silent = made_file("silent.mkv", "ffmpeg -v error -y -f lavfi -i color=size=64x48:duration=1 OUT");
  for (const std::string& none : {silent, std::string("pattern"), std::string("-"), std::string()}) {
    open(none);
    EXPECT_FALSE(reader_) << none;
  }
  EXPECT_THROW(open("missing.mkv"), Error);
}

}  // namespace
}  // namespace convoscope::test
