#pragma once
// A filter as tensor-core-wgmma reads it. Host only.
#include <cstring>
#include <vector>

#include "kernels/strategies/shared/image/byte_ring.cuh"
#include "kernels/strategies/shared/image/byte_weights.h"

namespace convoscope::CONVOSCOPE_TARGET {

// The matrices of all filter columns, `count` chunks: row i and depth b of band d have the weight of filter row
// 8 · (d − 3) + b − i, its high byte and its low one.
inline std::vector<ByteColumn> byte_matrices(const std::vector<int>& values, const Filter& filter, int bands,
                                             int count) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count) * sizeof(ByteColumn));
  std::size_t at = 0;
  for (int column = 0; column < filter.width; ++column)
    for (int band = 0; band < bands; ++band)
      for (int matrix = 0; matrix < 2; ++matrix)
        for (int i = 0; i < 8; ++i)
          for (int b = 0; b < 16; ++b, ++at) {
            const int dy = 8 * (band - 3) + b - i;
            if (dy < 0 || dy >= filter.height) continue;
            const int value = values[static_cast<std::size_t>(dy * filter.width + column)];
            bytes[at] = static_cast<unsigned char>(matrix == 0 ? ByteWeights::high(value) : ByteWeights::low(value));
          }
  std::vector<ByteColumn> matrices(static_cast<std::size_t>(count));
  std::memcpy(matrices.data(), bytes.data(), bytes.size());
  return matrices;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
