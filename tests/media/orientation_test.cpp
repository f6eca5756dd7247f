// Photos and clips that are stored turned or mirrored: all eight ways, in EXIF and in a clip's display matrix.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/picture_facts.h"
#include "app/media/read/thumbnail.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

// What a viewer does with EXIF's tag, as a display matrix of mp4: x' = a x + c y, y' = b x + d y.
struct Turn {
  int tag, a, b, c, d;
};
constexpr Turn turns[] = {{1, 1, 0, 0, 1}, {2, -1, 0, 0, 1}, {3, -1, 0, 0, -1}, {4, 1, 0, 0, -1},
                          {5, 0, 1, 1, 0}, {6, 0, 1, -1, 0}, {7, 0, -1, -1, 0}, {8, 0, -1, 1, 0}};

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(in)), {}};
}

// A picture of 64 × 48 with a corner each in red, green, blue and grey, from the left above on clockwise.
std::string corners(const std::string& file, const std::string& options) {
  return made_file(file,
                   "ffmpeg -nostdin -v error -y -f lavfi -i \"color=s=64x48:r=25,format=gbrp,geq="
                   "r='if(gt(Y,24),if(gt(X,32),20,128),if(gt(X,32),20,230))':"
                   "g='if(gt(Y,24),if(gt(X,32),20,128),if(gt(X,32),230,20))':"
                   "b='if(gt(Y,24),if(gt(X,32),230,128),20)'\" -frames:v 1 " +
                       options + " OUT");
}

std::string with_exif(const std::string& jpeg, int tag) {
  std::string exif(
      "\xff\xe1\x00\x22"
      "Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0?\0\0\0\0\0\0",
      36);
  exif[exif.find('?')] = static_cast<char>(tag);
  std::string bytes = contents(jpeg);
  bytes.insert(2, exif);
  const std::string path = fresh_folder("exif-" + std::to_string(tag)) + "/photo.jpg";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string with_matrix(const std::string& mp4, const Turn& turn) {
  std::string bytes = contents(mp4);
  const std::size_t at = bytes.find("tkhd") + 4 + 40;
  const auto put = [&](std::size_t index, int value) {
    const auto fixed = static_cast<std::uint32_t>(value * 65536);
    for (std::size_t i = 0; i < 4; ++i) bytes[at + 4 * index + i] = static_cast<char>(fixed >> (24 - 8 * i));
  };
  put(0, turn.a), put(1, turn.b), put(3, turn.c), put(4, turn.d);
  const std::string path = fresh_folder("matrix-" + std::to_string(turn.tag)) + "/clip.mp4";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// The colours' first letters, from the left above on clockwise.
std::string corners_of(const Image& upright) {
  std::string seen;
  for (const auto& [x, y] : {std::pair{1, 1}, {3, 1}, {3, 3}, {1, 3}}) {
    const Rgba8 pixel = row_of<const Rgba8>(upright, y * upright.height / 4)[x * upright.width / 4];
    seen += pixel.r > 180 ? 'R' : pixel.g > 180 ? 'G' : pixel.b > 180 ? 'B' : pixel.r > 80 ? 'g' : '?';
  }
  return seen;
}

// Which corner of the stored picture is seen at each corner, by where a viewer puts them.
std::string expected_corners(const Turn& turn) {
  constexpr std::pair<int, int> places[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  std::string seen(4, '?');
  for (int i = 0; i < 4; ++i) {
    const auto [x, y] = places[i];
    const std::pair to{turn.a * x + turn.c * y, turn.b * x + turn.d * y};
    seen[static_cast<std::size_t>(std::find(places, places + 4, to) - places)] = "RGBg"[i];
  }
  return seen;
}

void expect_upright(const std::string& path, const Turn& turn) {
  DecodeTarget target;
  target.planes = true;
  const auto player = open(path, Pace::every, target);
  const VideoFrame frame = next(*player, once());
  EXPECT_EQ(frame.format.orientation.exif(), turn.tag);
  EXPECT_EQ(frame.format.width, 64);  // as stored
  const int width = turn.tag > 4 ? 48 : 64, height = turn.tag > 4 ? 64 : 48;
  EXPECT_EQ(player->stats().width, width);
  EXPECT_EQ(player->stats().height, height);
  ASSERT_EQ(frame.format.upright_width(), width);
  std::vector<Rgba8> pixels(64 * 48);
  const Image upright{pixels.data(), width, height, static_cast<std::size_t>(width) * 4, PixelFormat::rgba8};
  convert_on_this_thread(frame, upright);
  EXPECT_EQ(corners_of(upright), expected_corners(turn));

  Interrupt interrupt;
  ThumbnailPixels small = make_thumbnail(path, 40, 40, interrupt);
  ASSERT_EQ(small.width, turn.tag > 4 ? 30 : 40);
  ASSERT_EQ(small.height, turn.tag > 4 ? 40 : 30);
  EXPECT_EQ(corners_of({small.rgba.data(), small.width, small.height, static_cast<std::size_t>(small.width) * 4,
                        PixelFormat::rgba8}),
            expected_corners(turn));
}

TEST(Orientation, OfPhotosIsExifs) {
  const std::string jpeg = corners("corners.jpg", "-c:v mjpeg -q:v 2 -pix_fmt yuvj444p");
  for (const Turn& turn : turns) {
    SCOPED_TRACE(turn.tag);
    expect_upright(with_exif(jpeg, turn.tag), turn);
  }
}

TEST(Orientation, OfClipsIsTheDisplayMatrixAlsoWhereItMirrors) {
  const std::string clip = corners("corners.mp4", "-c:v libx264 -qp 10 -pix_fmt yuv444p");
  for (const Turn& turn : turns) {
    SCOPED_TRACE(turn.tag);
    expect_upright(with_matrix(clip, turn), turn);
  }
}

// One after the other, each as it lies: a folder of photos that were taken both ways.
TEST(Orientation, IsEachPicturesOwn) {
  const std::string jpeg = corners("corners.jpg", "-c:v mjpeg -q:v 2 -pix_fmt yuvj444p");
  const std::string folder = fresh_folder("photos");
  for (const Turn& turn : turns)
    std::filesystem::copy_file(with_exif(jpeg, turn.tag), folder + "/p" + std::to_string(turn.tag) + ".jpg");
  const auto player = open(folder + "/p%d.jpg");
  for (const Turn& turn : turns) {
    EXPECT_EQ(next(*player, once()).format.orientation.exif(), turn.tag);
    EXPECT_EQ(player->stats().width, turn.tag > 4 ? 48 : 64);
    EXPECT_EQ(player->stats().height, turn.tag > 4 ? 64 : 48);
  }
}

// A matrix that scales, or turns by a few degrees, is the nearest of the eight; one that shows nothing is none.
TEST(Orientation, IsTheNearestOfTheEight) {
  const auto of = [](double a, double b, double c, double d) {
    std::array<std::int32_t, 9> matrix{};
    const double numbers[] = {a, b, 0, c, d, 0};
    for (std::size_t i = 0; i < 6; ++i) matrix[i] = static_cast<std::int32_t>(numbers[i] * 65536);
    return orientation_of(matrix.data()).exif();
  };
  EXPECT_EQ(of(2, 0, 0, -0.5), 4);
  EXPECT_EQ(of(0, 2, -0.25, 0), 6);
  EXPECT_EQ(of(0.8, 0.6, -0.6, 0.8), 1);
  EXPECT_EQ(of(0.6, 0.8, -0.8, 0.6), 6);
  EXPECT_EQ(of(-0.8, -0.6, -0.6, 0.8), 2);
  EXPECT_EQ(of(0, 0, 0, 0), 1);
  EXPECT_EQ(of(1, 1, 1, 1), 1);
}

// What a picture says of itself comes before what its stream says.
TEST(Orientation, OfAFrameComesBeforeItsStreams) {
  AVFormatContext* const context = avformat_alloc_context();
  AVStream* const stream = avformat_new_stream(context, nullptr);
  const Owned<AVFrame> frame = make_frame();
  EXPECT_EQ(facts_of(*frame, *stream).orientation, Orientation());
  AVFrameSideData* const own = av_frame_new_side_data(frame.get(), AV_FRAME_DATA_DISPLAYMATRIX, 36);
  const std::int32_t matrix[9] = {0, 65536, 0, 65536, 0, 0, 0, 0, 1 << 30};
  std::memcpy(own->data, matrix, sizeof matrix);
  EXPECT_EQ(facts_of(*frame, *stream).orientation.exif(), 5);
  avformat_free_context(context);
}

}  // namespace
}  // namespace convoscope::test
