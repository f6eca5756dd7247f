// Every kind of file: each frame once, in order, with its number, its time and its picture.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "app/media/read/picture.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

struct Kind {
  const char *file, *encoder, *options;
  int frames = 30;
};

const Kind kinds[] = {
    {"h264.mp4", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2"},
    {"h264.mkv", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2"},
    {"h264.ts", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2"},
    {"h264-10bit.mp4", "libx264", "-c:v libx264 -pix_fmt yuv420p10le -g 12"},
    {"h264-422.mp4", "libx264", "-c:v libx264 -pix_fmt yuv422p -g 12"},
    {"h264-444.mp4", "libx264", "-c:v libx264 -pix_fmt yuv444p -g 12"},
    {"hevc.mp4", "libx265", "-c:v libx265 -x265-params log-level=none:keyint=12 -pix_fmt yuv420p"},
    {"hevc-10bit.mkv", "libx265", "-c:v libx265 -x265-params log-level=none:keyint=12 -pix_fmt yuv422p10le"},
    {"vp9.webm", "libvpx-vp9", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 12 -pix_fmt yuv420p"},
    {"av1.mkv", "libsvtav1", "-c:v libsvtav1 -preset 12 -g 12 -pix_fmt yuv420p"},
    {"mjpeg.avi", "mjpeg", "-c:v mjpeg -pix_fmt yuvj420p -q:v 3"},
    {"prores.mov", "prores_ks", "-c:v prores_ks -pix_fmt yuv422p10le"},
    {"prores-444.mov", "prores_ks", "-c:v prores_ks -pix_fmt yuv444p10le"},
    {"ffv1.mkv", "ffv1", "-c:v ffv1 -pix_fmt yuv444p16le"},
    {"ffv1-rgb.mkv", "ffv1", "-c:v ffv1 -pix_fmt bgr0"},
    {"ffv1-gray.mkv", "ffv1", "-c:v ffv1 -pix_fmt gray"},
    {"ffv1-gbrp10.mkv", "ffv1", "-c:v ffv1 -pix_fmt gbrp10le"},
    {"raw-nv12.avi", "rawvideo", "-c:v rawvideo -pix_fmt nv12"},
    {"raw-yuyv.avi", "rawvideo", "-c:v rawvideo -pix_fmt yuyv422"},
    {"mpeg4.avi", "mpeg4", "-c:v mpeg4 -bf 2 -g 12 -q:v 3"},
    {"animation.gif", "gif", "-c:v gif"},
    {"raw.h264", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 0 -f h264"},
};

class EveryFrame : public testing::TestWithParam<std::tuple<Kind, bool>> {};

TEST_P(EveryFrame, ComesOnceWithItsNumberAndPicture) {
  const auto& [kind, planes] = GetParam();
  if (!has_encoder(kind.encoder)) GTEST_SKIP() << "this FFmpeg has no encoder " << kind.encoder;
  const std::string path = coded_clip(kind.file, kind.frames, kind.options);
  DecodeTarget target;
  target.planes = planes;
  const auto player = open(path, Pace::every, target);
  const std::vector<VideoFrame> frames = play(*player);
  ASSERT_EQ(frames.size(), static_cast<std::size_t>(kind.frames)) << player->stats().error;
  for (int i = 0; i < kind.frames; ++i) {
    const VideoFrame& frame = frames[static_cast<std::size_t>(i)];
    ASSERT_EQ(code_of(frame), i);
    EXPECT_EQ(frame.number, i);
    EXPECT_NEAR(frame.seconds, i / 25.0, 0.0011);
    EXPECT_EQ(frame.format.width, code_width);
    EXPECT_EQ(frame.format.height, code_height);
    if (!planes) {
      EXPECT_EQ(frame.format.layout, PlaneLayout::rgba);
    }
  }
  const SourceStats stats = player->stats();
  EXPECT_EQ(stats.frames, kind.frames);
  EXPECT_NEAR(stats.duration, kind.frames / 25.0, 0.05);
  EXPECT_NEAR(stats.rate, 25, 0.01);
  EXPECT_TRUE(stats.ended);
  EXPECT_FALSE(stats.live);
  EXPECT_TRUE(stats.seekable);
  EXPECT_EQ(player->frames_dropped(), 0);
  EXPECT_FALSE(player->take_error());
  int decoded = 0;
  while (player->take_decode_ms()) ++decoded;
  EXPECT_EQ(decoded, kind.frames);
}

INSTANTIATE_TEST_SUITE_P(Files, EveryFrame, testing::Combine(testing::ValuesIn(kinds), testing::Bool()),
                         [](const auto& parameter) {
                           std::string name = std::get<0>(parameter.param).file;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name + (std::get<1>(parameter.param) ? "_planes" : "_rgba");
                         });

VideoFormat format_of(const char* file, const char* options) {
  DecodeTarget target;
  target.planes = true;
  const auto player = open(coded_clip(file, 2, options), Pace::every, target);
  return next(*player, once()).format;
}

TEST(Planes, AreDescribedAsTheyLie) {
  // No encoder writes this one; NVDEC gives it.
  const Owned<AVFrame> frame = make_frame();
  frame->width = 64, frame->height = 64;
  const VideoFormat p010 = describe_planes(AV_PIX_FMT_P010LE, *frame).value();
  EXPECT_EQ(p010.layout, PlaneLayout::semi_planar);
  EXPECT_EQ(p010.bits, 10);
  EXPECT_EQ(p010.shift, 6);
  EXPECT_EQ(p010.chroma_shift_x, 1);
  EXPECT_EQ(p010.chroma_shift_y, 1);
  const VideoFormat gbr = format_of("ffv1-gbrp12.mkv", "-c:v ffv1 -pix_fmt gbrp12le");
  EXPECT_EQ(gbr.layout, PlaneLayout::planar_rgb);
  EXPECT_EQ(gbr.bits, 12);
  EXPECT_TRUE(gbr.full_range);
  const VideoFormat deep = format_of("rgb48.nut", "-c:v rawvideo -pix_fmt rgb48be");  // no name for it: converted
  EXPECT_EQ(deep.layout, PlaneLayout::planar_rgb);
  EXPECT_EQ(deep.bits, 16);
  const VideoFormat packed = format_of("uyvy.avi", "-c:v rawvideo -pix_fmt uyvy422");
  EXPECT_EQ(packed.layout, PlaneLayout::rgba);
  const VideoFormat wide = format_of("yuv411.mkv", "-c:v ffv1 -pix_fmt yuv411p");
  EXPECT_EQ(wide.chroma_shift_x, 2);
  EXPECT_EQ(wide.chroma_shift_y, 0);
}

TEST(Planes, ColoursAreTheStreamsOrTheUsualOnes) {
  const VideoFormat tagged = format_of("tags.mkv", "-c:v ffv1 -pix_fmt yuv420p -colorspace bt2020nc -color_range pc");
  EXPECT_EQ(tagged.matrix, ColourMatrix::bt2020);
  EXPECT_TRUE(tagged.full_range);
  const VideoFormat small = format_of("no-tags.mkv", "-c:v ffv1 -pix_fmt yuv420p");
  EXPECT_EQ(small.matrix, ColourMatrix::bt601);
  EXPECT_FALSE(small.full_range);
  EXPECT_EQ(small.chroma_site, ChromaSite::left);
  const VideoFormat high = format_of("no-tags-720.mkv", "-vf scale=64:720 -c:v ffv1 -pix_fmt yuv420p");
  EXPECT_EQ(high.matrix, ColourMatrix::bt709);
  const VideoFormat jpeg = format_of("jpeg.avi", "-c:v mjpeg -pix_fmt yuvj420p");
  EXPECT_TRUE(jpeg.full_range);
  EXPECT_EQ(jpeg.chroma_site, ChromaSite::centre);
}

TEST(Rgba, UsesTheStreamsMatrixAndRange) {
  // One colour, Y = 120, U = 90, V = 200, in a file with raw planes.
  struct Case {
    const char *name, *space, *range;
    double kr, kb;
    bool full;
  };
  for (const Case& c :
       {Case{"601", "smpte170m", "tv", 0.299, 0.114, false}, Case{"709", "bt709", "tv", 0.2126, 0.0722, false},
        Case{"709f", "bt709", "pc", 0.2126, 0.0722, true}, Case{"2020", "bt2020nc", "tv", 0.2627, 0.0593, false}}) {
    const std::string path =
        made_file(std::string("colour-") + c.name + ".mkv",
                  std::string("ffmpeg -nostdin -v error -y -f lavfi -i \"color=black:s=64x64:r=25,format=yuv420p,"
                              "geq=lum=120:cb=90:cr=200\" -frames:v 1 -c:v ffv1 -colorspace ") +
                      c.space + " -color_range " + c.range + " OUT");
    const auto player = open(path);
    const VideoFrame frame = next(*player, once());
    const double y = c.full ? 120 : (120 - 16) * 255.0 / 219, scale = c.full ? 1 : 255.0 / 224;
    const double u = (90 - 128) * scale, v = (200 - 128) * scale, kg = 1 - c.kr - c.kb;
    const double r = y + 2 * (1 - c.kr) * v, b = y + 2 * (1 - c.kb) * u;
    const double g = y - 2 * (1 - c.kr) * c.kr / kg * v - 2 * (1 - c.kb) * c.kb / kg * u;
    const auto* pixel = static_cast<const std::uint8_t*>(frame.planes[0]) + 32 * frame.pitch[0] + 32 * 4;
    EXPECT_NEAR(pixel[0], std::clamp(r, 0.0, 255.0), 1.01) << c.name;
    EXPECT_NEAR(pixel[1], std::clamp(g, 0.0, 255.0), 1.01) << c.name;
    EXPECT_NEAR(pixel[2], std::clamp(b, 0.0, 255.0), 1.01) << c.name;
    EXPECT_EQ(pixel[3], 255);
  }
}

// Rows, or columns, of two colours in turn, in formats that have all of their chroma along that axis.
TEST(Rgba, ChromaStaysInItsRowAndColumn) {
  struct Case {
    const char *file, *options, *along;
  };
  const int colours[2][3] = {{200, 60, 40}, {60, 100, 170}};
  for (const Case& c : {Case{"rows-uyvy.avi", "-c:v rawvideo -pix_fmt uyvy422", "Y"},
                        Case{"rows-444.mkv", "-c:v ffv1 -pix_fmt yuv444p", "Y"},
                        Case{"rows-422.mkv", "-c:v ffv1 -pix_fmt yuv422p10le", "Y"},
                        Case{"rows-411.mkv", "-c:v ffv1 -pix_fmt yuv411p", "Y"},
                        Case{"rows-gbr.nut", "-c:v rawvideo -pix_fmt gbrp10be", "Y"},
                        Case{"rows-rgb.nut", "-c:v rawvideo -pix_fmt rgb444le", "Y"},
                        Case{"columns-440.mkv", "-c:v ffv1 -pix_fmt yuv440p", "X"},
                        Case{"columns-jpeg.jpg", "-c:v mjpeg -q:v 1 -pix_fmt yuvj444p", "X"}}) {
    std::string pick[3];
    for (int channel = 0; channel < 3; ++channel)
      pick[channel] = std::string("'if(mod(") + c.along + ",2)," + std::to_string(colours[1][channel]) + "," +
                      std::to_string(colours[0][channel]) + ")'";
    const std::string path =
        made_file(c.file, "ffmpeg -nostdin -v error -y -f lavfi -i \"color=s=64x64:r=25,format=gbrp,geq=r=" + pick[0] +
                              ":g=" + pick[1] + ":b=" + pick[2] + "\" -frames:v 1 " + c.options + " OUT");
    const auto player = open(path);
    const VideoFrame frame = next(*player, once());
    ASSERT_EQ(frame.format.layout, PlaneLayout::rgba);
    for (int i = 32; i < 34; ++i) {
      const std::size_t x = c.along[0] == 'X' ? i : 32, y = c.along[0] == 'X' ? 32 : i;
      const auto* pixel = static_cast<const std::uint8_t*>(frame.planes[0]) + y * frame.pitch[0] + x * 4;
      for (int channel = 0; channel < 3; ++channel)
        EXPECT_NEAR(pixel[channel], colours[i % 2][channel], 17) << c.file << ", " << i << ", " << channel;
    }
  }
}

TEST(Formats, PinnedMemoryIsUsedAndReused) {
  int allocations = 0;
  DecodeTarget target;
  target.cuda = true;  // there is no GPU here: software, into the memory that is given
  target.allocate_host = [&](std::size_t bytes) {
    ++allocations;
    return std::shared_ptr<void>(std::aligned_alloc(64, (bytes + 63) / 64 * 64), std::free);
  };
  const auto player =
      open(coded_clip("h264.mp4", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2"), Pace::every, target);
  PlaybackSettings loop;
  int shown = 0;
  for (; shown < 300; ++shown) ASSERT_EQ(code_of(next(*player, loop)), shown % 30);
  EXPECT_GT(allocations, 0);
  EXPECT_LT(allocations, 80);  // the decoder's references, the queue and what is on its way, not one a frame
  EXPECT_NE(player->stats().decoder.find("software"), std::string::npos);
}

TEST(Formats, ImagesPlayAsOneFrame) {
  for (const char* file : {"still.png", "still.jpg", "still.bmp", "still.tiff"}) {
    const std::string path = coded_clip(file, 1, "-update 1");
    const auto player = open(path);
    const std::vector<VideoFrame> frames = play(*player);
    ASSERT_EQ(frames.size(), 1u) << file << player->stats().error;
    EXPECT_EQ(frames[0].format.width, code_width);
    EXPECT_EQ(player->stats().frames, 1);
    EXPECT_FALSE(player->stats().live);

    const auto looped = open(path);
    for (const VideoFrame& frame : play(*looped, {}, 5)) EXPECT_EQ(frame.number, 0);

    const auto window = open(path, Pace::clock);
    next(*window, {});
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(window->next_frame({}));
    EXPECT_FALSE(window->stats().ended);
    window->seek_seconds(0);
    EXPECT_EQ(next(*window, {}).number, 0);
  }
}

TEST(Formats, ImageSequencesPlay) {
  const std::string folder = fresh_folder("sequence");
  coded_clip("ffv1-rgb.mkv", 30, "-c:v ffv1 -pix_fmt bgr0");
  ASSERT_EQ(run("ffmpeg -nostdin -v error -y -i '" + clip_folder() + "/ffv1-rgb.mkv' -start_number 17 '" + folder +
                "/frame%04d.png'"),
            0);
  const auto player = open(folder + "/frame%04d.png");
  const std::vector<VideoFrame> frames = play(*player);
  ASSERT_EQ(frames.size(), 30u) << player->stats().error;
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(code_of(frames[static_cast<std::size_t>(i)]), i);
    EXPECT_EQ(frames[static_cast<std::size_t>(i)].number, i);
  }
  player->seek_frame(11);
  EXPECT_EQ(code_of(next(*player, once())), 11);
}

// Writes a display matrix into the track header of an mp4 file, as a phone does.
std::string rotated(const std::string& path, const std::string& name, int quarters) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const std::size_t at = bytes.find("tkhd") + 4 + 40;
  const int cosine[] = {1, 0, -1, 0}, sine[] = {0, 1, 0, -1};
  const auto put = [&](std::size_t index, int value) {
    const auto fixed = static_cast<std::uint32_t>(value * 65536);
    for (int i = 0; i < 4; ++i)
      bytes[at + 4 * index + static_cast<std::size_t>(i)] = static_cast<char>(fixed >> (24 - 8 * i));
  };
  put(0, cosine[quarters]), put(1, sine[quarters]), put(3, -sine[quarters]), put(4, cosine[quarters]);
  const std::string out = clip_folder() + "/" + name;
  std::ofstream(out, std::ios::binary) << bytes;
  return out;
}

TEST(Formats, RotationIsToldClockwise) {
  const std::string clip = coded_clip("h264.mp4", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2");
  for (int quarters = 0; quarters < 4; ++quarters) {
    const auto player = open(rotated(clip, "rotated" + std::to_string(quarters) + ".mp4", quarters));
    const VideoFrame frame = next(*player, once());
    EXPECT_EQ(frame.format.orientation, Orientation::of_quarters(quarters));
    EXPECT_EQ(frame.format.width, code_width);  // stored
    EXPECT_EQ(player->stats().width, quarters % 2 ? code_height : code_width);
    EXPECT_EQ(player->stats().height, quarters % 2 ? code_width : code_height);
  }
}

TEST(Formats, SampleAspectRatioIsOfTheUprightPicture) {
  const std::string clip = coded_clip("sar.mp4", 5, "-vf setsar=4/3 -c:v libx264 -pix_fmt yuv420p");
  const auto player = open(clip);
  next(*player, once());
  EXPECT_NEAR(player->stats().pixel_aspect, 4.0 / 3, 1e-6);
  const auto turned = open(rotated(clip, "sar-rotated.mp4", 1));
  next(*turned, once());
  EXPECT_NEAR(turned->stats().pixel_aspect, 3.0 / 4, 1e-6);
}

TEST(Formats, VariableRatesKeepTheirTimes) {
  // Frame n is shown at n² / 100 s.
  const std::string clip = coded_clip("vfr.mkv", 15,
                                      "-vf \"settb=1/1000,setpts=N*N*10\" -vsync passthrough -enc_time_base 1:1000 "
                                      "-c:v libx264 -bf 2 -g 6 -pix_fmt yuv420p");
  const auto player = open(clip);
  const std::vector<VideoFrame> frames = play(*player);
  ASSERT_EQ(frames.size(), 15u);
  for (int n = 0; n < 15; ++n) {
    EXPECT_NEAR(frames[static_cast<std::size_t>(n)].seconds, n * n / 100.0, 0.0011);
    EXPECT_EQ(code_of(frames[static_cast<std::size_t>(n)]), n);
  }
  player->seek_seconds(0.6);  // 0.49…0.64 s shows frame 7
  EXPECT_EQ(code_of(next(*player, once())), 7);
}

TEST(Formats, DescriptionNamesWhatMatters) {
  const auto player = open(coded_clip("h264.mp4", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2"));
  next(*player, once());
  const SourceStats stats = player->stats();
  EXPECT_NE(stats.description.find("H.264"), std::string::npos) << stats.description;
  EXPECT_NE(stats.description.find("128 × 64"), std::string::npos) << stats.description;
  EXPECT_NE(stats.description.find("25 fps"), std::string::npos) << stats.description;
  EXPECT_NE(stats.name.find("h264.mp4"), std::string::npos);
}

TEST(Formats, NamesMayHoldAnything) {
  const std::string clip = coded_clip("h264.mp4", 30, "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2");
  const std::string folder = fresh_folder("names");
  for (const char* name :
       {"with space.mp4", "colon: in name.mp4", "per%cent %20.mp4", "quote'\".mp4", "ünïcödé.mp4", "%03d.mp4"}) {
    std::filesystem::copy_file(clip, folder + "/" + name);
    const auto player = open(folder + "/" + name);
    EXPECT_EQ(play(*player).size(), 30u) << name << player->stats().error;
  }
}

}  // namespace
}  // namespace convoscope::test
