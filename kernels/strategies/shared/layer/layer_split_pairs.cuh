#pragma once
// Float32 planes in shared memory as pairs of neighbours for matrix instructions that take float16: of each column the
// number there and the one after it, both split in a high and a scaled low one (layer_split_sources.cuh). A window that
// is moved by one column is then still whole words, and what one thread has split serves every tap and map.
#include "kernels/strategies/shared/layer/layer_split_sources.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

struct SplitPair {
  unsigned high, low;
};

// The pair at column x of a row, with zeros beyond its ends, or of a row that is not there.
struct RawPair {
  float first = 0, second = 0;
  __device__ void load(const float* row, bool there, int x, int width) {
    first = there && x >= 0 && x < width ? __ldg(row + x) : 0.0f;
    second = there && x + 1 >= 0 && x + 1 < width ? __ldg(row + x + 1) : 0.0f;
  }
  __device__ SplitPair split() const {
    SplitPair pair;
    split_scaled(first, second, pair.high, pair.low);
    return pair;
  }
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
