// Animations that are damaged in one place: what FFmpeg and libwebp pass over in silence is told, with the frame's
// number, and what follows plays where that can be.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/write/whole_file.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace damaged_animation {

using testing::HasSubstr;

constexpr int frames_made = 8;

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string made(const std::string& ending, const std::string& options) {
  return made_file("whole-animation." + ending, "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=160x120:r=10 " +
                                                    options + " -frames:v " + std::to_string(frames_made) + " OUT");
}

struct Filtered {
  std::vector<std::uint64_t> pictures;
  std::string told;
  bool cut_short = false;
};

inline std::uint64_t hash_of_luma(const VideoFrame& frame) {
  std::uint64_t hash = 14695981039346656037u;
  const int bytes = frame.format.layout == PlaneLayout::rgba ? 4 * frame.format.width : frame.format.width;
  for (int y = 0; y < frame.format.height; ++y)
    for (int x = 0; x < bytes; ++x)
      hash = (hash ^ static_cast<const std::uint8_t*>(
                         frame.planes[0])[static_cast<std::size_t>(y) * frame.pitch[0] + static_cast<std::size_t>(x)]) *
             1099511628211u;
  return hash;
}

inline Filtered filtered(const std::string& input) {
  WholeFileSettings settings;
  settings.input = input;
  settings.output = "none.mkv";
  Interrupt interrupt;
  const auto whole = WholeFile::open(settings, interrupt);
  Filtered out;
  VideoFrame frame;
  for (PictureMoment moment; whole->read(frame, moment);) out.pictures.push_back(hash_of_luma(frame));
  while (const auto warning = whole->take_warning()) out.told += *warning;
  out.cut_short = whole->cut_short();
  return out;
}

inline std::string packet_of(const std::string& path, int which) {
  AVFormatContext* raw = nullptr;
  if (avformat_open_input(&raw, path.c_str(), nullptr, nullptr) < 0) return "";
  const Owned<AVFormatContext> file(raw);
  const Owned<AVPacket> packet = make_packet();
  for (int i = 0; i <= which; ++i) {
    av_packet_unref(packet.get());
    if (av_read_frame(raw, packet.get()) < 0) return "";
  }
  return {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)};
}

using Change = std::function<void(std::string&)>;

// By a filter, and by what plays. `left`: how many pictures still come, where that does not depend on the decoder.
inline void expect_told(const std::string& whole, int after, std::optional<int> left, const Change& change) {
  SCOPED_TRACE(whole + ", frame " + std::to_string(after + 1));
  const Filtered intact = filtered(whole);
  ASSERT_EQ(intact.pictures.size(), std::size_t{frames_made});
  EXPECT_FALSE(intact.cut_short) << intact.told;
  std::string bytes = bytes_of(whole);
  change(bytes);
  const std::string path = fresh_folder("damaged-animation") + "/damaged" + whole.substr(whole.rfind('.'));
  std::ofstream(path, std::ios::binary) << bytes;
  const Filtered outcome = filtered(path);
  EXPECT_TRUE(outcome.cut_short);
  EXPECT_THAT(outcome.told, HasSubstr("is damaged after frame " + std::to_string(after) + "."));
  EXPECT_EQ(outcome.pictures.size(), left ? static_cast<std::size_t>(*left) : outcome.pictures.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(outcome.pictures.size(), static_cast<std::size_t>(after)); ++i)
    EXPECT_EQ(outcome.pictures[i], intact.pictures[i]) << "frame " << i + 1;

  const auto player = open(path);
  EXPECT_EQ(play(*player).size(), outcome.pictures.size());
  EXPECT_TRUE(player->stats().cut_short);
  EXPECT_THAT(player->take_error().value_or(""), HasSubstr("is damaged after "));
}

// Where the chunk, the block or the sample number `which` begins, from 1 on, by what it begins with.
inline std::size_t place_of(const std::string& bytes, const std::string& begin, int which) {
  std::size_t at = 0;
  for (int i = 0; i < which; ++i) at = bytes.find(begin, at + 1);
  return at;
}

inline void overwrite(std::string& bytes, std::size_t at, std::size_t count) {
  std::uint32_t state = 1;
  for (std::size_t i = at; i < at + count; ++i)
    bytes[i] = static_cast<char>(bytes[i] ^ (1 | (state = state * 1664525u + 1013904223u) >> 24));
}

TEST(DamagedAnimation, OfGifIsTold) {
  const std::string whole = made("gif", "");
  const std::string control = "\x21\xF9\x04";
  expect_told(whole, 4, 4, [&](std::string& bytes) { bytes[place_of(bytes, control, 5)] = 'x'; });
  expect_told(whole, 2, frames_made, [&](std::string& bytes) { bytes[place_of(bytes, control, 3) + 1] = 'x'; });
  expect_told(whole, 5, frames_made, [&](std::string& bytes) {  // codes, and no size of their parts
    overwrite(bytes, place_of(bytes, control, 6) + 60, 40);
  });
}

TEST(DamagedAnimation, OfWebpIsToldAndTheRestPlays) {
  if (!has_encoder("libwebp_anim")) GTEST_SKIP() << "this FFmpeg has no encoder libwebp_anim";
  const std::string whole = made("webp", "-c:v libwebp_anim");
  expect_told(whole, 3, frames_made - 1, [](std::string& bytes) { bytes[place_of(bytes, "ANMF", 4)] = 'X'; });
  expect_told(whole, 4, frames_made - 1, [](std::string& bytes) { overwrite(bytes, place_of(bytes, "ANMF", 5), 40); });
  expect_told(whole, 0, frames_made - 1,
              [](std::string& bytes) { overwrite(bytes, place_of(bytes, "ANMF", 1) + 30, 9); });
  expect_told(whole, frames_made - 1, frames_made - 1,
              [](std::string& bytes) { bytes[place_of(bytes, "ANMF", frames_made)] = 'X'; });
  // Nothing is lost where only the size of a frame's chunk is wrong.
  std::string bytes = bytes_of(whole);
  overwrite(bytes, place_of(bytes, "ANMF", 3) + 4, 4);
  const std::string path = fresh_folder("damaged-size") + "/a.webp";
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(filtered(path).pictures, filtered(whole).pictures);
}

// Which the decoder that other clips have makes some picture of.
TEST(DamagedAnimation, OfAvifIsTold) {
  if (!has_encoder("libaom-av1")) GTEST_SKIP() << "this FFmpeg has no libaom";
  const std::string whole = made("avif", "-c:v libaom-av1 -cpu-used 8 -crf 30 -f avif");
  for (const int which : {1, 4, frames_made - 1}) {
    const std::string packet = packet_of(whole, which);
    ASSERT_GT(packet.size(), 100u);
    expect_told(whole, which, {},
                [&](std::string& bytes) { overwrite(bytes, bytes.find(packet) + packet.size() - 60, 40); });
  }
}

}  // namespace damaged_animation
}  // namespace convoscope::test
