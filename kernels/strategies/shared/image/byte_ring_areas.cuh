#pragma once
// What a byte ring brings into shared memory, for those who explain it.
#include "kernels/contract/explain.h"
#include "kernels/strategies/shared/image/byte_ring.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Of a strip of `strip_width` columns from (x, y) on that has `height` rows if the image has: one area, unless rows are
// left out between two slots.
inline std::vector<PixelArea> areas_in_ring(const Problem& p, int x, int y, int strip_width, int height) {
  const int rx = p.filter.rx(), ry = p.filter.ry(), columns = strip_width + 2 * rx;
  const int rows = std::min(height, p.height - y), steps = ceil_div(rows, slot_rows), left = x - rx;
  const ImageView<const unsigned> in{nullptr, p.width, p.height, 0};
  const bool all_columns = ByteRing::takes_all_columns(in, p.border, left, columns, strip_width);
  std::vector<PixelArea> areas;
  for (int slot = 0; slot <= steps; ++slot) {
    const int first = slot * slot_rows, top = y - ry + first, wanted = ByteRing::wanted_rows(rows + 2 * ry - first);
    const bool inside = all_columns && top >= 0 && top + wanted <= p.height;
    const int loaded = inside ? std::max(wanted, 0) : slot_rows;
    if (!areas.empty() && areas.back().y + areas.back().height == top)
      areas.back().height += loaded;
    else if (loaded > 0)
      areas.push_back({left, top, columns, loaded});
  }
  return areas;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
