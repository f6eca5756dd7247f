#pragma once
// How an image's height is divided among blocks that walk down strips and are all resident at once: as evenly as whole
// steps allow. Where all strips but the last are equally high, that one may be any lower, and those multiprocessors
// that have its blocks wait for the others.
#include <algorithm>
#include <cstdint>

#include "kernels/contract/explain.h"
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

struct EvenStrip {
  int top, rows;
};

// Strips that have a step more than the others lie at the top, or are spread over the image. Measured, not understood:
// separable-int8 takes 6 % longer with them at the top, separable-half, tensor-core-half and async-stream up to 4 %
// longer with them spread.
enum class LongerStrips { at_top, spread };

// `count` strips of `steps` steps each, `longer` of which have one more. Made by the host, so that a kernel does not
// divide and keeps no register for where its strip lies.
struct EvenStrips {
  int count = 1, steps = 0, longer = 0;
  unsigned share = 0;  // of the longer ones among the first of all strips, × 2^16

  CONVOSCOPE_HOST_DEVICE int first_step(int strip) const {
    const int more = static_cast<int>((static_cast<unsigned>(strip) * share + 0xffffu) >> 16);
    return strip * steps + (more < longer ? more : longer);
  }
  // In steps.
  int highest() const { return steps + (longer > 0 ? 1 : 0); }
  // unit: rows of a step, of which strips are multiples, but for the image's end.
  CONVOSCOPE_HOST_DEVICE EvenStrip at(int strip, int height, int unit) const {
    const int top = first_step(strip) * unit, end = first_step(strip + 1) * unit;
    return {top, (end < height ? end : height) - top};
  }
};

// unit: as above; count: at most as many as there are steps, and as a grid may be high.
inline EvenStrips even_strips(int height, int unit, int count, LongerStrips where) {
  const int steps = ceil_div(height, unit), longer = steps % count;
  const unsigned part = static_cast<unsigned>((static_cast<std::uint64_t>(longer) << 16) / count);
  return {count, steps / count, longer, where == LongerStrips::spread ? part : 1u << 16};
}

// So many strips that `blocks` of them, `across` of which lie side by side, are there at once; each of `fewest` rows at
// least, as far as there are any.
inline int strips_at_once(int height, int across, int blocks, int fewest) {
  return std::clamp(blocks / across, 1, ceil_div(height, fewest));
}

// For explain(): `step`, made as if blocks were as high as the image, becomes that of the strip that has row y. Returns
// what its block makes, within the image's height.
inline PixelArea place_in_strip(KernelStep& step, const EvenStrips& strips, int height, int unit, int y) {
  EvenStrip place = strips.at(0, height, unit);
  for (int& strip = step.block[1]; place.top + place.rows <= y;) place = strips.at(++strip, height, unit);
  step.outputs[0].y = place.top, step.outputs[0].height = place.rows;
  return step.outputs[0];
}

}  // namespace convoscope::CONVOSCOPE_TARGET
