#pragma once
// How an image's height is divided among blocks that walk down strips and are all resident at once: as evenly as whole
// steps allow. Where all strips but the last are equally high, that one may be any lower, and those multiprocessors
// that have its blocks wait for the others.
#include <algorithm>

#include "kernels/contract/explain.h"
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

struct EvenStrip {
  int top, rows;
};

// Number `strip` of `strips`. unit: rows of a step, of which strips are multiples, but for the image's end; there are
// as many steps as strips at least. The higher ones come first.
CONVOSCOPE_HOST_DEVICE constexpr EvenStrip even_strip(int strip, int strips, int height, int unit) {
  const int steps = (height + unit - 1) / unit;
  const int first = (strip * steps + strips - 1) / strips, next = ((strip + 1) * steps + strips - 1) / strips;
  return {first * unit, (next * unit < height ? next * unit : height) - first * unit};
}

// So many strips that `blocks` of them, `across` of which lie side by side, are there at once; each of `fewest` rows at
// least, as far as there are any.
inline int even_strips(int height, int across, int blocks, int fewest) {
  return std::clamp(blocks / across, 1, ceil_div(height, fewest));
}

// For explain(): what `step` says of blocks as high as the first strip becomes that of these, which has row y. Returns
// what the block makes, within the image's height.
inline PixelArea& place_in_even_strips(KernelStep& step, int strips, int height, int unit, int y) {
  int& strip = step.block[1];
  while (even_strip(strip, strips, height, unit).top + even_strip(strip, strips, height, unit).rows <= y) ++strip;
  const auto [top, rows] = even_strip(strip, strips, height, unit);
  step.outputs[0].y = top, step.outputs[0].height = rows;
  return step.outputs[0];
}

}  // namespace convoscope::CONVOSCOPE_TARGET
