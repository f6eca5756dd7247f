#pragma once
// Where Y, U and V of an output picture lie in one block of memory, and how colours become them: limited range, 8 bits.
// Deeper samples would add their size here and to the loads and stores of plane_group.h.
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/convert/video_frame.h"

namespace convoscope {

struct YuvLayout {
  enum class Chroma {
    full,
    halved,  // both ways, rounded up; sited left, between two rows
  };
  int width = 0, height = 0;  // of Y; beyond the picture its last column and row are repeated
  Chroma chroma = Chroma::halved;
  ColourMatrix matrix = ColourMatrix::bt709;     // of what was colours before
  std::array<std::size_t, 3> pitch{}, offset{};  // in bytes; the first offset is the caller's
  std::size_t bytes = 0;                         // of the block

  int plane_width(int plane) const { return plane == 0 || chroma == Chroma::full ? width : (width + 1) / 2; }
  int plane_height(int plane) const { return plane == 0 || chroma == Chroma::full ? height : (height + 1) / 2; }
  bool operator==(const YuvLayout&) const = default;
};

// Planes one after the other behind `head` bytes, rows a multiple of `alignment` apart.
YuvLayout make_yuv_layout(int width, int height, YuvLayout::Chroma, ColourMatrix, std::size_t alignment = 1,
                          std::size_t head = 0);

// Whether such planes mean the same colours as the Y, U and V of these pictures, which then need not go through RGB.
bool means_the_same(const YuvLayout&, const VideoFormat&);

// One picture's conversion to planes as kernel and cores need it, by value: in whole numbers, so that every backend
// stores the same codes. Y = (r·R + g·G + b·B + offset) / 2^16, U and V alike, each rounded once: where chroma is
// halved, the means of 3 × 4 pixels are of colours.
struct PlaneConversion {
  static constexpr int bits = 16;        // of a factor's fraction
  static constexpr int halved_bits = 5;  // log2 of what the weights 1 2 1 across and 1 3 3 1 down sum up to

  std::array<unsigned char*, 3> plane{};
  std::array<std::size_t, 3> pitch{};
  int width = 0, height = 0, chroma_width = 0, chroma_height = 0;
  bool halved = false, is_yuv = false;
  std::int32_t factors[3][3] = {};  // of R, G and B in Y, U and V
  std::int32_t offsets[3] = {};     // those of U and V times 2^halved_bits where they are halved
};

// `is_yuv`: the picture has Y, U and V in place of its colours (see FrameConverter::enqueue_yuv).
PlaneConversion make_plane_conversion(const YuvLayout&, bool is_yuv, void* block);

}  // namespace convoscope
