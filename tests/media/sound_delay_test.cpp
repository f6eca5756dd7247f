// Sound that is copied keeps its delays: after one pass as ffmpeg -c copy leaves them, and after several as after one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/write/sound_streams.h"
#include "app/media/write/whole_file.h"
#include "tests/media/recorder_test.h"

namespace convoscope::test {
namespace {

struct SoundPackets {
  double picture = 0;          // when the first one comes, seconds
  std::vector<double> times;   // from then on
  std::vector<double> ends;    // likewise
  int padding = 0;             // samples that the container says a decoder leaves out at the beginning
  std::int64_t skipped = 0;    // samples that FFmpeg leaves out at the beginning, as the container's index says
  std::int64_t discarded = 0;  // likewise at the end
};

std::uint32_t number_at(const std::uint8_t* bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

SoundPackets sound_of(const std::string& path) {
  SoundPackets sound;
  AVFormatContext* raw = nullptr;
  EXPECT_GE(avformat_open_input(&raw, path.c_str(), nullptr, nullptr), 0) << path;
  if (!raw) return sound;
  EXPECT_GE(avformat_find_stream_info(raw, nullptr), 0);
  std::optional<double> picture;
  const Owned<AVPacket> packet = make_packet();
  for (; av_read_frame(raw, packet.get()) >= 0; av_packet_unref(packet.get())) {
    const AVStream& stream = *raw->streams[packet->stream_index];
    const double unit = av_q2d(stream.time_base), time = static_cast<double>(packet->pts) * unit;
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO) picture = std::min(time, picture.value_or(time));
    if (stream.codecpar->codec_type != AVMEDIA_TYPE_AUDIO) continue;
    std::size_t bytes = 0;
    if (const std::uint8_t* skip = av_packet_get_side_data(packet.get(), AV_PKT_DATA_SKIP_SAMPLES, &bytes); skip) {
      sound.skipped += number_at(skip);
      sound.discarded += number_at(skip + 4);
    }
    sound.padding = stream.codecpar->initial_padding;
    sound.times.push_back(time);
    sound.ends.push_back(time + static_cast<double>(packet->duration) * unit);
  }
  avformat_close_input(&raw);
  sound.picture = picture.value_or(0);
  for (double& time : sound.times) time -= sound.picture;
  for (double& time : sound.ends) time -= sound.picture;
  return sound;
}

std::string filtered(const std::string& input, const std::string& output) {
  WholeFileSettings settings;
  settings.input = input;
  settings.output = output;
  Interrupt interrupt;
  const auto whole = WholeFile::open(settings, interrupt);
  std::vector<std::uint8_t> black(std::size_t{4} * 64 * 48);
  PictureMoment moment;
  for (VideoFrame frame; whole->read(frame, moment);)
    whole->write({black.data(), 64, 48, 256, PixelFormat::rgba8}, moment);
  whole->finish(true);
  EXPECT_EQ(whole->sound_streams(), 1);
  return output;
}

bool can_hold(const std::string& container, const std::string& file) {
  AVFormatContext* raw = nullptr;
  if (avformat_open_input(&raw, file.c_str(), nullptr, nullptr) < 0) return false;
  avformat_find_stream_info(raw, nullptr);
  const bool holds = container_holds(container_of("a." + container), *raw->streams[1]->codecpar);
  avformat_close_input(&raw);
  return holds;
}

struct CopiedCodec {
  const char* name;
  const char* options;
  // What comes before time 0 may be left out where the container cannot say that it is not heard; else it has to come.
  bool may_begin_anew;
};

class SoundDelay : public testing::TestWithParam<CopiedCodec> {};

TEST_P(SoundDelay, IsThatOfACopy) {
  const CopiedCodec& codec = GetParam();
  if (!has_encoder(codec.name)) GTEST_SKIP() << "no such encoder";
  const std::string folder = fresh_folder(std::string("delay-") + codec.name) + "/";
  for (const std::string in : {"mkv", "mp4", "mov"}) {
    const std::string source = folder + "in." + in, ffmpeg = "ffmpeg -nostdin -v error -y ";
    if (run(ffmpeg +
            "-f lavfi -i color=size=64x48:rate=25:duration=0.4 -f lavfi -i sine=sample_rate=48000:duration=0.4 " +
            "-c:v mpeg4 -c:a " + codec.name + " " + codec.options + " -strict -2 '" + source + "' 2>/dev/null") != 0)
      continue;  // FFmpeg cannot write it either
    const SoundPackets given = sound_of(source);
    ASSERT_GT(given.times.size(), 3u);
    // Packets that end before time 0, or nearly so.
    std::size_t before_0 = 0;
    while (given.times[before_0] + given.ends[before_0] + 2 * given.picture < -1e-3) ++before_0;
    for (const std::string out : {"mkv", "mp4", "mov"}) {
      if (!can_hold(out, source)) continue;
      SCOPED_TRACE(in + " to " + out);
      const std::string copy = folder + "copy." + out;
      ASSERT_EQ(run(ffmpeg + "-i '" + source + "' -c copy -strict -2 '" + copy + "'"), 0);
      const SoundPackets expected = sound_of(copy);
      const bool mkv = out == "mkv";
      const std::size_t first = mkv && codec.may_begin_anew ? before_0 : 0;
      std::string last = source;
      for (int pass = 1; pass <= 3; ++pass) {
        SCOPED_TRACE("pass " + std::to_string(pass));
        last = filtered(last, folder + std::to_string(pass) + "." + out);
        const SoundPackets got = sound_of(last);
        ASSERT_EQ(got.times.size(), given.times.size() - first);
        // Matroska's are milliseconds. FFmpeg 5.1's own copy of Opus moves the pictures at each pass there.
        for (std::size_t i = 0; i < got.times.size(); ++i)
          EXPECT_NEAR(got.times[i], given.times[first + i], 2e-3) << "packet " << i;
        EXPECT_EQ(got.padding, expected.padding);
        EXPECT_EQ(got.discarded, expected.discarded);
        // Of Matroska's own a copy moves all times instead, so that nothing is before 0.
        if (in != "mkv") {
          EXPECT_EQ(got.skipped, expected.skipped);
        }
        // What ALAC in Matroska lasts is not known, and a copy loses its last packet.
        if (!mkv && expected.times.size() == given.times.size()) {
          EXPECT_NEAR(got.ends.back(), expected.ends.back(), 2e-3);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, SoundDelay,
                         testing::Values(CopiedCodec{"aac", "", true}, CopiedCodec{"libmp3lame", "", true},
                                         CopiedCodec{"mp2", "", true}, CopiedCodec{"libopus", "", false},
                                         CopiedCodec{"libvorbis", "", false}, CopiedCodec{"flac", "", true},
                                         CopiedCodec{"ac3", "", true}, CopiedCodec{"eac3", "", true},
                                         CopiedCodec{"pcm_s16le", "", true}, CopiedCodec{"alac", "", true},
                                         CopiedCodec{"dca", "-ac 2", true}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

// A recording of Opus in Matroska: what the header says a decoder leaves out is said of its times, too.
TEST(SoundDelay, OfOpusIsThatOfTheSourceInARecording) {
  if (!has_encoder("libopus")) GTEST_SKIP() << "no such encoder";
  const std::string folder = fresh_folder("delay-recorded") + "/", source = folder + "in.mkv";
  ASSERT_EQ(run("ffmpeg -nostdin -v error -y -f lavfi -i color=size=64x48:rate=25:duration=1 -f lavfi -i "
                "sine=sample_rate=48000:duration=1 -c:v mpeg4 -c:a libopus '" +
                source + "'"),
            0);
  RecordingSettings settings = settings_for(folder + "r.mkv");
  settings.sound = source;
  Lender lender(settings);
  const auto recorder = Recorder::open(settings);
  for (int i = 0; i < 25; ++i) lender.lend(*recorder, i, i / 25.0);
  recorder->finish();
  const SoundPackets expected = sound_of(source), got = sound_of(settings.path);
  ASSERT_GT(got.times.size(), 40u);
  EXPECT_EQ(got.padding, expected.padding);
  const std::size_t left_out = expected.times.size() - got.times.size();  // what begins before the first picture
  ASSERT_LE(left_out, 1u);
  for (std::size_t i = 0; i < got.times.size(); ++i)
    EXPECT_NEAR(got.times[i], expected.times[left_out + i], 2e-3) << "packet " << i;
}

}  // namespace
}  // namespace convoscope::test
