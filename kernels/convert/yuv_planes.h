#pragma once
// Pictures whose red, green and blue are Y, U and V (see FrameConverter::enqueue_yuv) as planes.
#include <cstdint>
#include <vector>

#include "kernels/contract/data/image.h"

namespace convoscope {

class YuvPlanes {
 public:
  enum class Chroma {
    full,
    halved,  // both ways, rounded up; sited left, between two rows
  };

  static std::size_t bytes(int width, int height, Chroma);
  // Y, U and V of a picture in host memory one after another, rows without a gap; by all cores when it returns.
  void write(const Image& yuv, Chroma, std::uint8_t* planes);

 private:
  std::vector<std::vector<std::uint32_t>> sums_;  // of a worker
};

}  // namespace convoscope
