// The floor of a measurement, emulated: each byte once, and nothing beside it.
#include "kernels/measure/floor.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace convoscope {
namespace {

TEST(Floor, MovesEachPixelAndNoPadding) {
  struct Case {
    int width, height;
    std::size_t in_pitch, out_pitch;
    PixelFormat format = PixelFormat::gray32f;
  };
  for (const auto& [width, height, in_pitch, out_pitch, format] :
       {Case{1, 1, 16, 16}, Case{37, 5, 160, 176}, Case{64, 9, 256, 256}, Case{1100, 3, 4400, 4400},
        Case{4096, 2, 16384, 16400}, Case{4098, 2, 16400, 16400}, Case{37, 5, 80, 96, PixelFormat::gray16f},
        Case{5, 3, 10, 10, PixelFormat::gray16f}}) {
    std::vector<unsigned> in(in_pitch * static_cast<std::size_t>(height) / 4 + 4);
    std::vector<unsigned> out(out_pitch * static_cast<std::size_t>(height) / 4 + 4, 0xA5A5A5A5), expected = out;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned>(i * 2654435761u);
    // As the device's memory is: on 16 bytes.
    const auto aligned = [](std::vector<unsigned>& words) {
      return (16 - reinterpret_cast<std::uintptr_t>(words.data()) % 16) % 16 / 4;
    };
    unsigned* const from = in.data() + aligned(in);
    unsigned* const to = out.data() + aligned(out);
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
      std::memcpy(reinterpret_cast<std::byte*>(expected.data() + aligned(out)) + y * out_pitch,
                  reinterpret_cast<const std::byte*>(from) + y * in_pitch,
                  static_cast<std::size_t>(width) * bytes_per_pixel(format));
    emulated::measure::enqueue_floor({from, width, height, in_pitch, format}, {to, width, height, out_pitch, format},
                                     {});
    EXPECT_EQ(out, expected) << width << " × " << height << " " << to_string(format);
  }
  emulated::measure::enqueue_nothing({});
}

}  // namespace
}  // namespace convoscope
