#pragma once
// What separable-half's lanes hold of its matrices, and how two warps share the pass down the columns.
#include "kernels/device/parts/mma.cuh"
#include "kernels/device/parts/warp.cuh"
#include "kernels/strategies/shared/image/banded_strips.cuh"

namespace convoscope::CONVOSCOPE_TARGET::separable_half {

// With a window of four chunks, half of which are not its own, a warp shares their pass down the columns with another:
// each makes three of the six that both need, and they exchange those in the middle.
CONVOSCOPE_HOST_DEVICE constexpr bool in_pairs(int chunks_x) { return chunks_x == 3; }
CONVOSCOPE_HOST_DEVICE constexpr int warps_of(int chunks_x) { return in_pairs(chunks_x) ? 2 : 4; }  // of a block
constexpr int pair_chunks = 3;  // that a warp of a pair makes

// The A matrix of one mma as one lane holds it.
struct alignas(16) Fragment {
  unsigned a[4];
};
// A banded matrix as one lane holds it, in both parts.
template <int Chunks>
struct Band {
  Fragment high[Chunks], low[Chunks];
  __device__ void load(const Fragment* from) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Chunks; ++i) high[i] = from[i * band_lanes], low[i] = from[(Chunks + i) * band_lanes];
  }
};
// The B matrix of one mma as one lane holds it, in both parts.
struct Inputs {
  unsigned high[2], low[2];
};

// sums = matrix · inputs + start; they may be the same.
__device__ inline void multiply(float (&sums)[4], const Fragment& high, const Fragment& low, const Inputs& inputs,
                                const float (&start)[4]) {
  mma_m16n8k16(sums, low.a, inputs.high, start);
  mma_m16n8k16(sums, high.a, inputs.low);
  mma_m16n8k16(sums, high.a, inputs.high);
}

template <int ChunksX>
using PixelsOf = StripPixels<in_pairs(ChunksX) ? pair_chunks : band_runs + ChunksX - 1, warps_of(ChunksX)>;

// Where a pair's warps leave the chunk that the other needs of what comes out of their pass down the columns, twice
// eight rows; in two places by turns, so that they meet once a step. Without pairs it takes no room.
template <int ChunksX>
class Exchange {
 public:
  static constexpr int count = in_pairs(ChunksX) ? 2 * 2 * 2 * band_lanes : 0;  // turns, warps, eights of rows
  static constexpr std::size_t bytes = count * sizeof(Fragment);

  __device__ Exchange(std::size_t offset, int warp) : places_(shared_memory<Fragment>(offset, count)), warp_(warp) {}
  // own: of the chunks side by side that the pair needs the first three, or the last; window: the four that the warp's
  // outputs need.
  __device__ void complete(const Inputs (&own)[2][pair_chunks], Inputs (&window)[2][pair_chunks + 1]) {
    const int mine = (2 * turn_ + warp_) * 2 * band_lanes + static_cast<int>(threadIdx.x),
              others = mine ^ 2 * band_lanes;
    turn_ ^= 1;
    const auto choose = [this](const Inputs& left, const Inputs& right) {
      Inputs chosen;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 2; ++i) {
        chosen.high[i] = warp_ == 0 ? left.high[i] : right.high[i];
        chosen.low[i] = warp_ == 0 ? left.low[i] : right.low[i];
      }
      return chosen;
    };
    CONVOSCOPE_UNROLL
    for (int n = 0; n < 2; ++n) {
      const Inputs shared = choose(own[n][2], own[n][0]);
      places_[mine + n * band_lanes] = {{shared.high[0], shared.high[1], shared.low[0], shared.low[1]}};
    }
    __syncthreads();
    CONVOSCOPE_UNROLL
    for (int n = 0; n < 2; ++n) {
      const Fragment got = places_[others + n * band_lanes];
      const Inputs beyond{{got.a[0], got.a[1]}, {got.a[2], got.a[3]}};
      window[n][0] = choose(own[n][0], beyond);
      window[n][1] = choose(own[n][1], own[n][0]);
      window[n][2] = choose(own[n][2], own[n][1]);
      window[n][3] = choose(beyond, own[n][2]);
    }
  }

 private:
  Shared<Fragment> places_;
  int warp_, turn_ = 0;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_half
