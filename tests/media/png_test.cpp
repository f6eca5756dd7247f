#include "app/media/write/png.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/text/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

TEST(Png, HoldsPixelsAndTexts) {
  const std::string path = fresh_folder("png") + "/a.png";
  const std::size_t pitch = 37 * 4 + 8;
  std::vector<std::uint8_t> pixels(pitch * 19);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 7);
  write_png(path, {pixels.data(), 37, 19, pitch, PixelFormat::rgba8},
            {{"Software", "Convoscope"}, {"Filter", "σ = 3"}});

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&image, path.c_str())) << image.message;
  ASSERT_EQ(image.width, 37u);
  ASSERT_EQ(image.height, 19u);
  image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> back(PNG_IMAGE_SIZE(image));
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, back.data(), 0, nullptr));
  for (std::size_t y = 0; y < 19; ++y)
    for (std::size_t x = 0; x < 37 * 4; ++x) ASSERT_EQ(back[y * 37 * 4 + x], pixels[y * pitch + x]);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(bytes.find(std::string("tEXtSoftware\0Convoscope", 23)), std::string::npos);
  EXPECT_NE(bytes.find("iTXtFilter"), std::string::npos);

  EXPECT_THROW(write_png("/no/such/folder/a.png", {pixels.data(), 37, 19, pitch, PixelFormat::rgba8}, {}), Error);
  ASSERT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_THROW(write_png("/dev/full", {pixels.data(), 37, 19, pitch, PixelFormat::rgba8}, {}), Error);
  EXPECT_TRUE(std::filesystem::exists("/dev/full")) << "a device must not be removed";
  EXPECT_THROW(write_png(path, {pixels.data(), 0, 19, pitch, PixelFormat::rgba8}, {}), Error);
}

}  // namespace
}  // namespace convoscope::test
