// Decoded again, what was written is what went in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/media/write/file_output.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

struct Picture {
  Picture(int w, int h) : width(w), height(h), bytes(static_cast<std::size_t>(4) * w * h, 255) {}
  Image image() { return {bytes.data(), width, height, static_cast<std::size_t>(4) * width, PixelFormat::rgba8}; }
  std::uint8_t* at(int x, int y) { return &bytes[static_cast<std::size_t>(4) * (y * width + x)]; }

  int width, height;
  std::vector<std::uint8_t> bytes;
};

void make_noise(Picture& picture, std::uint32_t state) {
  for (std::size_t i = 0; i < picture.bytes.size(); ++i)
    if (i % 4 != 3) picture.bytes[i] = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
}

RecordingSettings lossless(const std::string& path, int width, int height) {
  RecordingSettings settings;
  settings.path = path;
  settings.width = width;
  settings.height = height;
  settings.rate = 25;
  settings.codec = RecordingCodec::ffv1;
  return settings;
}

// Where slices are a pixel wide or high, FFmpeg's decoder finds others than its encoder wrote.
TEST(Ffv1, IsExactOfEverySize) {
  const std::string path = fresh_folder("exact") + "/a.mkv";
  for (const auto& [width, height] : {std::pair{1, 1},
                                      {1, 7},
                                      {7, 1},
                                      {2, 2},
                                      {3, 3},
                                      {4, 4},
                                      {5, 4},
                                      {4, 5},
                                      {40, 4},
                                      {4, 40},
                                      {5, 5},
                                      {15, 16},
                                      {16, 16},
                                      {17, 19},
                                      {400, 2},
                                      {2, 400},
                                      {401, 17}}) {
    SCOPED_TRACE(std::to_string(width) + " × " + std::to_string(height));
    const RecordingSettings settings = lossless(path, width, height);
    std::string expected;
    {
      const auto output = open_muxed_output(settings, {}, {25, 1});
      for (int i = 0; i < 3; ++i) {
        Picture picture(width, height);
        make_noise(picture, static_cast<std::uint32_t>(i + 1));
        expected.append(picture.bytes.begin(), picture.bytes.end());
        output->add(picture.image(), i * settings.tick_denominator / 25, settings.tick_denominator / 25);
      }
      output->finish(true);
    }
    EXPECT_TRUE(output_of("ffmpeg -v error -i '" + path + "' -f rawvideo -pix_fmt rgba -") == expected);
  }
}

// Of one pixel: limited range, BT.601.
struct Yuv {
  double y, u, v;
};
Yuv yuv_of(const std::uint8_t* rgb) {
  const double red = 0.299, blue = 0.114, y = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2];
  const double scale = 224 / 255.0;
  return {16 + y * 219 / 255, 128 + (rgb[2] - y) / (2 * (1 - blue)) * scale,
          128 + (rgb[0] - y) / (2 * (1 - red)) * scale};
}

std::vector<std::uint8_t> only_picture_in(const std::string& y4m) {
  std::ifstream in(y4m, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const std::size_t begin = bytes.find("\nFRAME\n") + 7;
  return {bytes.begin() + static_cast<std::ptrdiff_t>(std::min(begin, bytes.size())), bytes.end()};
}

TEST(Y4m, FullChromaIsThatOfEachPixel) {
  for (const auto& [width, height] : {std::pair{16, 16}, {33, 17}, {1, 5}, {64, 48}}) {
    SCOPED_TRACE(std::to_string(width) + " × " + std::to_string(height));
    const std::string path = fresh_folder("exact-y4m") + "/a.y4m";
    Picture picture(width, height);
    make_noise(picture, 1);
    const Interrupt interrupt;
    const auto output = open_y4m_output(lossless(path, width, height), {25, 1}, interrupt);
    output->add(picture.image(), 0, 1);
    output->finish(true);
    const std::vector<std::uint8_t> planes = only_picture_in(path);
    const std::size_t pixels = static_cast<std::size_t>(width) * height;
    ASSERT_EQ(planes.size(), 3 * pixels);
    double worst = 0;
    for (std::size_t i = 0; i < pixels; ++i) {
      const Yuv yuv = yuv_of(&picture.bytes[4 * i]);
      worst = std::max({worst, std::abs(planes[i] - yuv.y), std::abs(planes[pixels + i] - yuv.u),
                        std::abs(planes[2 * pixels + i] - yuv.v)});
    }
    EXPECT_LE(worst, 1);
  }
}

// GStreamer 1.22 reads no more than 80 bytes of a header.
TEST(Y4m, ItsHeaderIsShort) {
  const std::string path = fresh_folder("header-y4m") + "/a.y4m";
  for (const auto& [width, height, rate] :
       {std::tuple{1280, 720, AVRational{25, 1}}, {16384, 16, {60000, 1001}}, {16, 16384, {2147483647, 89478485}}}) {
    for (const bool full_chroma : {false, true}) {
      RecordingSettings settings = lossless(path, width, height);
      if (!full_chroma) settings.codec = RecordingCodec::h264;
      settings.pixel_aspect_width = 1000;
      settings.pixel_aspect_height = 1001;
      const Interrupt interrupt;
      const auto output = open_y4m_output(settings, rate, interrupt);
      Picture picture(width, height);
      output->add(picture.image(), 0, 1);
      EXPECT_EQ(output->note().find("BT.709") == std::string::npos, height < 720);
      output->finish(true);
      std::string header;
      std::ifstream file(path);
      std::getline(file, header);
      EXPECT_TRUE(header.starts_with("YUV4MPEG2 W")) << header;
      EXPECT_LE(header.size() + 1, 80u) << header;
    }
  }
}

TEST(Y4m, HalvedChromaLiesBetweenItsTwoRows) {
  constexpr int width = 16, height = 12;
  const std::string path = fresh_folder("halved-y4m") + "/a.y4m";
  Picture rows(width, height), noise(1, height);
  make_noise(noise, 1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) std::copy_n(noise.at(0, y), 4, rows.at(x, y));
  RecordingSettings settings = lossless(path, width, height);
  settings.codec = RecordingCodec::h264;
  const Interrupt interrupt;
  const auto output = open_y4m_output(settings, {25, 1}, interrupt);
  output->add(rows.image(), 0, 1);
  output->finish(true);
  const std::vector<std::uint8_t> planes = only_picture_in(path);
  constexpr std::size_t luma = width * height, chroma = luma / 4;
  ASSERT_EQ(planes.size(), luma + 2 * chroma);
  for (int y = 1; y < height / 2 - 1; ++y) {
    Yuv expected{};
    for (const auto& [row, weight] : {std::pair{-1, 1}, {0, 3}, {1, 3}, {2, 1}}) {
      const Yuv yuv = yuv_of(rows.at(0, 2 * y + row));
      expected.u += yuv.u * weight / 8;
      expected.v += yuv.v * weight / 8;
    }
    const std::size_t at = luma + static_cast<std::size_t>(y) * (width / 2) + 3;
    EXPECT_NEAR(planes[at], expected.u, 1);
    EXPECT_NEAR(planes[at + chroma], expected.v, 1);
  }
}

}  // namespace
}  // namespace convoscope::test
