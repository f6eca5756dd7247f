// Frames through a device, planes in and planes out: as one at a time, and as exact arithmetic has it.
#include "kernels/convert/conveyor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

#include "kernels/cpu/host_memory.h"
#include "pictures.h"

namespace convoscope::tests {
namespace {

std::vector<Backend> backends_here() {
  std::vector<Backend> backends;
  for (const Backend backend : {Backend::cpu, Backend::emulated, Backend::cuda})
    if (why_unavailable(backend).empty()) backends.push_back(backend);
  return backends;
}

TestFormat planar(int shift_x, int shift_y) { return {AV_PIX_FMT_NONE, PlaneLayout::planar, 8, 0, shift_x, shift_y}; }

// Through a filter that changes nothing.
class Line {
 public:
  Line(Backend backend, int width, int height, PixelFormat format)
      : compute(make_compute(backend)), conveyor(make_conveyor(*compute, lanes)) {
    in = compute->allocate(width, height, format);
    out = compute->allocate(width, height, format);
    compute->fill(out.image(), 0xCD);
  }

  struct Sent {
    std::shared_ptr<void> host;
    std::size_t bytes;
    std::unique_ptr<Conveyed> conveyed;
    std::vector<std::uint8_t> wait() {
      conveyed->wait();
      const auto* const from = static_cast<const std::uint8_t*>(host.get());
      return {from, from + bytes};
    }
  };
  Sent send(const Picture& picture, bool stays_yuv, const std::optional<YuvLayout>& planes) {
    const std::size_t bytes = conveyed_bytes(planes, out.image());
    Sent sent{allocate_host(compute->device(), bytes), bytes, nullptr};
    std::memset(sent.host.get(), 0xCD, bytes);
    sent.conveyed = conveyor->send({.frame = frame_of(picture),
                                    .stays_yuv = stays_yuv,
                                    .in = in.image(),
                                    .out = out.image(),
                                    .planes = planes,
                                    .host = sent.host},
                                   [this] { compute->copy(in.image(), out.image()); });
    return sent;
  }

  static constexpr int lanes = 3;
  std::unique_ptr<Compute> compute;
  std::unique_ptr<Conveyor> conveyor;
  DeviceImage in, out;
};

constexpr YuvLayout::Chroma both[] = {YuvLayout::Chroma::full, YuvLayout::Chroma::halved};
constexpr std::pair<int, int> conveyed_sizes[] = {{1, 1}, {2, 3}, {7, 5}, {33, 17}, {64, 34}, {131, 9}};

// Of Y, U and V in limited range, not rounded.
std::array<double, 3> exact_yuv(const std::array<double, 3>& rgb, ColourMatrix matrix) {
  const double red = matrix == ColourMatrix::bt709 ? 0.2126 : 0.299,
               blue = matrix == ColourMatrix::bt709 ? 0.0722 : 0.114;
  const double y = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2];
  return {16 + y * 219 / 255, 128 + (rgb[2] - y) / (2 * (1 - blue)) * 224 / 255,
          128 + (rgb[0] - y) / (2 * (1 - red)) * 224 / 255};
}

TEST(Conveyor, ColoursBecomePlanesWithinACodeOfExactOnes) {
  for (const Backend backend : backends_here())
    for (const auto& [width, height] : conveyed_sizes)
      for (const ColourMatrix matrix : {ColourMatrix::bt601, ColourMatrix::bt709})
        for (const YuvLayout::Chroma chroma : both) {
          SCOPED_TRACE(std::string(to_string(backend)) + " " + std::to_string(width) + " × " + std::to_string(height));
          const Picture picture =
              make_picture(video_format({AV_PIX_FMT_NONE, PlaneLayout::rgba}, width, height), Content::extreme, 9, 4);
          const YuvLayout layout = make_yuv_layout(width, height, chroma, matrix);
          Line line(backend, width, height, PixelFormat::rgba8);
          const std::vector<std::uint8_t> planes = line.send(picture, false, layout).wait();
          const auto yuv_at = [&, width = width, height = height](int x, int y) {
            return exact_yuv(exact_rgb(picture, std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1)), matrix);
          };
          const auto stored = [&](std::size_t plane, int x, int y) {
            return planes[layout.offset[plane] + static_cast<std::size_t>(y) * layout.pitch[plane] +
                          static_cast<std::size_t>(x)];
          };
          constexpr double half_a_code = 0.5 + 0.01;
          for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) ASSERT_NEAR(stored(0, x, y), yuv_at(x, y)[0], half_a_code);
          constexpr int across[] = {1, 2, 1}, down[] = {1, 3, 3, 1};
          for (std::size_t plane = 1; plane < 3; ++plane)
            for (int y = 0; y < layout.plane_height(1); ++y)
              for (int x = 0; x < layout.plane_width(1); ++x) {
                double expected = chroma == YuvLayout::Chroma::full ? yuv_at(x, y)[plane] : 0;
                for (int j = 0; chroma == YuvLayout::Chroma::halved && j < 4; ++j)
                  for (int i = 0; i < 3; ++i)
                    expected += across[i] * down[j] * yuv_at(2 * x - 1 + i, 2 * y - 1 + j)[plane] / 32;
                ASSERT_NEAR(stored(plane, x, y), expected, half_a_code) << plane << ": " << x << ", " << y;
              }
        }
}

TEST(Conveyor, GivesTheSameWhateverComputes) {
  const std::vector<Backend> backends = backends_here();
  for (const auto& [width, height] : conveyed_sizes)
    for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f})
      for (const bool stays_yuv : {false, true})
        for (const YuvLayout::Chroma chroma : both) {
          if (stays_yuv && format != PixelFormat::rgba8) continue;
          const Picture picture = make_picture(video_format(planar(1, 1), width, height), Content::extreme, 3, 5);
          // As encoders want it: even, rows apart, something in front.
          const YuvLayout layout =
              make_yuv_layout((width + 1) / 2 * 2, (height + 1) / 2 * 2, chroma, ColourMatrix::bt709, 64, 64);
          std::vector<std::vector<std::uint8_t>> all;
          for (const Backend backend : backends)
            all.push_back(Line(backend, width, height, format).send(picture, stays_yuv, layout).wait());
          for (std::size_t i = 1; i < all.size(); ++i)
            for (std::size_t plane = 0; plane < 3; ++plane)
              for (int y = 0; y < layout.plane_height(static_cast<int>(plane)); ++y)
                for (int x = 0; x < layout.plane_width(static_cast<int>(plane)); ++x) {
                  const std::size_t at = layout.offset[plane] + static_cast<std::size_t>(y) * layout.pitch[plane] +
                                         static_cast<std::size_t>(x);
                  // Colours of the input may be rounded the other way by one; what stays Y, U and V is the same.
                  ASSERT_NEAR(all[i][at], all[0][at], stays_yuv ? 0 : 1)
                      << to_string(backends[i]) << ", plane " << plane << ": " << x << ", " << y;
                }
        }
}

TEST(Conveyor, RepeatsTheLastColumnAndRowToFillThePlanes) {
  for (const Backend backend : backends_here()) {
    const Picture picture = make_picture(video_format(planar(0, 0), 7, 5), Content::extreme, 3);
    const YuvLayout layout = make_yuv_layout(8, 6, YuvLayout::Chroma::halved, ColourMatrix::bt709);
    const std::vector<std::uint8_t> planes =
        Line(backend, 7, 5, PixelFormat::rgba8).send(picture, false, layout).wait();
    for (std::size_t y = 0; y < 6; ++y) EXPECT_EQ(planes[y * 8 + 7], planes[y * 8 + 6]);
    for (std::size_t x = 0; x < 8; ++x) EXPECT_EQ(planes[5 * 8 + x], planes[4 * 8 + x]);
  }
}

// More under way than there are lanes for, each with a picture of its own.
TEST(Conveyor, ManyAtOnceAreAsOneByOne) {
  constexpr int width = 61, height = 23, frames = 2 * Line::lanes + 1;
  const YuvLayout layout = make_yuv_layout(width, height, YuvLayout::Chroma::halved, ColourMatrix::bt709, 1, 64);
  for (const Backend backend : backends_here())
    for (const auto& planes : {std::optional<YuvLayout>(layout), std::optional<YuvLayout>()}) {
      std::vector<Picture> pictures;
      for (unsigned i = 0; i < frames; ++i)
        pictures.push_back(make_picture(video_format(planar(1, 1), width, height), Content::noise, i + 1, 3));
      Line line(backend, width, height, PixelFormat::rgba8), alone(backend, width, height, PixelFormat::rgba8);
      std::deque<Line::Sent> under_way;
      std::size_t done = 0;
      const auto take = [&] {
        EXPECT_EQ(under_way.front().wait(), alone.send(pictures[done], false, planes).wait()) << "frame " << done;
        under_way.pop_front();
        ++done;
      };
      for (const Picture& picture : pictures) {
        if (under_way.size() == Line::lanes) take();
        under_way.push_back(line.send(picture, false, planes));
      }
      while (!under_way.empty()) take();
    }
}

TEST(Conveyor, GreyIsGreyAndNothingBeyondWhite) {
  const float values[] = {-1, 0, 0.25f, 0.5f, 1, 2, NAN, INFINITY};
  const int codes[] = {16, 16, 71, 126, 235, 235, 16, 235};
  for (const Backend backend : backends_here()) {
    Line line(backend, 8, 2, PixelFormat::gray32f);
    std::vector<float> row(values, values + 8);
    row.insert(row.end(), values, values + 8);
    const std::shared_ptr<void> host = allocate_host(line.compute->device(), row.size() * sizeof(float));
    std::memcpy(host.get(), row.data(), row.size() * sizeof(float));
    const DeviceImage given = line.compute->allocate(8, 2, PixelFormat::gray32f);
    line.compute->upload({host.get(), 8, 2, 8 * sizeof(float), PixelFormat::gray32f}, given.image());
    const Picture picture = make_picture(video_format(planar(1, 1), 8, 2), Content::noise, 1);
    const YuvLayout layout = make_yuv_layout(8, 2, YuvLayout::Chroma::halved, ColourMatrix::bt709);
    const std::shared_ptr<void> block = allocate_host(line.compute->device(), layout.bytes);
    line.conveyor
        ->send({.frame = frame_of(picture),
                .in = line.in.image(),
                .out = line.out.image(),
                .planes = layout,
                .host = block},
               [&] { line.compute->copy(given.image(), line.out.image()); })
        ->wait();
    const auto* const planes = static_cast<const std::uint8_t*>(block.get());
    for (int i = 0; i < 8; ++i) EXPECT_EQ(planes[i], codes[i]) << values[i];
    for (std::size_t i = layout.offset[1]; i < layout.bytes; ++i) EXPECT_EQ(planes[i], 128);
  }
}

}  // namespace
}  // namespace convoscope::tests
