#include "app/media/write/muxed_output.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/files/file_names.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

double last_time(const std::string& path) {
  const std::string times = output_of("ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 '" +
                                      path + "' 2>/dev/null | sort -g | tail -n 1");
  return times.empty() ? -1 : std::stod(times);
}

struct Held {
  RecordingCodec codec;
  const char* name;
  int rate;
};

// What a killed program would lose, looked at at five moments of one second while the file is being written.
TEST(MuxedOutput, ARecordingHoldsLessThanASecondBack) {
  for (const auto& [codec, name, rate] : {Held{RecordingCodec::h264, "r.mkv", 10},
                                          {RecordingCodec::h264, "r.mp4", 10},
                                          {RecordingCodec::h264, "r.mkv", 25},
                                          {RecordingCodec::h264, "r.mp4", 25},
                                          {RecordingCodec::h264, "r.mp4", 60},
                                          {RecordingCodec::hevc, "r.mkv", 25},
                                          {RecordingCodec::hevc, "r.mp4", 60},
                                          {RecordingCodec::ffv1, "r.mkv", 25}}) {
    SCOPED_TRACE(std::string(name) + ", " + std::to_string(rate) + " a second, codec " +
                 std::to_string(static_cast<int>(codec)));
    RecordingSettings settings;
    settings.path = fresh_folder("held-back") + "/" + name;
    settings.width = 64;
    settings.height = 256;
    settings.rate = rate;
    settings.codec = codec;
    MuxedOutput output(settings, {}, {rate, 1}, MuxedOutput::Header::at_once);
    std::vector<std::uint8_t> bytes(std::size_t{64} * 256 * 4);
    const Image image{bytes.data(), 64, 256, 256, PixelFormat::rgba8};
    const std::int64_t tick = settings.tick_denominator / rate;
    for (int i = 0; i < 3 * rate; ++i) {
      for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<std::uint8_t>(at / 8 * 31 + 5 * i);
      output.add(image, i * tick, tick);
      const int left = 3 * rate - 1 - i;
      if (left >= rate || left % (rate / 5) != 0) continue;
      EXPECT_GT(last_time(part_name(settings.path)), static_cast<double>(i + 1) / rate - 1) << "after picture " << i;
    }
    output.finish(true);
    EXPECT_NEAR(last_time(settings.path), 3 - 1.0 / rate, 0.001);
  }
}

// FFmpeg ends the program where the ticks of .mp4 between two pictures are too many for it.
TEST(MuxedOutput, ARecordingGoesOnAfterAJumpOfHours) {
  for (const char* const name : {"r.mp4", "r.mkv"}) {
    SCOPED_TRACE(name);
    const bool holds = ends_in(name, "mkv");
    RecordingSettings settings;
    settings.path = fresh_folder("jump") + "/" + name;
    settings.width = settings.height = 64;
    MuxedOutput output(settings, {}, {30, 1}, MuxedOutput::Header::at_once);
    std::vector<std::uint8_t> bytes(std::size_t{64} * 64 * 4);
    const Image image{bytes.data(), 64, 64, 256, PixelFormat::rgba8};
    const std::int64_t hours = std::int64_t{12} * 3600 * settings.tick_denominator;
    for (int i = 0; i < 90; ++i) output.add(image, 2000 * i + i / 30 * hours, 2000);
    output.finish(true);
    EXPECT_NEAR(last_time(settings.path), 89 / 30.0 + (holds ? 24 * 3600 : 0), 0.01);
    EXPECT_EQ(
        output.note(),
        holds ? "" : "; a jump of its times by 12 hours was left out, which this container cannot hold; .mkv can");
  }
}

}  // namespace
}  // namespace convoscope::test
