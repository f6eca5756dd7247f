#pragma once
// One frame's conversion as the kernel needs it: planes, positions of chroma, and the colour matrix in floats.
#include <cstddef>

#include "kernels/convert/video_frame.h"

namespace convoscope {

// Passed to the kernel by value. Samples are turned into code values of an 8-bit full-range signal:
//   y = (Y − luma_zero) · luma_scale;  R = y + u_to_r · (U − chroma_zero) + v_to_r · (V − chroma_zero), G and B alike.
struct Conversion {
  const unsigned char* plane[3] = {};
  std::size_t pitch[3] = {};
  int width = 0, height = 0;                // stored
  int chroma_width = 0, chroma_height = 0;  // rounded up
  int shift = 0;                            // unused low bits of a sample
  float luma_zero = 0, luma_scale = 1, chroma_zero = 0;
  float u_to_r = 0, v_to_r = 0, u_to_g = 0, v_to_g = 0, u_to_b = 0, v_to_b = 0;
  // Where chroma sits. Horizontally halved: an even pixel lies between the chroma samples x/2 − 1 and x/2, an odd one
  // between (x−1)/2 and (x−1)/2 + 1; the weights are of the right one. Quartered: pixel x lies at (x −
  // quarter_offset)/4.
  float even_weight = 0, odd_weight = 0, quarter_offset = 0;
  // Vertically halved: rows are taken in pairs that lie between the same two chroma rows. Pair p holds the rows
  // 2p − pair_offset and the next; they lie between the chroma rows p − pair_offset and the next, with these weights of
  // the lower one.
  int pair_offset = 0;
  float first_weight = 0, second_weight = 0;
  float gray_r = 0, gray_g = 0, gray_b = 0;  // luma of R, G, B in code values, over 255
  Orientation orientation;
};

// Throws Error for a format that no decoder should send (size, bits, subsampling).
Conversion make_conversion(const VideoFormat&);

// Bytes of one row and rows of a plane; 0 rows for a plane the layout does not have.
struct PlaneSize {
  std::size_t row_bytes = 0;
  int rows = 0;
};
PlaneSize plane_size(const VideoFormat&, int plane);

// Throws std::logic_error unless `out` has the upright size of the frame and the frame has its planes.
void require_convertible(const VideoFrame&, const Image& out);

}  // namespace convoscope
