// Still pictures with some bytes overwritten. Neither AVIF nor WebP has checksums, but codes that were damaged mostly
// end too soon or too late, and that is told.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "app/media/write/whole_file.h"
#include "kernels/text/error.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace damaged_still {

inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_contents(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

enum class Reads { whole, damaged, refused };

inline Reads read_whole_file(const std::string& input) {
  WholeFileSettings settings;
  settings.input = input;
  settings.output = "none.png";
  Interrupt interrupt;
  try {
    const auto file = WholeFile::open(settings, interrupt);
    VideoFrame frame;
    for (PictureMoment moment; file->read(frame, moment);) continue;
    return file->cut_short() ? Reads::damaged : Reads::whole;
  } catch (const Error&) {
    return Reads::refused;
  }
}

constexpr std::size_t overwritten = 40, places = 12;

// Somewhere in the last seven eighths, other ones each time.
inline std::string with_damage(std::string bytes, std::size_t which) {
  const std::size_t first = bytes.size() / 8, room = bytes.size() - first - overwritten;
  auto state = static_cast<std::uint32_t>(which * 7919 + 1);
  for (std::size_t i = 0; i < overwritten; ++i) {
    char& byte = bytes[first + room * which / places + i];
    byte = static_cast<char>(byte ^ (1 | (state = state * 1664525u + 1013904223u) >> 24));
  }
  return bytes;
}

// How many of the damaged ones pass for whole.
inline int passing_for_whole(const std::string& name, const std::string& source, const std::string& options) {
  const std::string whole = made_file(
      "whole-" + name, "ffmpeg -nostdin -v error -y -f lavfi -i \"" + source + "\" -frames:v 1 " + options + " OUT");
  EXPECT_EQ(read_whole_file(whole), Reads::whole) << name;
  const std::string bytes = contents_of(whole), folder = fresh_folder("damaged-still");
  int silent = 0;
  for (std::size_t which = 0; which < places; ++which) {
    const std::string path = folder + "/" + std::to_string(which) + "-" + name;
    write_contents(path, with_damage(bytes, which));
    silent += read_whole_file(path) == Reads::whole;
  }
  return silent;
}

constexpr const char *drawn = "mandelbrot=s=320x240", *flat = "testsrc2=s=320x240",
                     *clear = "mandelbrot=s=160x120,format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='X'";

TEST(DamagedStill, OfAvifIsTold) {
  if (!has_encoder("libaom-av1")) GTEST_SKIP() << "this FFmpeg has no libaom";
  const std::string options = "-c:v libaom-av1 -still-picture 1 -cpu-used 8 -crf 20";
  EXPECT_EQ(passing_for_whole("drawn.avif", drawn, options), 0);
  EXPECT_EQ(passing_for_whole("flat.avif", flat, options), 0);
}

TEST(DamagedStill, OfWebpIsTold) {
  if (!has_encoder("libwebp")) GTEST_SKIP() << "this FFmpeg has no encoder libwebp";
  EXPECT_EQ(passing_for_whole("drawn.webp", drawn, "-c:v libwebp -quality 80"), 0);
  EXPECT_EQ(passing_for_whole("flat.webp", flat, "-c:v libwebp -quality 60"), 0);
  EXPECT_EQ(passing_for_whole("clear.webp", clear, "-c:v libwebp -quality 70"), 0);
}

// Its codes find their step again, as those of a text do: then nothing but colours has changed.
TEST(DamagedStill, OfLosslessWebpIsToldWhereItLosesItsStep) {
  if (!has_encoder("libwebp")) GTEST_SKIP() << "this FFmpeg has no encoder libwebp";
  EXPECT_LE(passing_for_whole("flat-lossless.webp", flat, "-c:v libwebp -lossless 1"), 4);
}

// As other programs write it: EXIF behind the picture is none of it.
TEST(DamagedStill, WhatLiesBehindAWebpPictureIsNoDamage) {
  if (!has_encoder("libwebp")) GTEST_SKIP() << "this FFmpeg has no encoder libwebp";
  const std::string whole =
      made_file("plain.webp", "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=64x48 -frames:v 1 -c:v libwebp OUT");
  const std::string folder = fresh_folder("webp-tail");
  write_contents(folder + "/a.webp", contents_of(whole) + std::string(100, 'x'));
  EXPECT_EQ(read_whole_file(folder + "/a.webp"), Reads::whole);
}

}  // namespace damaged_still
}  // namespace convoscope::test
