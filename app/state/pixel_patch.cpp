#include <cstring>

#include "app/state/stats.h"

namespace convoscope {

PixelValue PixelPatch::at(int x, int y) const {
  PixelValue value;
  if (!area.contains(x, y)) return value;
  const auto index = static_cast<std::size_t>(y - area.y) * static_cast<std::size_t>(area.width) +
                     static_cast<std::size_t>(x - area.x);
  if (index >= pixels.size()) return value;
  if (format == PixelFormat::gray32f) {
    value.channels = 1;
    std::memcpy(value.values, &pixels[index], sizeof(float));
    return value;
  }
  unsigned char codes[4];
  std::memcpy(codes, &pixels[index], sizeof codes);
  value.channels = 4;
  for (int c = 0; c < 4; ++c) value.values[c] = codes[c];
  return value;
}

}  // namespace convoscope
