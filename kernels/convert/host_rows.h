#pragma once
// Internal to convert/: pictures of 8-bit Y, U and V on the CPU's cores, row by row, which vectors like.
#include <vector>

#include "kernels/convert/conversion.h"

namespace convoscope {

class HostRows {
 public:
  // Full resolution or half of it across, whatever it is down: nearly all that decoders send.
  static bool takes(const VideoFormat&);

  // To upright colours, or to Y, U and V in their place, which is for rgba8. The conversion has the frame's planes.
  void convert(const VideoFormat&, const Conversion&, bool to_yuv, const Image& out);

 private:
  struct Scratch {                          // of a worker
    std::vector<float> stored[2], full[2];  // U and V, of a row as stored and of as many as there are pixels
    std::vector<Rgba8> pixels;
  };
  void prepare(int width, int workers);
  static void chroma_row(const VideoFormat&, const Conversion&, int y, Scratch&);
  static void place(const Conversion&, const Image& out, int y, const Rgba8* pixels);

  int width_ = 0;
  std::vector<Scratch> scratch_;
};

}  // namespace convoscope
