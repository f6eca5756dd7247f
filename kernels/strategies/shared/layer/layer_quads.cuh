#pragma once
// Threads that make four outputs of a row, or of several rows below one another. Where rows of sources and outputs
// begin at 16 bytes the four are neighbours, and a warp reads or writes 512 bytes with one instruction; elsewhere they
// lie apart, so that the lanes of a warp still touch what lies side by side.
#include "kernels/strategies/shared/layer/layer_correlation.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// Whether four neighbouring outputs lie below four sources, and neither are cut short by the end of a row. Of stride
// and dilation 1.
inline bool quads_fit(int width, int out_width, int filter, int padding) {
  return width % 4 == 0 && out_width % 4 == 0 && 2 * padding == filter - 1;
}
inline bool quads_fit(const Correlation& c) {
  return c.plain() && quads_fit(c.width, c.out_width, c.filter, c.padding);
}
template <class T>
bool begins_at_quads(const Planes<T>& planes) {
  return reinterpret_cast<std::uintptr_t>(planes.data) % sizeof(float4) == 0 && planes.plane % 4 == 0 &&
         planes.row % 4 == 0;
}

// A thread's columns: x, x + apart, x + 2 apart, x + 3 apart.
struct FourColumns {
  int x, apart;
};
// The threads of a row, of which each has its four, and how far apart these are. Apart: runs of up to 128 columns.
struct RowThreads {
  int count, apart;
  CONVOSCOPE_HOST_DEVICE FourColumns columns(int thread) const {
    return {thread / apart * apart * 4 + thread % apart, apart};
  }
};
template <bool Aligned>
CONVOSCOPE_HOST_DEVICE RowThreads row_threads(int width) {
  if (Aligned) return {ceil_div(width, 4), 1};
  const int runs = ceil_div(width, 128), apart = ceil_div(width, 4 * runs);
  return {runs * apart, apart};
}

// K + 3 neighbours, of which `at` is the first: column x − padding of a row of sources. Zeros beyond the row's ends,
// and everywhere if there is no such row. Aligned: quads that fit, in rows that begin at them.
template <int K, bool Aligned>
__device__ inline void load_neighbours(float (&to)[K + 3], const float* at, bool there, int x, int padding, int width) {
  if constexpr (Aligned) {
    constexpr int side = (K - 1) / 2;
    const bool left = there && x > 0, right = there && x + 4 < width;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < side; ++i) to[i] = left ? __ldg(at + i) : 0.0f;
    const float4 quad = there ? __ldg(reinterpret_cast<const float4*>(at + side)) : float4{0, 0, 0, 0};
    to[side] = quad.x, to[side + 1] = quad.y, to[side + 2] = quad.z, to[side + 3] = quad.w;
    CONVOSCOPE_UNROLL
    for (int i = side + 4; i < K + 3; ++i) to[i] = right ? __ldg(at + i) : 0.0f;
  } else {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < K + 3; ++i) {
      const int column = x - padding + i;
      to[i] = there && column >= 0 && column < width ? __ldg(at + i) : 0.0f;
    }
  }
}

// What the taps of a thread's four outputs see of a row of sources.
template <int K, bool Aligned>
struct RowWindow {
  static constexpr int count = Aligned ? K + 3 : 4 * K;
  float values[count];

  __device__ float at(int column, int tap) const { return values[Aligned ? column + tap : column * K + tap]; }
  // row: where the row begins, or would begin.
  __device__ void load(const float* row, bool there, const FourColumns& columns, const Correlation& c) {
    if constexpr (Aligned) {
      load_neighbours<K, true>(values, row + columns.x - c.padding, there, columns.x, c.padding, c.width);
    } else {
      CONVOSCOPE_UNROLL
      for (int p = 0; p < 4; ++p) CONVOSCOPE_UNROLL
      for (int j = 0; j < K; ++j) {
        const int column = columns.x + p * columns.apart - c.padding + j;
        values[p * K + j] = there && column >= 0 && column < c.width ? __ldg(row + column) : 0.0f;
      }
    }
  }
};

template <bool Aligned>
__device__ inline void store_four(float* row, const float (&values)[4], const FourColumns& columns, int width) {
  if constexpr (Aligned) {
    *reinterpret_cast<float4*>(row + columns.x) = {values[0], values[1], values[2], values[3]};
  } else {
    CONVOSCOPE_UNROLL
    for (int p = 0; p < 4; ++p)
      if (columns.x + p * columns.apart < width) row[columns.x + p * columns.apart] = values[p];
  }
}

// Whether a kernel of aligned quads takes the tensors; what Explain and the models say is of dense ones.
template <class In, class Out>
bool in_quads(const Correlation& c, const Planes<In>& in, const Planes<Out>& out) {
  return quads_fit(c) && begins_at_quads(in) && begins_at_quads(out);
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
