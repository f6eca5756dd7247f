// The floor of a measurement, emulated: each byte once, and nothing beside it.
#include "kernels/measure/floor.h"

#include <gtest/gtest.h>

#include <vector>

namespace convoscope {
namespace {

TEST(Floor, MovesEachPixelAndNoPadding) {
  struct Case {
    int width, height;
    std::size_t in_pitch, out_pitch;
  };
  for (const auto& [width, height, in_pitch, out_pitch] :
       {Case{1, 1, 16, 16}, Case{37, 5, 160, 176}, Case{64, 9, 256, 256}, Case{1100, 3, 4400, 4400},
        Case{4096, 2, 16384, 16400}, Case{4098, 2, 16400, 16400}}) {
    std::vector<unsigned> in(in_pitch / 4 * static_cast<std::size_t>(height) + 3);
    std::vector<unsigned> out(out_pitch / 4 * static_cast<std::size_t>(height) + 3, 0xA5A5A5A5), expected = out;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned>(i * 2654435761u);
    // As the device's memory is: on 16 bytes.
    const auto aligned = [](std::vector<unsigned>& words) {
      return (16 - reinterpret_cast<std::uintptr_t>(words.data()) % 16) % 16 / 4;
    };
    unsigned* const from = in.data() + aligned(in);
    unsigned* const to = out.data() + aligned(out);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        expected[aligned(out) + y * out_pitch / 4 + static_cast<std::size_t>(x)] =
            from[y * in_pitch / 4 + static_cast<std::size_t>(x)];
    emulated::measure::enqueue_floor({from, width, height, in_pitch, PixelFormat::gray32f},
                                     {to, width, height, out_pitch, PixelFormat::gray32f}, {});
    EXPECT_EQ(out, expected) << width << " × " << height;
  }
  emulated::measure::enqueue_nothing({});
}

}  // namespace
}  // namespace convoscope
