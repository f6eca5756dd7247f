#include "kernels/emulator/warp_matrices.h"

#include <cstring>

namespace convoscope::emulated {

// Without a branch: which of them are small or infinite cannot be foreseen.
[[gnu::no_sanitize("address", "undefined")]] void floats_of_halves(const unsigned (&pairs)[4], float* to) {
  for (int i = 0; i < 8; ++i) {
    const unsigned half = pairs[i / 2] >> 16 * (i % 2), magnitude = half & 0x7fffu;
    const float subnormal = static_cast<float>(static_cast<int>(magnitude)) * 0x1p-24f;
    unsigned bits = 0;
    std::memcpy(&bits, &subnormal, sizeof(bits));
    // The exponent's bias is 112 more in a float32, and so is the highest exponent, of what is no finite number, again.
    const unsigned normal = (magnitude << 13) + ((magnitude < 0x7c00u ? 112u : 224u) << 23);
    bits = (magnitude < 0x400u ? bits : normal) | (half & 0x8000u) << 16;
    std::memcpy(to + i, &bits, sizeof(bits));
  }
}

// In four sums, which do not wait for one another.
[[gnu::no_sanitize("address", "undefined")]] RowSums sums_of_column(const float (&rows)[2][16],
                                                                    const unsigned (&first)[4],
                                                                    const unsigned (&last)[4]) {
  float column[16];
  floats_of_halves(first, column);
  floats_of_halves(last, column + 8);
  RowSums result;
  for (int row = 0; row < 2; ++row) {
    double sums[4] = {};
    for (int k = 0; k < 16; k += 4)
      for (int i = 0; i < 4; ++i) sums[i] += static_cast<double>(rows[row][k + i]) * static_cast<double>(column[k + i]);
    result.of[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  return result;
}

}  // namespace convoscope::emulated
