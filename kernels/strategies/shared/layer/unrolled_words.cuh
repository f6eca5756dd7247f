#pragma once
// A layer's passes as products on tensor cores (words.cuh): where the numbers of the unrolled input U, the bank
// and the gradient lie, and where sums go, whatever the type and layout.
#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/words.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor {

// A column of U: which source of the group, and how far its tap is from the first.
struct alignas(16) Tap {
  int source, y, x, there;
};
// A row of U: where the first tap of that output lies.
struct Place {
  int y, x;
};
inline constexpr int nowhere = -(1 << 30);

// The outputs of a plane one after the other, along its rows.
struct Outputs {
  int width, count, stride, padding;
  __device__ Place place(int y, int x) const { return {y * stride - padding, x * stride - padding}; }
  __device__ Place at(int i) const { return i < count ? place(i / width, i % width) : Place{nowhere, 0}; }
};

// The sources of a group, with zeros around them and, Correlation::spread, between them.
template <class T>
struct Sources {
  Strided<const T> in;
  int height, width, spread;
  // Null where there is a zero.
  __device__ const T* at(const Place& place, const Tap& tap) const {
    int y = place.y + tap.y, x = place.x + tap.x;
    if (!tap.there || y < 0 || x < 0) return nullptr;
    if (spread > 1) {
      if (y % spread != 0 || x % spread != 0) return nullptr;
      y /= spread, x /= spread;
    }
    return y < height && x < width ? in.data + tap.source * in.channel + y * in.row + x * in.column : nullptr;
  }
};

// U. Wide: the numbers of a chunk are neighbours in memory, 16 bytes that are aligned.
template <class T, bool Wide>
struct Unrolled {
  static constexpr bool chunks_first = Wide;
  Sources<T> sources;
  Outputs outputs;
  const Tap* table;
  __device__ Place lane(int i) const { return outputs.at(i); }
  __device__ uint4 chunk(const Place& place, int k, int end) const {
    if constexpr (Wide) {
      const T* const numbers = k < end ? sources.at(place, table[k]) : nullptr;
      return numbers ? packed_from(numbers) : uint4{0, 0, 0, 0};
    } else {
      T numbers[chunk_elements<T>];
      CONVOSCOPE_UNROLL
      for (int e = 0; e < chunk_elements<T>; ++e) {
        const T* const number = k + e < end ? sources.at(place, table[k + e]) : nullptr;
        numbers[e] = number ? __ldg(number) : T(0);
      }
      return packed(numbers);
    }
  }
};

// The bank, made ready by the host: rows and depths that no product has are zeros.
struct Bank {
  static constexpr bool chunks_first = true;
  const uint4* chunks;
  int chunks_of_lane, chunk_depth;
  __device__ const uint4* lane(int i) const { return chunks + static_cast<std::ptrdiff_t>(i) * chunks_of_lane; }
  __device__ uint4 chunk(const uint4* lane, int k, int) const { return __ldg(lane + k / chunk_depth); }
};

// Where the sums of neighbouring maps go.
template <class T>
struct Maps {
  Strided<T> out;
  int width, count, maps;
  bool pairs;  // of float16, as one word
  LayerEpilogue epilogue;
  int first_map;  // for the epilogue; −1: there is none
  __device__ T* place(int i) const {
    return i < count ? out.data + i / width * out.row + i % width * out.column : nullptr;
  }
  __device__ float finish(float sum, int map) const {
    return first_map < 0 ? sum : epilogue.finish(sum, first_map + map);
  }
  __device__ void store(T* place, int map, float first, float second) const {
    if (!place || map >= maps) return;
    first = finish(first, map);
    if (map + 1 < maps) second = finish(second, map + 1);
    if constexpr (sizeof(T) == 2)
      if (pairs) {
        *reinterpret_cast<unsigned*>(place + map) = pack_half2(first, second);
        return;
      }
    place[map * out.channel] = number_of<T>(first);
    if (map + 1 < maps) place[(map + 1) * out.channel] = number_of<T>(second);
  }
};

// A batch is a group of a sample.
template <class T, bool Wide>
struct CorrelationTask {
  int columns, depth, part_depth;
  Strided<const T> in;
  Strided<T> out;
  Correlation c;
  LayerEpilogue epilogue;
  bool forward, pairs;
  const uint4* bank;  // of each group a lane for each target
  int bank_lanes, bank_chunks;
  const Tap* table;

  __device__ Unrolled<T, Wide> a(int batch) const {
    Strided<const T> group = in;
    group.data = in.at(batch / c.groups, batch % c.groups * c.group_sources());
    return {
        {group, c.height, c.width, c.spread}, {c.out_width, c.out_width * c.out_height, c.stride, c.padding}, table};
  }
  __device__ Bank b(int batch) const {
    const std::ptrdiff_t lanes = static_cast<std::ptrdiff_t>(batch % c.groups) * bank_lanes;
    return {bank + lanes * bank_chunks, bank_chunks, chunk_elements<T>};
  }
  __device__ Maps<T> result(int batch, int) const {
    const int first = batch % c.groups * c.group_targets();
    Strided<T> group = out;
    group.data = out.at(batch / c.groups, first);
    return {group, c.out_width, c.out_width * c.out_height, columns, pairs, epilogue, forward ? first : -1};
  }
};

// To the weights the depth is the outputs: a chunk walks along them.
template <class T, class Number>
__device__ inline uint4 chunk_of_outputs(const Outputs& outputs, int k, int end, Number number) {
  T numbers[chunk_elements<T>];
  int y = k / outputs.width, x = k % outputs.width;
  CONVOSCOPE_UNROLL
  for (int e = 0; e < chunk_elements<T>; ++e) {
    const T* const found = k + e < end ? number(y, x) : nullptr;
    numbers[e] = found ? __ldg(found) : T(0);
    if (++x == outputs.width) x = 0, ++y;
  }
  return packed(numbers);
}
// Uᵀ.
template <class T>
struct Turned {
  static constexpr bool chunks_first = false;
  Sources<T> sources;
  Outputs outputs;
  const Tap* table;
  int taps;
  __device__ Tap lane(int i) const { return i < taps ? table[i] : Tap{0, 0, 0, 0}; }
  __device__ uint4 chunk(const Tap& tap, int k, int end) const {
    return chunk_of_outputs<T>(outputs, k, end, [&](int y, int x) { return sources.at(outputs.place(y, x), tap); });
  }
};
// dY.
template <class T>
struct Gradients {
  static constexpr bool chunks_first = false;
  Strided<const T> dy;
  Outputs outputs;
  int maps;
  __device__ const T* lane(int i) const { return i < maps ? dy.data + i * dy.channel : nullptr; }
  __device__ uint4 chunk(const T* plane, int k, int end) const {
    return chunk_of_outputs<T>(outputs, k, plane ? end : 0,
                               [&](int y, int x) { return plane + y * dy.row + x * dy.column; });
  }
};
// Of a part, in the order of the bank: a tap's channels are K² weights apart.
struct PartSums {
  float* sums;
  int taps, channels, maps;
  __device__ int place(int i) const { return i < taps * channels ? i % channels * taps + i / channels : -1; }
  __device__ void store(int place, int map, float first, float second) const {
    if (place < 0) return;
    if (map < maps) sums[static_cast<std::ptrdiff_t>(map) * taps * channels + place] = first;
    if (map + 1 < maps) sums[static_cast<std::ptrdiff_t>(map + 1) * taps * channels + place] = second;
  }
};

template <class T>
struct WeightsTask {
  int columns, depth, part_depth;
  Strided<const T> x, dy;
  Correlation c;
  float* partials;
  const Tap* table;

  __device__ Outputs outputs() const { return {c.out_width, c.out_width * c.out_height, c.stride, c.padding}; }
  __device__ int taps() const { return c.filter * c.filter; }
  __device__ Turned<T> a(int batch) const {
    Strided<const T> group = x;
    group.data = x.at(batch / c.groups, batch % c.groups * c.group_sources());
    return {{group, c.height, c.width, 1}, outputs(), table, taps() * c.group_sources()};
  }
  __device__ Gradients<T> b(int batch) const {
    Strided<const T> group = dy;
    group.data = dy.at(batch / c.groups, batch % c.groups * c.group_targets());
    return {group, outputs(), columns};
  }
  __device__ PartSums result(int batch, int part) const {
    const std::ptrdiff_t buffer = static_cast<std::ptrdiff_t>(batch / c.groups) * gridDim.y + part;
    const std::ptrdiff_t first = buffer * c.targets + batch % c.groups * c.group_targets();
    return {partials + first * c.group_sources() * taps(), taps(), c.group_sources(), columns};
  }
};

// The finished gradient, of every type and layout.
template <class T>
struct WeightNumbers {
  Strided<T> df;
  __device__ void store(const LayerExtents& e, int weight, float sum) const {
    const int taps = e.filter * e.filter, plane = weight / taps, tap = weight % taps;
    df.at(plane / e.group_channels(),
          plane % e.group_channels())[tap / e.filter * df.row + tap % e.filter * df.column] = number_of<T>(sum);
  }
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor
