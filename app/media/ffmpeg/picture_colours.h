#pragma once
// What FFmpeg's names for colours mean in VideoFormat's words, and the colours that no matrix makes.
#include <memory>

#include "app/media/ffmpeg/ffmpeg.h"
#include "kernels/convert/video_frame.h"

namespace convoscope {

// Matrix, range and place of chroma of pictures of this format: what the frame says, else what is usual, which is
// BT.709 from 720 lines on, limited range and chroma as in MPEG-2; JPEG's kinds are full range with centred chroma.
void set_colours(VideoFormat& out, AVPixelFormat, const AVFrame&);

// Whether its planes Y, U and V are green, blue and red themselves (ITU-T H.273's identity).
bool holds_rgb(const AVFrame&);

// False for constant luminance, ICtCp and Y'D'zD'x: their colours are no weighted sums of Y, U and V, or of other ones
// than ColourMatrix has.
bool has_matrix(int colour_space);

// Makes those colours. Used by one thread.
class ColourSolver {
 public:
  ColourSolver();
  ~ColourSolver();
  // Of a picture in yuv444p16: green, blue and red of full range in place of Y, U and V, which are limited or full as
  // the frame says.
  void solve(AVFrame&);

 private:
  class Curve;
  std::unique_ptr<Curve> curve_;  // of the transfer characteristic below: a stream's stays the same
  int transfer_ = -1;
};

}  // namespace convoscope
