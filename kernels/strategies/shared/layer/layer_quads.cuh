#pragma once
// Threads that make four neighbouring outputs of a row, or of several rows below one another: what they read of a row
// of sources and how they store. Where rows begin at 16 bytes, the four are one access, so that a warp has 512 bytes
// under way for each.
#include "kernels/strategies/shared/layer/layer_correlation.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// Whether a quad of outputs lies below a quad of sources, and neither is cut short by the end of a row. Of stride and
// dilation 1.
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

// What becomes of four sums of a map, whose bias is loaded once for them.
__device__ inline void finish_quad(float (&sums)[4], const LayerEpilogue& epilogue, float bias) {
  CONVOSCOPE_UNROLL
  for (float& sum : sums) sum = epilogue.relu ? fmaxf(sum + bias, 0.0f) : sum + bias;
}

template <bool Aligned>
__device__ inline void store_quad(float* at, const float (&values)[4], int x, int width) {
  if constexpr (Aligned) {
    *reinterpret_cast<float4*>(at) = {values[0], values[1], values[2], values[3]};
  } else {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i)
      if (x + i < width) at[i] = values[i];
  }
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
