// What a stream says is to be cut away of its pictures.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

// What a stream cuts away on the left lies before the picture, where decoders would rather have aligned memory.
TEST(Crop, OnTheLeftAndAboveIsWhereItSays) {
  if (!has_encoder("libx264")) GTEST_SKIP() << "this FFmpeg has no encoder libx264";
  const std::string clip = made_file(
      "ramp.h264",
      "ffmpeg -nostdin -v error -y -f lavfi -i \"color=s=128x64:r=25,format=yuv420p,geq=lum=X+Y:cb=128:cr=128\" "
      "-frames:v 2 -c:v libx264 -qp 0 OUT");
  for (const auto& [left, above, right] : {std::tuple{8, 0, 0}, {2, 6, 0}, {24, 2, 10}}) {
    const std::string name = std::to_string(left) + "-" + std::to_string(above);
    const std::string cropped = made_file(
        "ramp-" + name + ".h264",
        "ffmpeg -nostdin -v error -y -i '" + clip + "' -c copy -bsf:v h264_metadata=crop_left=" + std::to_string(left) +
            ":crop_top=" + std::to_string(above) + ":crop_right=" + std::to_string(right) + " -f h264 OUT");
    DecodeTarget target;
    target.planes = true;
    const auto player = open(cropped, Pace::every, target);
    const VideoFrame frame = next(*player, once());
    ASSERT_EQ(frame.format.width, 128 - left - right) << name;
    ASSERT_EQ(frame.format.height, 64 - above) << name;
    for (const int x : {0, 1, frame.format.width - 1})
      for (const int y : {0, frame.format.height - 1})
        EXPECT_EQ(static_cast<const std::uint8_t*>(
                      frame.planes[0])[static_cast<std::size_t>(y) * frame.pitch[0] + static_cast<std::size_t>(x)],
                  x + y + left + above)
            << name << ": " << x << ", " << y;
  }
}

}  // namespace
}  // namespace convoscope::test
