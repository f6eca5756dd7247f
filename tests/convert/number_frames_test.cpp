// Numbers on their way to what is filtered: as they are, or rounded and clamped.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "kernels/convert/conversion.h"
#include "kernels/convert/video_frame.h"
#include "kernels/text/error.h"

namespace convoscope::tests {
namespace {

VideoFrame frame_of_numbers(const std::vector<float>& numbers, int width, int height) {
  VideoFrame frame;
  frame.format.layout = PlaneLayout::numbers;
  frame.format.width = width;
  frame.format.height = height;
  frame.format.bits = 32;
  frame.planes[0] = numbers.data();
  frame.pitch[0] = static_cast<std::size_t>(width) * sizeof(float);
  return frame;
}

template <class Pixel>
std::vector<Pixel> converted(Backend backend, const VideoFrame& frame, PixelFormat format) {
  const std::unique_ptr<Compute> compute = make_compute(backend);
  const int width = frame.format.width, height = frame.format.height;
  const DeviceImage out = compute->allocate(width, height, format);
  make_frame_converter(*compute)->enqueue(frame, out.image());
  std::vector<Pixel> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  compute->download(out.image(), {pixels.data(), width, height, static_cast<std::size_t>(width) * 4, format});
  return pixels;
}

TEST(NumberFrames, StayAsTheyAreInFloats) {
  const std::vector<float> numbers{
      8, -2.5f, 1e6f, 0, 300, 0.125f, -0.0f, 7, 1, 3, std::numeric_limits<float>::infinity(), 9, 4, 5};
  for (const Backend backend : {Backend::cpu, Backend::emulated, Backend::cuda})
    if (why_unavailable(backend).empty()) {
      EXPECT_EQ(converted<float>(backend, frame_of_numbers(numbers, 7, 2), PixelFormat::gray32f), numbers);
      EXPECT_EQ(converted<float>(backend, frame_of_numbers(numbers, 1, 14), PixelFormat::gray32f), numbers);
    }
}

TEST(NumberFrames, AreCodeValuesInBytes) {
  const std::vector<float> numbers{8, -2.5f, 300, 74.4f, 255, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<unsigned> codes{8, 0, 255, 74, 255, 0};
  for (const Backend backend : {Backend::cpu, Backend::emulated, Backend::cuda})
    if (why_unavailable(backend).empty()) {
      const auto pixels = converted<std::uint32_t>(backend, frame_of_numbers(numbers, 3, 2), PixelFormat::rgba8);
      for (std::size_t i = 0; i < codes.size(); ++i)
        EXPECT_EQ(pixels[i], 0xFF000000u | codes[i] * 0x010101u) << i << " by " << static_cast<int>(backend);
    }
}

TEST(NumberFrames, HaveThirtyTwoBits) {
  VideoFormat format{.layout = PlaneLayout::numbers, .width = 3, .height = 2, .bits = 8};
  EXPECT_THROW(make_conversion(format), Error);
  format.bits = 32;
  EXPECT_EQ(plane_size(format, 0).row_bytes, 12u);
  EXPECT_EQ(plane_size(format, 1).rows, 0);
}

}  // namespace
}  // namespace convoscope::tests
