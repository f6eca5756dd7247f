#pragma once
// Decoded pictures made at run time, what swscale makes of them, and what exact arithmetic makes of them.
#include <array>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include <libavutil/pixfmt.h>
}

#include "kernels/convert/video_frame.h"

namespace convoscope::tests {

struct TestFormat {
  AVPixelFormat av;
  PlaneLayout layout;
  int bits = 8, shift = 0, chroma_shift_x = 0, chroma_shift_y = 0;
  bool full_by_name = false;  // yuvj: full range whatever the stream says
};
const std::vector<TestFormat>& test_formats();
std::string name_of(const TestFormat&);
void PrintTo(const TestFormat&, std::ostream*);  // for GoogleTest
VideoFormat video_format(const TestFormat&, int width, int height);

// smooth: waves; noise: every sample random within the nominal range; extreme: random over all codes.
enum class Content { smooth, noise, extreme };

// Planes of exactly (rows − 1) · pitch + row bytes each, so that AddressSanitizer sees any byte read beyond.
struct Picture {
  VideoFormat format;
  std::array<std::vector<unsigned char>, 3> planes;
  std::array<std::size_t, 3> pitch{};
  unsigned sample(int plane, int column, int row) const;  // without the shift; column counts samples, clamped
};
// padding: bytes added to every row.
Picture make_picture(const VideoFormat&, Content, unsigned seed, std::size_t padding = 0);
VideoFrame frame_of(const Picture&);  // keeps no owner: the picture must live

// The same picture with the last column and row repeated until its sizes are multiples of the chroma subsampling. The
// chroma planes stay as they are.
Picture padded_to_chroma(const Picture&);

// What swscale makes of it: stored orientation, rgba, tightly packed, with SWS_ACCURATE_RND and full chroma. Sizes must
// be multiples of the chroma subsampling: swscale stretches the chroma of others over the picture.
//
// Vertically subsampled formats go over yuv444p16. In one step from them to RGB swscale does not interpolate chroma
// between rows, but takes the nearer chroma row or the mean of both (yuv2rgb_full_1 in libswscale/output.c): on noise
// that is off by 200 code values from exact arithmetic, in two steps it is off by 0.51.
std::vector<unsigned char> swscale_rgba(const TestFormat&, const Picture&);
bool swscale_reads(const TestFormat&);
// Not YCgCo; and it takes 8-bit gray and RGB for full range, whatever it is told.
bool swscale_knows(const VideoFormat&);

const std::vector<ColourMatrix>& every_matrix();
// Of red and blue, from the standards (ITU-R BT.601, BT.709, BT.2020, 47 CFR 73.682, SMPTE 240M, ITU-T H.273).
std::pair<double, double> luma_weights(const ColourMatrix&);

// R, G, B of one pixel of the stored picture in code values, clamped, not rounded.
std::array<double, 3> exact_rgb(const Picture&, int x, int y);

}  // namespace convoscope::tests
