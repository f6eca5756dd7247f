// Pictures that stay Y, U and V: with the chroma of every pixel, and back in planes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/convert/yuv_planes.h"
#include "pictures.h"

namespace convoscope::tests {
namespace {

struct Yuv {
  explicit Yuv(const Picture& picture, Backend backend = Backend::cpu)
      : compute(make_compute(backend)), converter(make_frame_converter(*compute)) {
    const VideoFormat& format = picture.format;
    image = compute->allocate(format.upright_width(), format.upright_height(), PixelFormat::rgba8);
    converter->enqueue_yuv(frame_of(picture), image.image());
  }
  Rgba8 at(int x, int y) const { return row_of<const Rgba8>(image.image(), y)[x]; }

  std::unique_ptr<Compute> compute;
  std::unique_ptr<FrameConverter> converter;
  DeviceImage image;
};

TestFormat format_of(PlaneLayout layout, int shift_x, int shift_y) {
  return {AV_PIX_FMT_NONE, layout, 8, 0, shift_x, shift_y};
}

constexpr std::pair<int, int> sizes[] = {{1, 1}, {2, 3}, {7, 5}, {33, 17}, {64, 34}, {131, 9}};

TEST(YuvPictures, HaveTheLumaThatIsStoredAndTheChromaOfTheColours) {
  for (const PlaneLayout layout : {PlaneLayout::planar, PlaneLayout::semi_planar})
    for (const auto& [shift_x, shift_y] : {std::pair{0, 0}, std::pair{1, 0}, std::pair{1, 1}})
      for (const ChromaSite site : {ChromaSite::left, ChromaSite::centre, ChromaSite::top_left})
        for (const auto& [width, height] : sizes) {
          SCOPED_TRACE(std::to_string(width) + " × " + std::to_string(height));
          VideoFormat format = video_format(format_of(layout, shift_x, shift_y), width, height);
          format.chroma_site = site;
          const Picture picture = make_picture(format, Content::smooth, 5, 3);
          const Yuv yuv(picture);
          for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
              const Rgba8 pixel = yuv.at(x, y);
              ASSERT_EQ(pixel.r, picture.sample(0, x, y));
              ASSERT_EQ(pixel.a, 255);
              // The colours that these are, against those of the definition: half a code of U or V is one of them.
              const double luma = (pixel.r - 16) * 255. / 219, u = (pixel.g - 128) * 255. / 224,
                           v = (pixel.b - 128) * 255. / 224;
              const auto exact = exact_rgb(picture, x, y);
              ASSERT_NEAR(std::clamp(luma + 1.5748 * v, 0., 255.), exact[0], 1);
              ASSERT_NEAR(std::clamp(luma + 1.8556 * u, 0., 255.), exact[2], 1.1);
            }
        }
}

TEST(YuvPictures, AreTurnedUpright) {
  VideoFormat format = video_format(format_of(PlaneLayout::planar, 1, 1), 19, 10);
  const Picture picture = make_picture(format, Content::noise, 3);
  Picture turned = picture;
  turned.format.orientation = Orientation::of_quarters(1);
  const Yuv yuv(picture), upright(turned);
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 19; ++x) {
      ASSERT_EQ(upright.at(9 - y, x).r, yuv.at(x, y).r);
      ASSERT_EQ(upright.at(9 - y, x).b, yuv.at(x, y).b);
    }
}

TEST(YuvPictures, AreTheSameWhateverComputes) {
  for (const PlaneLayout layout : {PlaneLayout::planar, PlaneLayout::semi_planar})
    for (const auto& [shift_x, shift_y] : {std::pair{0, 0}, std::pair{1, 0}, std::pair{1, 1}})
      for (const ChromaSite site : {ChromaSite::left, ChromaSite::centre, ChromaSite::top_left}) {
        VideoFormat format = video_format(format_of(layout, shift_x, shift_y), 37, 19);
        format.chroma_site = site;
        const Picture picture = make_picture(format, Content::extreme, 5, 3);
        const Yuv one(picture), other(picture, Backend::emulated);
        for (int y = 0; y < 19; ++y)
          for (int x = 0; x < 37; ++x) {
            ASSERT_EQ(one.at(x, y).r, other.at(x, y).r);
            ASSERT_EQ(one.at(x, y).g, other.at(x, y).g);
            ASSERT_EQ(one.at(x, y).b, other.at(x, y).b);
          }
      }
}

TEST(YuvPictures, AreForEightBitsOfThreePlanes) {
  for (const Backend backend : {Backend::cpu, Backend::emulated}) {
    const auto compute = make_compute(backend);
    const auto converter = make_frame_converter(*compute);
    VideoFormat format = video_format(format_of(PlaneLayout::planar, 1, 1), 8, 8);
    EXPECT_TRUE(converter->has_yuv(format));
    format.bits = 10;
    EXPECT_FALSE(converter->has_yuv(format));
    EXPECT_FALSE(converter->has_yuv(video_format(format_of(PlaneLayout::gray, 0, 0), 8, 8)));
    EXPECT_FALSE(converter->has_yuv(video_format(format_of(PlaneLayout::rgba, 0, 0), 8, 8)));
  }
}

// Of a layout without a head and a gap, of a picture with Y, U and V in place of its colours.
std::vector<std::uint8_t> planes_of(const Image& yuv, YuvLayout::Chroma chroma) {
  const YuvLayout layout = make_yuv_layout(yuv.width, yuv.height, chroma, ColourMatrix::bt709);
  std::vector<std::uint8_t> planes(layout.bytes);
  YuvPlanes().write(yuv, make_plane_conversion(layout, true, planes.data()));
  return planes;
}

TEST(YuvPlanes, HaveTheMeansOfChromaWhereItsSamplesSit) {
  for (const auto& [width, height] : sizes) {
    SCOPED_TRACE(std::to_string(width) + " × " + std::to_string(height));
    const Yuv yuv(make_picture(video_format(format_of(PlaneLayout::planar, 0, 0), width, height), Content::extreme, 9));
    const auto pixel = [&, width = width, height = height](int x, int y) {
      return yuv.at(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1));
    };
    const int chroma_width = (width + 1) / 2, chroma_height = (height + 1) / 2, luma = width * height;
    const std::vector<std::uint8_t> planes = planes_of(yuv.image.image(), YuvLayout::Chroma::halved);
    ASSERT_EQ(planes.size(), static_cast<std::size_t>(luma + 2 * chroma_width * chroma_height));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) ASSERT_EQ(planes[static_cast<std::size_t>(y * width + x)], pixel(x, y).r);
    // On an even column and between two rows: of three columns, and of four rows by their distance.
    constexpr int across[] = {1, 2, 1}, down[] = {1, 3, 3, 1};
    for (int y = 0; y < chroma_height; ++y)
      for (int x = 0; x < chroma_width; ++x) {
        int u = 0, v = 0;
        for (int j = 0; j < 4; ++j)
          for (int i = 0; i < 3; ++i) {
            u += across[i] * down[j] * pixel(2 * x - 1 + i, 2 * y - 1 + j).g;
            v += across[i] * down[j] * pixel(2 * x - 1 + i, 2 * y - 1 + j).b;
          }
        const int at = luma + y * chroma_width + x;
        ASSERT_EQ(planes[static_cast<std::size_t>(at)], (u + 16) / 32) << x << ", " << y;
        ASSERT_EQ(planes[static_cast<std::size_t>(at + chroma_width * chroma_height)], (v + 16) / 32) << x << ", " << y;
      }
  }
}

TEST(YuvPlanes, OfFullResolutionAreTheChannels) {
  const Yuv yuv(make_picture(video_format(format_of(PlaneLayout::planar, 0, 0), 37, 5), Content::extreme, 9));
  const std::vector<std::uint8_t> planes = planes_of(yuv.image.image(), YuvLayout::Chroma::full);
  ASSERT_EQ(planes.size(), 3u * 37 * 5);
  for (std::size_t i = 0; i < 37 * 5; ++i) {
    const Rgba8 pixel = yuv.at(static_cast<int>(i % 37), static_cast<int>(i / 37));
    ASSERT_EQ(planes[i], pixel.r);
    ASSERT_EQ(planes[37 * 5 + i], pixel.g);
    ASSERT_EQ(planes[2 * 37 * 5 + i], pixel.b);
  }
}

}  // namespace
}  // namespace convoscope::tests
