#include "app/media/write/animation.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "kernels/text/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

// A bright square that moves over blue, 25 pictures in two seconds.
Animation moving_square() {
  Animation animation{96, 54, {}};
  for (int i = 0; i < 25; ++i) {
    AnimationFrame frame;
    frame.seconds = 100 + i * 0.08;
    for (int y = 0; y < 54; ++y)
      for (int x = 0; x < 96; ++x) {
        const bool inside = x >= 3 * i && x < 3 * i + 12 && y >= 20 && y < 32;
        for (const int byte : {inside ? 40 : 200, inside ? 220 : 20, inside ? 250 : 10, 255})
          frame.bgra.push_back(static_cast<std::uint8_t>(byte));
      }
    animation.frames.push_back(std::move(frame));
  }
  return animation;
}

TEST(Animation, AGifHasItsPicturesTimesAndColours) {
  const std::string path = fresh_folder("animation") + "/a.gif";
  write_animation(path, moving_square());
  EXPECT_EQ(output_of("ffprobe -v error -count_frames -show_entries stream=codec_name,width,height,nb_read_frames -of "
                      "csv=p=0 '" +
                      path + "'"),
            "gif,96,54,25\n");
  const double seconds =
      std::stod(output_of("ffprobe -v error -show_entries format=duration -of csv=p=0 '" + path + "'"));
  EXPECT_NEAR(seconds, 2, 0.15);
  const std::string pixels = output_of("ffmpeg -nostdin -v error -i '" + path +
                                       "' -vf 'select=eq(n\\,10)' -frames:v 1 "
                                       "-f rawvideo -pix_fmt rgb24 -");
  ASSERT_EQ(pixels.size(), 96u * 54 * 3);
  const auto at = [&](std::size_t x, std::size_t y, std::size_t c) {
    return static_cast<int>(static_cast<unsigned char>(pixels[3 * (y * 96 + x) + c]));
  };
  EXPECT_NEAR(at(36, 26, 0), 250, 24);
  EXPECT_NEAR(at(36, 26, 1), 220, 24);
  EXPECT_NEAR(at(5, 5, 2), 200, 24);
}

TEST(Animation, WebPWhereThisFFmpegHasIt) {
  const std::string path = fresh_folder("animation-webp") + "/a.webp";
  try {
    write_animation(path, moving_square());
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Choose GIF"), std::string::npos) << error.what();
    return;
  }
  std::string head = output_of("head -c 12 '" + path + "'");
  EXPECT_EQ(head.substr(0, 4) + head.substr(8), "RIFFWEBP");
  EXPECT_NE(output_of("cat '" + path + "'").find("ANIM"), std::string::npos);
}

TEST(Animation, WhatCannotBeWrittenIsSaidAndLeavesNothing) {
  EXPECT_THROW(write_animation("/no/such/folder/a.gif", moving_square()), Error);
  EXPECT_THROW(write_animation(fresh_folder("animation-none") + "/a.gif", {}), Error);
}

}  // namespace
}  // namespace convoscope::test
