#pragma once
// Pictures as planes of Y, U and V, on the CPU's cores.
#include <cstdint>
#include <vector>

#include "kernels/contract/data/image.h"
#include "kernels/convert/yuv_layout.h"

namespace convoscope {

class YuvPlanes {
 public:
  // Of a picture in host memory, rgba8 or gray32f (0 … 1, clamped; NaN is black), at most as large as the planes; by
  // all cores when it returns.
  void write(const Image& picture, const PlaneConversion&);

 private:
  struct Scratch {                       // of a worker
    std::vector<std::uint32_t> sums[2];  // of four rows
    std::vector<Rgba8> grey[4];          // rows of gray32f as colours
  };
  void prepare(int width, bool grey);
  const Rgba8* colours(const Image&, int y, std::vector<Rgba8>& grey) const;
  void luma_row(const Image&, const PlaneConversion&, int y, Scratch&) const;
  void chroma_row(const Image&, const PlaneConversion&, int y, Scratch&) const;

  std::vector<Scratch> scratch_;
};

}  // namespace convoscope
