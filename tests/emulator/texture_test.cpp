// Texture objects against the borders that they are used for.
#include <gmock/gmock.h>

#include "kernels/contract/data/border.h"
#include "kernels/contract/data/image.h"
#include "tests/emulator/support.h"

namespace convoscope::emulated {
namespace {

constexpr int width = 5, height = 3;
constexpr std::size_t pitch = 32;

class TextureTest : public testing::Test {
 protected:
  TextureTest() : memory(pitch / sizeof(float) * height) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) memory.data()[y * pitch / sizeof(float) + x] = pixel(x, y);
  }
  static float pixel(int x, int y) { return static_cast<float>(10 * y + x + 1); }

  cudaResourceDesc resource() const {
    cudaResourceDesc description{};
    description.resType = cudaResourceTypePitch2D;
    description.res.pitch2D.devPtr = memory.data();
    description.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    description.res.pitch2D.width = width;
    description.res.pitch2D.height = height;
    description.res.pitch2D.pitchInBytes = pitch;
    return description;
  }
  static cudaTextureDesc sampling(cudaTextureAddressMode mode, bool normalised) {
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = mode;
    description.normalizedCoords = normalised;
    return description;
  }
  std::vector<float> row(cudaTextureAddressMode mode, bool normalised, int y, int from, int to) const {
    const cudaResourceDesc where = resource();
    const cudaTextureDesc how = sampling(mode, normalised);
    cudaTextureObject_t texture = 0;
    CONVOSCOPE_CHECK(cudaCreateTextureObject(&texture, &where, &how, nullptr));
    std::vector<float> values;
    for (int x = from; x < to; ++x) {
      const float u = static_cast<float>(x) + 0.5f, v = static_cast<float>(y) + 0.5f;
      values.push_back(normalised ? tex2D<float>(texture, u / width, v / height) : tex2D<float>(texture, u, v));
    }
    CONVOSCOPE_CHECK(cudaDestroyTextureObject(texture));
    return values;
  }

  DeviceBuffer<float> memory;
};

TEST_F(TextureTest, AddressingModes) {
  using testing::ElementsAre;
  EXPECT_THAT(row(cudaAddressModeBorder, false, 1, -2, 7), ElementsAre(0, 0, 11, 12, 13, 14, 15, 0, 0));
  EXPECT_THAT(row(cudaAddressModeClamp, false, 1, -2, 7), ElementsAre(11, 11, 11, 12, 13, 14, 15, 15, 15));
  EXPECT_THAT(row(cudaAddressModeWrap, true, 1, -2, 7), ElementsAre(14, 15, 11, 12, 13, 14, 15, 11, 12));
  EXPECT_THAT(row(cudaAddressModeMirror, true, 1, -2, 7), ElementsAre(12, 11, 11, 12, 13, 14, 15, 15, 14));
  EXPECT_THAT(row(cudaAddressModeWrap, false, 1, -2, 2), ElementsAre(11, 11, 11, 12)) << "pixel coordinates only clamp";
  EXPECT_THAT(row(cudaAddressModeBorder, false, -1, 0, 2), ElementsAre(0, 0));
  EXPECT_THAT(row(cudaAddressModeClamp, false, 99, 0, 2), ElementsAre(21, 22));
  EXPECT_THAT(row(cudaAddressModeWrap, true, 4, 0, 2), ElementsAre(11, 12));
}

TEST_F(TextureTest, HardwareAddressingMeansOurBordersWhereTheStrategySaysSo) {
  const auto expect = [&](Border border, const std::vector<float>& values, int from) {
    for (int i = 0; i < static_cast<int>(values.size()); ++i) {
      const int x = border_index(from + i, width, border);
      EXPECT_EQ(values[i], x < 0 ? 0.0f : pixel(x, 1)) << to_string(border) << " " << from + i;
    }
  };
  expect(Border::zero, row(cudaAddressModeBorder, false, 1, -13, 18), -13);
  expect(Border::replicate, row(cudaAddressModeClamp, false, 1, -13, 18), -13);
  expect(Border::wrap, row(cudaAddressModeWrap, true, 1, -13, 18), -13);
}

TEST_F(TextureTest, RefusesWhatHardwareRefuses) {
  cudaTextureObject_t texture = 0;
  const cudaTextureDesc how = sampling(cudaAddressModeClamp, false);
  const auto status = [&](auto change) {
    cudaResourceDesc where = resource();
    change(where);
    return cudaCreateTextureObject(&texture, &where, &how, nullptr);
  };
  EXPECT_EQ(status([](auto& r) { r.res.pitch2D.pitchInBytes = 36; }), cudaErrorInvalidValue);
  EXPECT_EQ(status([&](auto& r) { r.res.pitch2D.devPtr = memory.data() + 4; }), cudaErrorInvalidValue);
  EXPECT_EQ(status([](auto& r) { r.res.pitch2D.width = 9; }), cudaErrorInvalidValue) << "wider than the pitch";
  EXPECT_EQ(status([](auto& r) { r.res.pitch2D.height = 65001; }), cudaErrorInvalidValue);
  EXPECT_EQ(status([](auto& r) { r.resType = cudaResourceTypeLinear; }), cudaErrorInvalidValue);
}

__global__ void reads_other_elements(cudaTextureObject_t texture, uchar4* out) {
  out[0] = tex2D<uchar4>(texture, 0, 0);
}
__global__ void reads_wider_elements(cudaTextureObject_t texture, double* out) {
  out[0] = tex2D<double>(texture, 0, 0);
}

TEST_F(TextureTest, ElementsHaveTheirSize) {
  const cudaResourceDesc where = resource();
  const cudaTextureDesc how = sampling(cudaAddressModeClamp, false);
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &where, &how, nullptr), cudaSuccess);
  const DeviceBuffer<uchar4> bytes(1);
  launch(reads_other_elements, dim3(1), dim3(1), 0, Stream{}, texture, bytes.data());
  EXPECT_EQ(std::bit_cast<float>(bytes.data()[0]), 1.0f);
  const DeviceBuffer<double> wide(1);
  EXPECT_THAT(error_of([&] { launch(reads_wider_elements, dim3(1), dim3(1), 0, Stream{}, texture, wide.data()); }),
              testing::HasSubstr("8-byte elements"));
  CONVOSCOPE_CHECK(cudaDestroyTextureObject(texture));
}

}  // namespace
}  // namespace convoscope::emulated
