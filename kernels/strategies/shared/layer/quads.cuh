#pragma once
// Threads that make four neighbouring outputs of a row, or of several rows below one another: what they read of a row
// of sources and how they store. Where rows begin at 16 or 8 bytes, and no four or two are cut by a row's end, they are
// one access or two, so that a warp has more bytes under way for each.
#include "kernels/strategies/shared/layer/correlation.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

enum class Reach { singles, pairs, quads };

// As the shape allows, where rows begin as they must. Quads: those of outputs lie below those of sources. Of stride and
// dilation 1.
inline bool quads_fit(int width, int out_width, int filter, int padding) {
  return width % 4 == 0 && out_width % 4 == 0 && 2 * padding == filter - 1;
}
inline bool pairs_fit(int width, int out_width, int padding) {
  return width % 2 == 0 && out_width % 2 == 0 && padding % 2 == 0;
}

template <class T>
bool begins_at(const Planes<T>& planes, int elements) {
  return reinterpret_cast<std::uintptr_t>(planes.data) % (elements * sizeof(T)) == 0 && planes.plane % elements == 0 &&
         planes.row % elements == 0;
}

// Kernels that differ in their reach alone.
template <class Kernel>
struct OfReaches {
  Kernel singles, pairs, quads;
  Kernel operator[](Reach reach) const {
    return reach == Reach::quads ? quads : reach == Reach::pairs ? pairs : singles;
  }
};

// Which of them fit a shape, and so how far a thread reaches into these tensors.
struct Fitting {
  bool quads = false, pairs = false;
  template <class A, class B>
  Reach in(const Planes<A>& a, const Planes<B>& b) const {
    if (quads && begins_at(a, 4) && begins_at(b, 4)) return Reach::quads;
    return pairs && begins_at(a, 2) && begins_at(b, 2) ? Reach::pairs : Reach::singles;
  }
  // Of tensors whose rows are dense and aligned, as those of programs are.
  Reach usually() const { return quads ? Reach::quads : pairs ? Reach::pairs : Reach::singles; }
};
inline Fitting fitting(const Correlation& c) {
  if (!c.plain()) return {};
  return {quads_fit(c.width, c.out_width, c.filter, c.padding), pairs_fit(c.width, c.out_width, c.padding)};
}

// K + 3 neighbours, of which `at` is the first: column x − padding of a row of sources. Zeros beyond the row's ends,
// and everywhere if there is no such row.
template <int K, Reach reach>
__device__ inline void load_neighbours(float (&to)[K + 3], const float* at, bool there, int x, int padding, int width) {
  if constexpr (reach == Reach::quads) {
    constexpr int side = (K - 1) / 2;
    const bool left = there && x > 0, right = there && x + 4 < width;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < side; ++i) to[i] = left ? __ldg(at + i) : 0.0f;
    const float4 quad = there ? __ldg(reinterpret_cast<const float4*>(at + side)) : float4{0, 0, 0, 0};
    to[side] = quad.x, to[side + 1] = quad.y, to[side + 2] = quad.z, to[side + 3] = quad.w;
    CONVOSCOPE_UNROLL
    for (int i = side + 4; i < K + 3; ++i) to[i] = right ? __ldg(at + i) : 0.0f;
  } else if constexpr (reach == Reach::pairs) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < K + 3; i += 2) {
      const int column = x - padding + i;
      const bool inside = there && column >= 0 && column < width;
      const float2 pair = inside ? __ldg(reinterpret_cast<const float2*>(at + i)) : float2{0, 0};
      to[i] = pair.x, to[i + 1] = pair.y;
    }
  } else {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < K + 3; ++i) {
      const int column = x - padding + i;
      to[i] = there && column >= 0 && column < width ? __ldg(at + i) : 0.0f;
    }
  }
}

// Four neighbours from x on, zeros beyond the row's end.
template <Reach reach>
__device__ inline void load_quad(float (&to)[4], const float* at, bool there, int x, int width) {
  if constexpr (reach == Reach::quads) {
    const float4 quad = there ? __ldg(reinterpret_cast<const float4*>(at)) : float4{0, 0, 0, 0};
    to[0] = quad.x, to[1] = quad.y, to[2] = quad.z, to[3] = quad.w;
  } else if constexpr (reach == Reach::pairs) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; i += 2) {
      const float2 pair = there && x + i < width ? __ldg(reinterpret_cast<const float2*>(at + i)) : float2{0, 0};
      to[i] = pair.x, to[i + 1] = pair.y;
    }
  } else {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i) to[i] = there && x + i < width ? __ldg(at + i) : 0.0f;
  }
}

// What becomes of four sums of a map, whose bias is loaded once for them.
__device__ inline void finish_quad(float (&sums)[4], const LayerEpilogue& epilogue, float bias) {
  CONVOSCOPE_UNROLL
  for (float& sum : sums) sum = epilogue.relu ? fmaxf(sum + bias, 0.0f) : sum + bias;
}

// Nobody reads them soon: the caches are for the sources.
template <Reach reach>
__device__ inline void store_quad(float* at, const float (&values)[4], int x, int width) {
  if constexpr (reach == Reach::quads) {
    __stcs(reinterpret_cast<float4*>(at), float4{values[0], values[1], values[2], values[3]});
  } else if constexpr (reach == Reach::pairs) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; i += 2)
      if (x + i < width) __stcs(reinterpret_cast<float2*>(at + i), float2{values[i], values[i + 1]});
  } else {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i)
      if (x + i < width) at[i] = values[i];
  }
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
