#pragma once
// Which maps a lane holds of products on tensor cores, and how it stores them. Of each instruction's 8 columns it has
// two that are neighbours; the bank's filters are put into such an order that the columns of four instructions are
// eight neighbouring maps of it, 16 bytes of float16.
#include "kernels/device/parts/layer_numbers.cuh"
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor {

// Of that many columns of a warp.
template <int Maps>
struct MapOrder {
  static constexpr int instructions = Maps >= 32 ? 4 : Maps / 8;  // whose columns make a run of maps
  static constexpr int run = 8 * instructions, held = 2 * instructions, runs = Maps / run;
  static_assert(Maps % run == 0);
  static constexpr int map_of(int column) {
    return column / run * run + column % 8 / 2 * held + column % run / 8 * 2 + column % 2;
  }
  static constexpr int lane_of(int map) { return map % run / held; }  // of the four that share a row
};

// Whether all columns begin at such an address.
inline bool aligned(const Tensor& tensor, std::ptrdiff_t bytes) {
  bool all = reinterpret_cast<std::uintptr_t>(tensor.data) % static_cast<std::uintptr_t>(bytes) == 0;
  for (const int d : {0, 3, 4}) all &= tensor.stride[d] % bytes == 0;
  return all && tensor.shape.layout == Layout::nhwc;
}

// Where sums of float16 layers go in nhwc. maps: of the group.
struct MapStores {
  std::ptrdiff_t channel;
  LayerEpilogue epilogue;
  int first_map, maps;  // first_map: for the epilogue; −1: there is none
  bool wide;            // neighbouring maps as one word of all their bytes

  template <int Count>
  __device__ void biases(float (&biases)[Count], int map) const {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Count; ++i)
      biases[i] = first_map >= 0 && map + i < maps ? __ldg(epilogue.biases + first_map + map + i) : 0.0f;
  }
  // Whole: there are that many maps, and they are stored as one word.
  template <bool Whole = false, int Count>
  __device__ void store(Half* place, int map, const float (&sums)[Count], const float (&biases)[Count]) const {
    float values[Count];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Count; ++i) {
      values[i] = sums[i] + biases[i];
      if (first_map >= 0 && epilogue.relu) values[i] = fmaxf(values[i], 0.0f);
    }
    if constexpr (Whole) {
      store_word(place + map, values);
    } else {
      if (wide && map + Count <= maps) return store_word(place + map, values);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Count; ++i)
        if (map + i < maps) place[(map + i) * channel] = number_of<Half>(values[i]);
    }
  }

 private:
  template <int Count>
  __device__ static void store_word(Half* place, const float (&values)[Count]) {
    if constexpr (Count == 8)
      *reinterpret_cast<uint4*>(place) = {pack_half2(values[0], values[1]), pack_half2(values[2], values[3]),
                                          pack_half2(values[4], values[5]), pack_half2(values[6], values[7])};
    else if constexpr (Count == 4)
      *reinterpret_cast<uint2*>(place) = {pack_half2(values[0], values[1]), pack_half2(values[2], values[3])};
    else
      *reinterpret_cast<unsigned*>(place) = pack_half2(values[0], values[1]);
  }
};

// The first map of a run that lane t of a row has.
template <int Maps>
__device__ inline int map_of_lane(int first_map, int run, int t) {
  return first_map + run * MapOrder<Maps>::run + t * MapOrder<Maps>::held;
}

// A lane's sums of 16 · Down outputs and a run of maps, which begins with `map`. place(i): where the output of row
// 8i + g of them is, null when it is nowhere.
template <int Maps, bool Whole = false, int Down, int Across, class Place>
__device__ inline void store_run(const float (&sums)[Down][Across][4], const MapStores& stores,
                                 const float (&biases)[MapOrder<Maps>::held], int run, int map, Place place) {
  using Order = MapOrder<Maps>;
  CONVOSCOPE_UNROLL
  for (int i = 0; i < 2 * Down; ++i) {
    Half* const at = place(i);
    if (!at) continue;
    float held[Order::held];
    CONVOSCOPE_UNROLL
    for (int h = 0; h < Order::held; ++h) held[h] = sums[i / 2][run * Order::instructions + h / 2][i % 2 * 2 + h % 2];
    stores.store<Whole>(at, map, held, biases);
  }
}

// The same of all runs of 8 · Across columns.
template <int Maps, int Down, int Across, class Place>
__device__ inline void store_sums(const float (&sums)[Down][Across][4], const MapStores& stores, int first_map, int t,
                                  Place place) {
  CONVOSCOPE_UNROLL
  for (int run = 0; run < MapOrder<Maps>::runs; ++run) {
    const int map = map_of_lane<Maps>(first_map, run, t);
    float biases[MapOrder<Maps>::held];
    stores.biases(biases, map);
    store_run<Maps>(sums, stores, biases, run, map, place);
  }
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor
