#pragma once
// Still pictures of every kind behind the door, each made by the format's own library, or byte by byte where there is
// none. All show still_colour(); the largest side is 200 pixels.
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convoscope::test {

using Colour = std::array<int, 4>;  // R, G, B, A; 0…255

// What a made picture shows at (x, y): each pixel differs from its neighbours.
Colour still_colour(int x, int y);

struct TiffChoice {
  int width = 40, height = 24;
  int bits = 8;  // 32: floating point
  bool bigtiff = false, tiled = false, jpeg = false, reversed_bits = false, separate = false, alpha = false;
  bool bilevel = false;  // black where red is below 128, by CCITT group 4
  int orientation = 1, pages = 1;
  const char* mode() const { return bigtiff ? "w8" : "w"; }
};
void make_tiff(const std::string& path, const TiffChoice&);

// By libheif. False where this libheif cannot encode it. 4:4:4 without loss of chroma samples.
bool make_heif(const std::string& path, bool av1, int width, int height);

// Lossless, by libwebp; with EXIF behind the picture where orientation is not 0; an animation for more than one frame,
// whose colours are those of still_colour(x + frame, y).
std::string made_webp(int width, int height, int orientation = 0, int frames = 1);

struct ExrPart {
  std::string name, layer;  // "" for R, G and B without a layer
  bool depth_only = false;  // a channel Z of 0.5
};
void make_exr(const std::string& path, const std::vector<ExrPart>& parts, int width = 40, int height = 24);
float light_of(int code);  // linear light of a code value of sRGB

struct PsdChoice {
  int width = 40, height = 24, bits = 8;
  bool packed = true, alpha = false, without_merged = false;
};
std::string made_psd(const PsdChoice&);
std::string made_radiance(int width, int height, const std::string& size_line = "");

// A PNG with an eXIf chunk put in behind its header; a TIFF block with an orientation.
std::string exif_block(int orientation);
std::string with_exif(std::string png, int orientation);

void write_bytes(const std::string& path, const std::string& bytes);
std::string read_bytes(const std::string& path);

}  // namespace convoscope::test
