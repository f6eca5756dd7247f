// Still pictures through the door to the formats' own libraries: right in every pixel, through every way in.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "app/media/read/picture.h"
#include "app/media/read/thumbnail.h"
#include "app/media/stills/exif.h"
#include "app/media/stills/light.h"
#include "app/media/stills/still.h"
#include "app/media/write/whole_file.h"
#include "kernels/text/error.h"
#include "tests/media/made_stills.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

namespace fs = std::filesystem;

using Expected = std::function<Colour(int, int)>;

// Every pixel of an rgba frame, within `tolerance` code values.
void expect_shows(const VideoFrame& frame, int width, int height, int tolerance = 0,
                  const Expected& expected = still_colour) {
  ASSERT_EQ(frame.format.layout, PlaneLayout::rgba);
  ASSERT_EQ(frame.format.width, width);
  ASSERT_EQ(frame.format.height, height);
  int worst = 0;
  for (int y = 0; y < height; ++y) {
    const auto* const row =
        static_cast<const std::uint8_t*>(frame.planes[0]) + static_cast<std::size_t>(y) * frame.pitch[0];
    for (int x = 0; x < width; ++x)
      for (std::size_t k = 0; k < 4; ++k)
        worst = std::max(worst, std::abs(row[4 * static_cast<std::size_t>(x) + k] - expected(x, y)[k]));
  }
  EXPECT_LE(worst, tolerance);
}

VideoFrame only_frame(const std::string& path, std::string* warning = nullptr) {
  const auto player = open(path);
  std::vector<VideoFrame> frames = play(*player);
  EXPECT_EQ(frames.size(), 1u) << path << ": " << player->stats().error;
  EXPECT_EQ(player->stats().frames, 1);
  EXPECT_FALSE(player->stats().cut_short);
  if (warning) *warning = player->take_error().value_or("");
  return frames.empty() ? VideoFrame() : frames.front();
}

std::string error_of_opening(const std::string& path, std::int64_t max_pixels = 100'000'000) {
  SourceSettings source;
  source.input = path;
  source.max_pixels = max_pixels;
  const auto player = Player::open(source, {}, Pace::every);
  return wait_for_error(*player).value_or("");
}

struct TiffCase {
  const char* name;
  TiffChoice choice;
  int tolerance = 0;
};

class EveryTiff : public testing::TestWithParam<TiffCase> {};

TEST_P(EveryTiff, IsRightInEveryPixel) {
  const TiffCase& one = GetParam();
  const std::string path = fresh_folder(std::string("tiff-") + one.name) + "/a.tif";
  make_tiff(path, one.choice);
  Expected expected = still_colour;
  if (one.choice.bilevel)
    expected = [](int x, int y) {
      return still_colour(x, y)[0] >= 128 ? Colour{255, 255, 255, 255} : Colour{0, 0, 0, 255};
    };
  if (one.choice.alpha)
    expected = [](int x, int y) {
      Colour colour = still_colour(x, y);
      colour[3] = 40 + x;
      return colour;
    };
  expect_shows(only_frame(path), one.choice.width, one.choice.height, one.tolerance, expected);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryTiff,
                         testing::Values(TiffCase{"strips", {}}, TiffCase{"tiles", {.tiled = true}},
                                         TiffCase{"tiles_of_16_bits", {.bits = 16, .tiled = true}, 1},
                                         TiffCase{"jpeg", {.jpeg = true}, 4},
                                         TiffCase{"jpeg_in_tiles", {.tiled = true, .jpeg = true}, 4},
                                         TiffCase{"fax_with_reversed_bits", {.reversed_bits = true, .bilevel = true}},
                                         TiffCase{"big", {.bigtiff = true}},
                                         TiffCase{"floating_point", {.bits = 32}, 1},
                                         TiffCase{"planes", {.separate = true}}, TiffCase{"alpha", {.alpha = true}}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Stills, DeepOnesKeepTheirPlanesOf16Bits) {
  const std::string path = fresh_folder("still-deep") + "/a.tif";
  make_tiff(path, {.bits = 16, .tiled = true});
  DecodeTarget target;
  target.planes = true;
  const auto player = open(path, Pace::every, target);
  const VideoFrame frame = next(*player, once());
  ASSERT_EQ(frame.format.layout, PlaneLayout::planar_rgb);
  EXPECT_EQ(frame.format.bits, 16);
  constexpr std::size_t red_plane = 2;
  const auto* const row = reinterpret_cast<const std::uint16_t*>(
      static_cast<const std::uint8_t*>(frame.planes[red_plane]) + 5 * frame.pitch[red_plane]);
  EXPECT_EQ(row[17], still_colour(17, 5)[0] * 257);
}

TEST(Stills, PagesAndWhatIsClampedAreSaid) {
  const std::string folder = fresh_folder("still-notes");
  make_tiff(folder + "/pages.tif", {.pages = 3});
  make_tiff(folder + "/float.tif", {.bits = 32});
  std::string warning;
  expect_shows(only_frame(folder + "/pages.tif", &warning), 40, 24);
  EXPECT_NE(warning.find("has 3 pages; the first one is shown."), std::string::npos) << warning;
  only_frame(folder + "/float.tif", &warning);
  EXPECT_NE(warning.find("floating-point values"), std::string::npos) << warning;
}

TEST(Stills, WebpWithExifBehindThePictureIsWhole) {
  const std::string folder = fresh_folder("still-webp");
  write_bytes(folder + "/exif.webp", made_webp(40, 24, 1));
  std::string warning;
  expect_shows(only_frame(folder + "/exif.webp", &warning), 40, 24);
  EXPECT_EQ(warning, "");
}

TEST(Stills, AnimatedWebpPlaysAndIsSought) {
  const std::string path = fresh_folder("still-animation") + "/a.webp";
  write_bytes(path, made_webp(40, 24, 0, 6));
  const auto player = open(path);
  const std::vector<VideoFrame> frames = play(*player);
  ASSERT_EQ(frames.size(), 6u) << player->stats().error;
  for (int i = 0; i < 6; ++i) {
    const VideoFrame& frame = frames[static_cast<std::size_t>(i)];
    EXPECT_EQ(frame.number, i);
    EXPECT_NEAR(frame.seconds, 0.08 * i, 1e-6);
    expect_shows(frame, 40, 24, 0, [i](int x, int y) { return still_colour(x + i, y); });
  }
  EXPECT_EQ(player->stats().frames, 6);
  EXPECT_NEAR(player->stats().duration, 0.48, 1e-6);
  player->seek_frame(4);
  expect_shows(next(*player, once()), 40, 24, 0, [](int x, int y) { return still_colour(x + 4, y); });
  player->seek_frame(1);
  expect_shows(next(*player, once()), 40, 24, 0, [](int x, int y) { return still_colour(x + 1, y); });
}

TEST(Stills, OfSeveralPartsAndLayersThePictureIsShown) {
  const std::string folder = fresh_folder("still-exr");
  make_exr(folder + "/plain.exr", {{}});
  make_exr(folder + "/parts.exr", {{.name = "depth", .depth_only = true}, {.name = "beauty"}});
  make_exr(folder + "/layer.exr", {{.layer = "beauty"}});
  for (const char* file : {"/plain.exr", "/parts.exr", "/layer.exr"}) {
    std::string warning;
    expect_shows(only_frame(folder + file, &warning), 40, 24, 1);
    EXPECT_NE(warning.find("linear light"), std::string::npos) << warning;
    EXPECT_EQ(warning.find("part 'beauty' is shown") != std::string::npos, file == std::string("/parts.exr"))
        << warning;
  }
}

TEST(Stills, PhotoshopsMergedPicture) {
  const std::string folder = fresh_folder("still-psd");
  for (const bool packed : {true, false})
    for (const int bits : {8, 16}) {
      write_bytes(folder + "/a.psd", made_psd({.bits = bits, .packed = packed}));
      expect_shows(only_frame(folder + "/a.psd"), 40, 24, bits == 8 ? 0 : 1);
    }
  write_bytes(folder + "/alpha.psd", made_psd({.alpha = true}));
  expect_shows(only_frame(folder + "/alpha.psd"), 40, 24, 3, [](int x, int y) {  // 55/255 of a code value is lost
    Colour colour = still_colour(x, y);
    colour[3] = 55 + x;
    return colour;
  });
  write_bytes(folder + "/layers.psd", made_psd({.without_merged = true}));
  const std::string error = error_of_opening(folder + "/layers.psd");
  EXPECT_NE(error.find("is a Photoshop picture that holds its layers only"), std::string::npos) << error;
}

TEST(Stills, RadianceIsLinearLight) {
  const std::string folder = fresh_folder("still-radiance");
  write_bytes(folder + "/a.hdr", made_radiance(40, 24));
  // Eight bits in common with the brightest of three: dark ones beside it are coarse.
  expect_shows(only_frame(folder + "/a.hdr"), 40, 24, 7);
  write_bytes(folder + "/turned.hdr", made_radiance(40, 24, "+X 24 -Y 40"));
  StillInput input;
  const std::string bytes = read_bytes(folder + "/turned.hdr");
  input.bytes = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  EXPECT_EQ(open_still(input)->info().orientation, 5);
}

TEST(Stills, HeicAndAvif) {
  const std::string folder = fresh_folder("still-heif");
  for (const bool av1 : {true, false}) {
    const std::string path = folder + (av1 ? "/a.avif" : "/a.heic");
    if (!make_heif(path, av1, 64, 64)) continue;  // no encoder in this libheif
    expect_shows(only_frame(path), 64, 64, 8);
  }
}

TEST(Stills, OrientationComesWithTheFrame) {
  const std::string folder = fresh_folder("still-orientation");
  const std::string png = read_bytes(
      made_file("orientation.png", "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=40x24 -frames:v 1 OUT"));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    write_bytes(folder + "/a.webp", made_webp(40, 24, orientation));
    make_tiff(folder + "/a.tif", {.orientation = orientation});
    write_bytes(folder + "/a.png", with_exif(png, orientation));
    for (const char* file : {"/a.webp", "/a.tif", "/a.png"}) {
      const auto player = open(folder + file);
      const VideoFrame frame = next(*player, once());
      EXPECT_EQ(frame.format.orientation.exif(), orientation) << file;
      EXPECT_EQ(frame.format.upright_width(), orientation < 5 ? 40 : 24);
      EXPECT_EQ(player->stats().width, orientation < 5 ? 40 : 24) << file << " " << orientation;
      EXPECT_NE(player->stats().description.find(orientation < 5 ? ", 40 × 24, " : ", 40 × 24 turned to 24 × 40, "),
                std::string::npos)
          << player->stats().description;
    }
  }
}

TEST(Stills, ComeThroughEveryWayIn) {
  const std::string folder = fresh_folder("still-ways");
  for (int i = 0; i < 3; ++i) make_tiff(folder + "/shot" + std::to_string(i) + ".tif", {.tiled = true});
  for (const std::string& input : {folder, folder + "/shot%d.tif", folder + "/*.tif"}) {
    const auto player = open(input);
    const std::vector<VideoFrame> all = play(*player);
    ASSERT_EQ(all.size(), 3u) << input << ": " << player->stats().error;
    for (const VideoFrame& each : all) expect_shows(each, 40, 24);
    EXPECT_FALSE(player->take_error());
  }
  Interrupt interrupt;
  WholeFileSettings settings;
  settings.input = folder + "/shot0.tif";
  settings.output = folder + "/out.png";
  const auto whole = WholeFile::open(settings, interrupt);
  VideoFrame frame;
  PictureMoment moment;
  ASSERT_TRUE(whole->read(frame, moment));
  expect_shows(frame, 40, 24);
  EXPECT_FALSE(whole->read(frame, moment));
  EXPECT_FALSE(whole->cut_short());
  const ThumbnailPixels pixels = make_thumbnail(folder + "/shot0.tif", 40, 24, interrupt);
  ASSERT_EQ(pixels.width, 40);
  EXPECT_EQ(pixels.rgba[0], still_colour(0, 0)[0]);
}

TEST(Stills, TheLimitHoldsBeforeTheyAreDecoded) {
  const std::string folder = fresh_folder("still-limit");
  make_tiff(folder + "/a.tif", {.tiled = true});
  write_bytes(folder + "/a.webp", made_webp(40, 24));
  write_bytes(folder + "/b.webp", made_webp(40, 24, 0, 3));
  make_exr(folder + "/a.exr", {{}});
  write_bytes(folder + "/a.psd", made_psd({}));
  write_bytes(folder + "/a.hdr", made_radiance(40, 24));
  make_heif(folder + "/a.avif", true, 40, 24);
  for (const fs::directory_entry& each : fs::directory_iterator(folder)) {
    const std::string error = error_of_opening(each.path(), 900);
    EXPECT_NE(error.find("--max-pixels 960"), std::string::npos) << each.path() << ": " << error;
  }
}

TEST(Stills, WhatIsCutOffIsShownAsFarAsItGoes) {
  const std::string folder = fresh_folder("still-cut");
  const std::string psd = made_psd({.packed = false});
  write_bytes(folder + "/a.psd", psd.substr(0, psd.size() - 200));
  const std::string hdr = made_radiance(40, 24);
  write_bytes(folder + "/a.hdr", hdr.substr(0, hdr.size() / 2));
  for (const char* file : {"/a.psd", "/a.hdr"}) {
    const auto player = open(folder + file);
    EXPECT_EQ(play(*player).size(), 1u);
    EXPECT_TRUE(player->stats().cut_short) << file;
  }
  write_bytes(folder + "/begin.psd", psd.substr(0, 20));
  const std::string error = error_of_opening(folder + "/begin.psd");
  EXPECT_NE(error.find("is a Photoshop picture that is damaged or cut off"), std::string::npos) << error;
}

TEST(Stills, AnIconShowsItsLargestPicture) {
  const std::string folder = fresh_folder("still-icon");
  std::string entries, pictures;
  const auto little = [](std::size_t value) {
    std::string out;
    for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i) & 255);
    return out;
  };
  for (const int side : {16, 96, 32}) {
    const std::string size = std::to_string(side);
    const std::string png =
        read_bytes(made_file("icon" + size + ".png", "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=" + size +
                                                         "x" + size + " -frames:v 1 OUT"));
    entries += std::string(2, static_cast<char>(side)) + std::string("\0\0\1\0\x20\0", 6) + little(png.size()) +
               little(6 + 3 * 16 + pictures.size());
    pictures += png;
  }
  write_bytes(folder + "/a.ico", std::string("\0\0\1\0\3\0", 6) + entries + pictures);
  EXPECT_EQ(only_frame(folder + "/a.ico").format.width, 96);
}

TEST(Stills, OfSeveralStreamsTheLargestOrTheDefaultIsShown) {
  for (const bool small_is_default : {false, true}) {
    const std::string path = made_file(
        std::string("two-streams-") + (small_is_default ? "a" : "b") + ".mkv",
        std::string("ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=64x32:r=25:d=0.6 -f lavfi -i "
                    "color=black:s=128x64:r=5:d=0.6 -map 0 -map 1 -c:v ffv1 -disposition:v:1 0 -disposition:v:0 ") +
            (small_is_default ? "default" : "0") + " OUT");
    const auto player = open(path);
    EXPECT_EQ(next(*player, once()).format.width, small_is_default ? 64 : 128);
  }
}

TEST(Stills, APercentSignInANameIsNoSequence) {
  const std::string folder = fresh_folder("still-percent");
  coded_clip("percent.png", 1, "-update 1");
  for (const char* name : {"/shot%03d.png", "/shot%d.tif"}) {
    const bool tiff = std::string(name).ends_with("tif");
    if (tiff)
      make_tiff(folder + name, {});
    else
      fs::copy_file(clip_folder() + "/percent.png", folder + name);
    for (const std::string& input : {folder + name, "file:" + folder + name})
      EXPECT_EQ(only_frame(input).format.width, tiff ? 40 : code_width) << input;
  }
}

TEST(Stills, WhatNobodyOpensIsNamed) {
  using std::string_literals::operator""s;
  const std::string folder = fresh_folder("still-names");
  const std::pair<std::string, const char*> files[] = {
      {"gimp xcf v011"s + std::string(100, '\0'), "is a GIMP file (XCF)"},
      {"%PDF-1.7\n" + std::string(100, 'x'), "is a PDF document"},
      {"PK\3\4\x14\0\0\0\0\0"s + std::string(16, '\0') + "\5\0\0\0"s + "a.npyxxx", "is a NumPy archive (.npz)"},
      {"\x93NUMPY\1\0"s + std::string(100, ' '), "is a NumPy array (.npy)"},
      {"\x40\0\0\0\0\0\0\0{\"a\":{}}"s + std::string(100, ' '), "is a safetensors file"},
      {"\xff\x0a"s + std::string(100, '\0'), "is a JPEG XL picture"},
      {"II*\0\x10\0\0\0CR\2\0"s + std::string(100, '\0'), "is a camera's raw file"}};
  for (const auto& [bytes, expected] : files)
    for (const char* name : {"/a.bin", "/a.png"}) {
      write_bytes(folder + name, bytes);
      const std::string error = error_of_opening(folder + name);
      EXPECT_NE(error.find(expected), std::string::npos) << error;
      EXPECT_EQ(error.find("damaged or cut off"), std::string::npos) << error;
    }
}

// FFmpeg would find the picture in it, and show that alone.
TEST(Stills, ADocumentWithAPictureInItIsNamed) {
  const std::string folder = fresh_folder("still-pdf");
  const std::string jpeg =
      read_bytes(made_file("in-a-pdf.jpg", "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=64x48 -frames:v 1 OUT"));
  const std::string image = "1 0 obj\n<< /Subtype /Image /Filter /DCTDecode /Length " + std::to_string(jpeg.size()) +
                            " >>\nstream\n" + jpeg + "\nendstream\nendobj\n";
  for (const char* name : {"/a.pdf", "/a.bin", "/a.jpg"}) {
    write_bytes(folder + name, "%PDF-1.4\n" + image + image + "trailer\n%%EOF\n");
    const std::string error = error_of_opening(folder + name);
    EXPECT_NE(error.find("is a PDF document"), std::string::npos) << name << ": " << error;
  }
}

TEST(Stills, AJpegWithABrokenExifBlockIsWhole) {
  const std::string folder = fresh_folder("still-jpeg");
  std::string jpeg =
      read_bytes(made_file("exif.jpg", "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=64x48 -frames:v 1 OUT"));
  using std::string_literals::operator""s;
  const std::string body = "Exif\0\0II*\0\x08\0\0\0\xff\xff"s + std::string(40, '\xee');
  const std::size_t length = body.size() + 2;
  jpeg.insert(2, "\xff\xe1"s + static_cast<char>(length >> 8) + static_cast<char>(length & 255) + body);
  write_bytes(folder + "/a.jpg", jpeg);
  std::string warning;
  EXPECT_EQ(only_frame(folder + "/a.jpg", &warning).format.width, 64);
  EXPECT_EQ(warning, "");
}

TEST(Light, SrgbIsRightToHalfACodeValue) {
  for (int i = -20000; i <= 120000; ++i) {
    const float light = static_cast<float>(i) / 100000;
    const double clamped = std::clamp(static_cast<double>(light), 0.0, 1.0);
    const double code = 65535 * (clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055);
    ASSERT_NEAR(srgb_code(light), code, 0.52) << light;
  }
  EXPECT_EQ(srgb_code(NAN), 0);
  EXPECT_EQ(srgb_code(INFINITY), 65535);
  const auto white = LabLight()(100, 0, 0);
  for (const float part : white) EXPECT_NEAR(part, 1, 1e-3);
}

}  // namespace
}  // namespace convoscope::test
