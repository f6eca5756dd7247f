// The texture strategies read aligned frames through a texture object of their own, which they make once, and copy
// others: both ways, and more frame buffers than they keep objects for, give the same pixels.
#include <gmock/gmock.h>

#include <cstring>

#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/reference.h"
#include "tests/emulator/support.h"

namespace convoscope::emulated {
namespace {

constexpr int width = 21, height = 9;

struct Frame {
  DeviceBuffer<unsigned char> memory;
  Image image;
};

Frame make_frame(std::size_t pitch, std::size_t offset, PixelFormat format, int seed_of_pixels) {
  Frame frame{DeviceBuffer<unsigned char>(offset + pitch * height), {}};
  frame.image = {frame.memory.data() + offset, width, height, pitch, format};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      unsigned char* pixel = static_cast<unsigned char*>(frame.image.data) + y * pitch + 4 * x;
      const float gray = static_cast<float>((x * 7 + y * 13 + seed_of_pixels) % 29) / 29.0f;
      const Rgba8 color{static_cast<unsigned char>(x * 11 + seed_of_pixels), static_cast<unsigned char>(y * 23),
                        static_cast<unsigned char>(x * y), static_cast<unsigned char>(x + y)};
      if (format == PixelFormat::gray32f)
        std::memcpy(pixel, &gray, 4);
      else
        std::memcpy(pixel, &color, 4);
    }
  return frame;
}

class TextureStrategy : public testing::TestWithParam<const char*> {
 protected:
  const Strategy& strategy() const { return *find_strategy(Backend::emulated, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Textures, TextureStrategy, testing::Values("texture", "separable-texture"),
                         [](const auto& parameter) { return std::to_string(parameter.index); });

TEST_P(TextureStrategy, AlignedAndUnalignedFramesInTurns) {
  const Device device{.backend = Backend::emulated, .name = "test", .compute_capability = 90};
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f})
    for (const Border border : all_borders) {
      const Problem problem{.width = width,
                            .height = height,
                            .format = format,
                            .border = border,
                            .filter = parse_filter("box:rx=23,ry=1").filter};  // wider than the image
      const auto plan = strategy().plan(problem, device, {});
      plan->prepare({});
      std::vector<Frame> frames;
      for (int i = 0; i < 90; ++i)
        frames.push_back(make_frame(i % 10 == 2 ? 4 * width : 96, i % 10 == 1 ? 4 : 0, format, i));
      for (int turn = 0; turn < 2; ++turn)
        for (const Frame& in : frames) {
          const Frame out = make_frame(4 * width, 0, format, 0);
          enqueue_image(*plan, in.image, out.image, {});
          const Difference worst = compare(problem, reference(problem, in.image), in.image, out.image);
          ASSERT_LE(worst.max_error, strategy().tolerance(problem))
              << to_string(border) << " at " << worst.x << ", " << worst.y;
        }
      EXPECT_NE(plan->note(), "");
    }
}

TEST_P(TextureStrategy, RefusesWhatNoTextureHolds) {
  const Device device = list_devices(Backend::emulated).front();
  Problem problem{
      .width = 131073, .height = 1, .format = PixelFormat::gray32f, .filter = parse_filter("box:radius=1").filter};
  EXPECT_THAT(strategy().unsupported(problem, device, {}), testing::HasSubstr("131073 × 1"));
  problem.width = 131072;
  EXPECT_EQ(strategy().unsupported(problem, device, {}), "");
}

// rgba8's sums have 16 bytes a pixel: their rows are longer than the image's.
TEST(SeparableTexture, RefusesRowsWhoseSumsNoTextureHolds) {
  const Strategy& strategy = *find_strategy(Backend::emulated, "separable-texture");
  const Device device = list_devices(Backend::emulated).front();
  Problem problem{.width = 131041, .height = 1, .filter = parse_filter("box:radius=1").filter};
  EXPECT_THAT(strategy.unsupported(problem, device, {}), testing::HasSubstr("131041 pixels"));
  problem.width = 131040;
  ASSERT_EQ(strategy.unsupported(problem, device, {}), "");
  EXPECT_NE(strategy.plan(problem, device, {}), nullptr);
}

}  // namespace
}  // namespace convoscope::emulated
