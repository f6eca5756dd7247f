// The conversion's arithmetic: every layout, range, matrix and chroma position, against swscale and exact arithmetic.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/convert/conversion.h"
#include "pictures.h"

namespace convoscope::tests {
namespace {

std::vector<Backend> usable_backends() {
  std::vector<Backend> backends;
  for (const Backend backend : {Backend::cpu, Backend::emulated, Backend::cuda})
    if (why_unavailable(backend).empty()) backends.push_back(backend);
  return backends;
}

// A converter and what it needs, with the result brought back to the host, tightly packed.
class Bench {
 public:
  explicit Bench(Backend backend) : compute_(make_compute(backend)), converter_(make_frame_converter(*compute_)) {}

  template <class T>
  std::vector<T> convert(const Picture& picture, PixelFormat format) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 4);
    const int width = picture.format.upright_width(), height = picture.format.upright_height();
    const DeviceImage out = compute_->allocate(width, height, format);
    compute_->fill(out.image(), 0xCD);
    converter_->enqueue(frame_of(picture), out.image());
    std::vector<T> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4 / sizeof(T));
    compute_->download(out.image(), {pixels.data(), width, height, static_cast<std::size_t>(width) * 4, format});
    return pixels;
  }
  std::vector<unsigned char> rgba(const Picture& picture) {
    return convert<unsigned char>(picture, PixelFormat::rgba8);
  }
  std::vector<float> gray(const Picture& picture) { return convert<float>(picture, PixelFormat::gray32f); }

 private:
  std::unique_ptr<Compute> compute_;
  std::unique_ptr<FrameConverter> converter_;
};

std::size_t at(int width, int x, int y) {
  return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 4;
}

std::string describe(const VideoFormat& format) {
  return std::to_string(format.width) + " × " + std::to_string(format.height) +
         (format.full_range ? ", full range" : ", limited range") + ", matrix " + std::to_string(format.matrix.red) +
         ", chroma site " + std::to_string(static_cast<int>(format.chroma_site)) + ", orientation " +
         std::to_string(format.orientation.exif());
}

constexpr ChromaSite every_site[] = {ChromaSite::left, ChromaSite::centre,      ChromaSite::top_left,
                                     ChromaSite::top,  ChromaSite::bottom_left, ChromaSite::bottom};

// Where EXIF's tag says that a stored pixel is seen: what the stored picture's first row and column are.
std::pair<int, int> upright_place(int tag, int x, int y, int width, int height) {
  switch (tag) {
    case 2:
      return {width - 1 - x, y};  // top, right
    case 3:
      return {width - 1 - x, height - 1 - y};  // bottom, right
    case 4:
      return {x, height - 1 - y};  // bottom, left
    case 5:
      return {y, x};  // left, top
    case 6:
      return {height - 1 - y, x};  // right, top
    case 7:
      return {height - 1 - y, width - 1 - x};  // right, bottom
    case 8:
      return {y, width - 1 - x};  // left, bottom
    default:
      return {x, y};
  }
}

// Rounded correctly, but for the float arithmetic's own error, far below this.
constexpr double rounding = 0.5 + 0.01;

void expect_exact(const Picture& picture, const std::vector<unsigned char>& rgba) {
  for (int y = 0; y < picture.format.height; ++y)
    for (int x = 0; x < picture.format.width; ++x) {
      const auto exact = exact_rgb(picture, x, y);
      const unsigned char* pixel = &rgba[at(picture.format.width, x, y)];
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_LE(std::abs(pixel[c] - exact[c]), rounding) << "channel " << c << " at " << x << ", " << y;
      const unsigned alpha = picture.format.layout == PlaneLayout::rgba ? picture.sample(0, 4 * x + 3, y) : 255;
      ASSERT_EQ(pixel[3], alpha) << "alpha at " << x << ", " << y;
    }
}

class Convert : public testing::TestWithParam<TestFormat> {
 protected:
  // Every range with every matrix, and with every place of chroma, where the format distinguishes them.
  template <class F>
  void for_each_signal(int width, int height, F&& f) {
    VideoFormat format = video_format(GetParam(), width, height);
    const bool packed = format.layout == PlaneLayout::rgba;
    const bool chroma = format.layout == PlaneLayout::planar || format.layout == PlaneLayout::semi_planar;
    const bool subsampled = chroma && (format.chroma_shift_x > 0 || format.chroma_shift_y > 0);
    for (const bool full : {false, true})
      for (const ColourMatrix& matrix : every_matrix())
        for (const ChromaSite site : every_site) {
          if ((packed || GetParam().full_by_name) && !full) continue;
          if (matrix != ColourMatrix::bt709 && (!chroma || site != ChromaSite::left)) continue;
          if (!subsampled && site != ChromaSite::left) continue;
          format.full_range = full, format.matrix = matrix, format.chroma_site = site;
          SCOPED_TRACE(describe(format));
          f(format);
          if (HasFatalFailure()) return;
        }
  }
};

TEST_P(Convert, IsWithinOneCodeValueOfSwscale) {
  if (!swscale_reads(GetParam())) GTEST_SKIP() << "this swscale does not read " << name_of(GetParam());
  for (const Backend backend : usable_backends()) {
    SCOPED_TRACE(to_string(backend));
    Bench bench(backend);
    for_each_signal(52, 22, [&](const VideoFormat& format) {
      if (!swscale_knows(format)) return;
      for (const Content content : {Content::smooth, Content::noise}) {
        const Picture picture = make_picture(format, content, 7);
        const auto expected = swscale_rgba(GetParam(), picture);
        const auto actual = bench.rgba(picture);
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_LE(std::abs(actual[i] - expected[i]), 1) << "byte " << i;
      }
    });
  }
}

TEST_P(Convert, RoundsExactArithmetic) {
  for (const Backend backend : usable_backends()) {
    SCOPED_TRACE(to_string(backend));
    Bench bench(backend);
    for_each_signal(40, 14, [&](const VideoFormat& format) {
      for (const Content content : {Content::smooth, Content::extreme}) {
        const Picture picture = make_picture(format, content, 3);
        expect_exact(picture, bench.rgba(picture));
      }
    });
  }
}

TEST_P(Convert, TakesOddSizesAndPitches) {
  const std::pair<int, int> sizes[] = {{1, 1}, {2, 1}, {1, 2}, {3, 3}, {5, 2}, {4, 5}, {7, 1}, {17, 9}, {131, 3}};
  for (const Backend backend : usable_backends()) {
    SCOPED_TRACE(to_string(backend));
    Bench bench(backend);
    for (const auto& [width, height] : sizes)
      for (const std::size_t padding : {std::size_t{0}, std::size_t{6}})
        for_each_signal(width, height, [&, padding = padding](const VideoFormat& format) {
          if (format.matrix != ColourMatrix::bt709) return;
          const Picture picture = make_picture(format, Content::noise, 11, padding);
          expect_exact(picture, bench.rgba(picture));
        });
  }
}

TEST_P(Convert, IsWithinOneCodeValueOfSwscaleAtOddSizes) {
  if (!swscale_reads(GetParam())) GTEST_SKIP() << "this swscale does not read " << name_of(GetParam());
  for (const Backend backend : usable_backends()) {
    SCOPED_TRACE(to_string(backend));
    Bench bench(backend);
    for_each_signal(33, 17, [&](const VideoFormat& format) {
      if (format.matrix != ColourMatrix::bt709 || !swscale_knows(format)) return;
      const Picture picture = make_picture(format, Content::noise, 19);
      const Picture padded = padded_to_chroma(picture);
      const auto expected = swscale_rgba(GetParam(), padded);
      const auto actual = bench.rgba(picture);
      for (int y = 0; y < 17; ++y)
        for (int x = 0; x < 33; ++x)
          for (std::size_t c = 0; c < 4; ++c)
            ASSERT_LE(std::abs(actual[at(33, x, y) + c] - expected[at(padded.format.width, x, y) + c]), 1)
                << "channel " << c << " at " << x << ", " << y;
    });
  }
}

TEST_P(Convert, TurnsAndMirrors) {
  for (const Backend backend : usable_backends()) {
    SCOPED_TRACE(to_string(backend));
    Bench bench(backend);
    for (const auto& [width, height] : {std::pair{19, 11}, std::pair{24, 12}, std::pair{1, 7}}) {
      Picture picture = make_picture(video_format(GetParam(), width, height), Content::noise, 5);
      const auto stored = bench.rgba(picture);
      const auto stored_gray = bench.gray(picture);
      for (int tag = 2; tag <= 8; ++tag) {
        picture.format.orientation = Orientation::of_exif(tag);
        SCOPED_TRACE(describe(picture.format));
        const auto turned = bench.rgba(picture);
        const auto turned_gray = bench.gray(picture);
        const int turned_width = picture.format.upright_width();
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x) {
            const auto [to_x, to_y] = upright_place(tag, x, y, width, height);
            for (std::size_t c = 0; c < 4; ++c)
              ASSERT_EQ(turned[at(turned_width, to_x, to_y) + c], stored[at(width, x, y) + c]) << x << ", " << y;
            ASSERT_EQ(turned_gray[at(turned_width, to_x, to_y) / 4], stored_gray[at(width, x, y) / 4])
                << x << ", " << y;
          }
      }
    }
  }
}

TEST_P(Convert, GrayIsTheLumaOfTheColours) {
  for (const Backend backend : usable_backends()) {
    SCOPED_TRACE(to_string(backend));
    Bench bench(backend);
    for_each_signal(21, 9, [&](const VideoFormat& format) {
      const Picture picture = make_picture(format, Content::extreme, 23);
      const auto rgba = bench.rgba(picture);
      const auto gray = bench.gray(picture);
      const auto [red, blue] = luma_weights(format.matrix);
      for (std::size_t i = 0; i < gray.size(); ++i)
        ASSERT_NEAR(gray[i], (red * rgba[4 * i] + (1 - red - blue) * rgba[4 * i + 1] + blue * rgba[4 * i + 2]) / 255,
                    1e-6)
            << "pixel " << i;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Convert, testing::ValuesIn(test_formats()),
                         [](const auto& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace convoscope::tests
