// A picture that cannot be decoded is told, also the last one, whatever the codec does: tell it with a code, to its log
// alone, late, or not at all.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/write/whole_file.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;

constexpr int clip_frames = 16, loss_attempts = 3;

struct LossyKind {
  const char *file, *encoder, *options;
};

const LossyKind lossy_kinds[] = {
    {"lost-h264.mp4", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 6"},
    {"lost-h264.mkv", "libx264", "-c:v libx264 -pix_fmt yuv420p -bf 3"},
    {"lost-hevc.mp4", "libx265", "-c:v libx265 -x265-params log-level=none:keyint=12 -pix_fmt yuv420p"},
    {"lost-vp8.webm", "libvpx", "-c:v libvpx -deadline realtime -cpu-used 8 -pix_fmt yuv420p"},
    {"lost-vp9.webm", "libvpx-vp9", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 12 -pix_fmt yuv420p"},
    {"lost-av1.mkv", "libsvtav1", "-c:v libsvtav1 -preset 12 -g 12 -pix_fmt yuv420p"},
    {"lost-mpeg4.mkv", "mpeg4", "-c:v mpeg4 -bf 2 -q:v 3"},
    {"lost-mpeg2.mkv", "mpeg2video", "-c:v mpeg2video -bf 2 -q:v 3"},
    {"lost-mpeg1.mkv", "mpeg1video", "-c:v mpeg1video -q:v 3"},
    {"lost-mjpeg.mkv", "mjpeg", "-c:v mjpeg -pix_fmt yuvj420p -q:v 3"},
    {"lost-ffv1.mkv", "ffv1", "-c:v ffv1 -slicecrc 1 -pix_fmt yuv444p"},
    {"lost-png.mov", "png", "-c:v png -pix_fmt rgb24"},
    {"lost-prores.mov", "prores_ks", "-c:v prores_ks -pix_fmt yuv422p10le"},
    {"lost-magicyuv.mkv", "magicyuv", "-c:v magicyuv -pix_fmt yuv420p"},
    {"lost-utvideo.mkv", "utvideo", "-c:v utvideo -pix_fmt yuv420p"},
    {"lost-svq1.mov", "svq1", "-c:v svq1 -pix_fmt yuv410p"},
    {"lost-flv.flv", "flv", "-c:v flv -q:v 3"},
};

std::string all_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct ClipPacket {
  std::int64_t time;
  std::string bytes;
};

std::vector<ClipPacket> clip_packets(const std::string& path) {
  AVFormatContext* raw = nullptr;
  if (avformat_open_input(&raw, path.c_str(), nullptr, nullptr) < 0) return {};
  const Owned<AVFormatContext> file(raw);
  const Owned<AVPacket> packet = make_packet();
  std::vector<ClipPacket> packets;
  for (; av_read_frame(raw, packet.get()) >= 0; av_packet_unref(packet.get()))
    packets.push_back({packet->pts, {reinterpret_cast<const char*>(packet->data), std::size_t(packet->size)}});
  return packets;
}

// The clip with all that its packet number `which` holds overwritten; how many pictures come before that one.
std::string with_lost_packet(const std::string& clip, std::size_t which, std::int64_t& before) {
  const std::vector<ClipPacket> packets = clip_packets(clip);
  if (packets.size() != clip_frames) return "";
  const ClipPacket& lost = packets[which];
  before = std::ranges::count_if(packets, [&](const ClipPacket& one) { return one.time < lost.time; });
  std::string bytes = all_bytes(clip);
  const std::size_t at = bytes.rfind(lost.bytes);
  if (at == std::string::npos) return "";
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), lost.bytes.size(), '\xff');
  const std::string name = fresh_folder("lost") + "/" + std::filesystem::path(clip).filename().string();
  std::ofstream(name, std::ios::binary) << bytes;
  return name;
}

struct FilteredClip {
  int pictures = 0;
  bool cut_short = false;
  std::string told;
};

FilteredClip filtered_clip(const std::string& input) {
  WholeFileSettings settings;
  settings.input = input;
  settings.output = "none.mkv";
  Interrupt interrupt;
  const auto whole = WholeFile::open(settings, interrupt);
  FilteredClip outcome;
  VideoFrame frame;
  for (PictureMoment moment; whole->read(frame, moment);) ++outcome.pictures;
  while (const auto warning = whole->take_warning()) outcome.told += *warning;
  outcome.cut_short = whole->cut_short();
  return outcome;
}

class LostPicture : public testing::TestWithParam<LossyKind> {};

TEST_P(LostPicture, IsToldAlsoWhenItIsTheLast) {
  const LossyKind& kind = GetParam();
  if (!has_encoder(kind.encoder)) GTEST_SKIP() << "this FFmpeg has no encoder " << kind.encoder;
  const std::string clip = coded_clip(kind.file, clip_frames, kind.options);
  const FilteredClip intact = filtered_clip(clip);
  EXPECT_EQ(intact.pictures, clip_frames);
  EXPECT_FALSE(intact.cut_short) << intact.told;
  std::int64_t before = 0;
  const std::string damaged = with_lost_packet(clip, clip_frames - 1, before);
  ASSERT_NE(damaged, "");
  for (int attempt = 0; attempt < loss_attempts; ++attempt) {
    const FilteredClip outcome = filtered_clip(damaged);
    EXPECT_EQ(outcome.pictures, clip_frames - 1);
    EXPECT_TRUE(outcome.cut_short);
    EXPECT_THAT(outcome.told, HasSubstr("is damaged after frame " + std::to_string(before) + "."));

    const auto player = open(damaged);
    EXPECT_EQ(play(*player).size(), clip_frames - 1u);
    EXPECT_TRUE(player->stats().cut_short);
    EXPECT_THAT(player->take_error().value_or(""), HasSubstr("is damaged after "));
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, LostPicture, testing::ValuesIn(lossy_kinds), [](const auto& parameter) {
  std::string name = parameter.param.file;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

// Where each stands for itself, nothing but that one is lost, and it is named.
TEST(LostPictures, InTheMiddleAreNamed) {
  for (const char* file : {"lost-png.mov", "lost-mpeg2-intra.mkv"}) {
    const std::string clip =
        coded_clip(file, clip_frames,
                   std::string(file).ends_with("mov") ? "-c:v png -pix_fmt rgb24" : "-c:v mpeg2video -g 1 -q:v 3");
    for (const std::size_t which : {4, 12, 14}) {
      std::int64_t before = 0;
      const std::string damaged = with_lost_packet(clip, which, before);
      ASSERT_NE(damaged, "");
      const FilteredClip outcome = filtered_clip(damaged);
      EXPECT_EQ(outcome.pictures, clip_frames - 1);
      EXPECT_THAT(outcome.told, HasSubstr("is damaged after frame " + std::to_string(which) + "."));
    }
  }
}

// The pictures of a folder, read by several threads.
TEST(LostPictures, OfAFolderAreNamed) {
  for (const int which : {7, 10, 12}) {
    const std::string folder = fresh_folder("lost-folder");
    ASSERT_EQ(run("ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48 -frames:v 12 " + folder + "/%02d.png"), 0);
    const std::string one = folder + (which < 10 ? "/0" : "/") + std::to_string(which) + ".png";
    std::string bytes = all_bytes(one);
    std::fill(bytes.begin() + 100, bytes.end(), '\0');
    std::ofstream(one, std::ios::binary) << bytes;
    for (int attempt = 0; attempt < loss_attempts; ++attempt) {
      const FilteredClip outcome = filtered_clip(folder);
      EXPECT_TRUE(outcome.cut_short);
      EXPECT_THAT(outcome.told, HasSubstr("is damaged after frame " + std::to_string(which - 1) + "."));
      EXPECT_THAT(outcome.told, HasSubstr("What cannot be decoded of '" + one + "' is left out"));
    }
  }
}

}  // namespace
}  // namespace convoscope::test
