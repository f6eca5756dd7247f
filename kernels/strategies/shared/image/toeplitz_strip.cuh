#pragma once
// The kernel of tensor-core: a strip of 128 columns walked down by three warps, whose registers hold the sums of all
// the output rows that an input row adds to.
#include "kernels/device/parts/mma.cuh"
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET::tensor_core {
namespace {

constexpr int strip_width = 128;  // 16 runs of 8 outputs: the M × N of one mma
constexpr int step = 8;           // input rows between two barriers
constexpr int warps = 3;          // rgba8: a channel each; gray32f: one of the three products of split numbers each
constexpr int threads = 32 * warps;

// The B matrix of one mma as its 32 lanes hold it.
struct alignas(8) Fragment {
  unsigned pair[2];
};
constexpr int fragment_lanes = 32;

CONVOSCOPE_HOST_DEVICE constexpr int depth_chunks(int radius) { return (8 + 2 * radius + 15) / 16; }  // mma along K
CONVOSCOPE_HOST_DEVICE constexpr int plane_words(int radius) {
  return (strip_width - 8 + 16 * depth_chunks(radius)) / 2;
}
CONVOSCOPE_HOST_DEVICE constexpr int ring_rows(int radius) { return radius + 2 * step; }

// Fragments of one half (high or low) of the weights: for each filter, each chunk of K, each row of sums.
CONVOSCOPE_HOST_DEVICE constexpr int fragments_per_half(int radius, int sums) {
  return sums * depth_chunks(radius) * (2 * radius + 1);
}

template <class Pixel>
constexpr bool is_gray = sizeof(Wide<Pixel>) == sizeof(float);

// Which planes and weights a warp multiplies, and what it leaves for the store.
template <class Pixel>
struct Roles;
template <>
struct Roles<Rgba8> {
  static constexpr int planes = 3;     // r, g, b
  using Result = unsigned char;        // finished code values, beside the alpha that waits in byte 3
  static constexpr int slot_size = 4;  // Results of a pixel and a filter; an edge magnitude is finished by its warp
};
template <>
struct Roles<float> {
  static constexpr int planes = 2;  // high and low halves of the pixels
  using Result = float;             // sums of the three products, for each filter
  static constexpr int slot_size = warps;
};

// Weights stay in registers while there is room beside the sums.
template <int Radius, int Sums, int Halves>
constexpr bool weights_in_registers = fragments_per_half(Radius, Sums) * Halves <= 36;

// Two pixels side by side into the planes' fp16 words.
__device__ inline void store_planes(const Shared<unsigned>& planes, int place, int plane, Rgba8 a, Rgba8 b) {
  planes[place] = pack_half2(a.r, b.r);
  planes[plane + place] = pack_half2(a.g, b.g);
  planes[2 * plane + place] = pack_half2(a.b, b.b);
}
__device__ inline void store_planes(const Shared<unsigned>& planes, int place, int plane, float a, float b) {
  split_half2(a, b, planes[place], planes[plane + place]);
}
__device__ inline void keep_alpha(const Shared<unsigned char>& slots, int pixel, Rgba8 value) {
  slots[4 * pixel + 3] = value.a;
}
__device__ inline void keep_alpha(const Shared<float>&, int, float) {}

// Block: `threads` threads for strip_width × strip_rows outputs. Halves: 2 when rgba8 weights need both their halves.
template <class Pixel, int Radius, int Sums, int Halves>
__global__ void __launch_bounds__(threads)
    filter_toeplitz(ImageView<const Pixel> in, ImageView<Pixel> out, const Fragment* fragments, int strip_rows,
                    Border border, Epilogue epilogue) {
  constexpr int taps = 2 * Radius + 1, chunks = depth_chunks(Radius), words = plane_words(Radius);
  constexpr int per_half = fragments_per_half(Radius, Sums);
  constexpr int slot_rows = is_gray<Pixel> ? step : ring_rows(Radius);
  constexpr int plane = step * words;
  constexpr int stored_halves = is_gray<Pixel> ? 2 : Halves;
  constexpr bool in_registers = weights_in_registers<Radius, Sums, Halves>;
  using Result = typename Roles<Pixel>::Result;
  constexpr int slot_size = Roles<Pixel>::slot_size * (is_gray<Pixel> ? Sums : 1), slot_count = slot_rows * strip_width;

  constexpr std::size_t planes_offset = in_registers ? 0 : stored_halves * per_half * fragment_lanes * sizeof(Fragment);
  constexpr std::size_t slots_offset = planes_offset + Roles<Pixel>::planes * plane * sizeof(unsigned);
  Shared<Fragment> shared_weights =
      shared_memory<Fragment>(0, in_registers ? 0 : stored_halves * per_half * fragment_lanes);
  Shared<unsigned> planes = shared_memory<unsigned>(planes_offset, Roles<Pixel>::planes * plane);
  Shared<Result> slots = shared_memory<Result>(slots_offset, slot_count * slot_size);

  const int t = threadIdx.x, lane = t % fragment_lanes, warp = t / fragment_lanes;
  const int left = blockIdx.x * strip_width, top = blockIdx.y * strip_rows;
  const int rows = out.height - top < strip_rows ? out.height - top : strip_rows;
  const int steps = (rows + 2 * Radius + step - 1) / step;

  // gray32f: high · high, low · high, high · low of pixels · weights.
  const int my_plane = is_gray<Pixel> ? (warp == 1 ? 1 : 0) : warp;
  const int my_half = is_gray<Pixel> && warp == 2 ? 1 : 0;
  Fragment weights[in_registers ? Halves * per_half : 1];
  if constexpr (in_registers) {
    CONVOSCOPE_UNROLL
    for (int f = 0; f < Halves * per_half; ++f)
      weights[f] = fragments[(my_half * per_half + f) * fragment_lanes + lane];
  } else {
    for (int i = t; i < stored_halves * per_half * fragment_lanes; i += threads) shared_weights[i] = fragments[i];
  }
  const auto weight = [&](int f) {
    if constexpr (in_registers)
      return weights[f];
    else
      return shared_weights[(my_half * per_half + f) * fragment_lanes + lane];
  };

  // Input row i of the strip is image row top − Radius + i; word w of a plane's row holds columns left − Radius + 2w,
  // +1.
  constexpr int loads = (plane + threads - 1) / threads;
  Pixel next[loads][2];
  const auto fetch = [&](int first_row) {
    CONVOSCOPE_UNROLL
    for (int k = 0; k < loads; ++k) {
      const int item = k * threads + t, row = item / words, x = left - Radius + 2 * (item - row * words);
      if (item >= plane) continue;
      const int y = border_index(top - Radius + first_row + row, in.height, border);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 2; ++i) {
        const int column = border_index(x + i, in.width, border);
        next[k][i] = y < 0 || column < 0 ? Pixel{} : *pixel_at(in, column, y);
      }
    }
  };

  // Where the output of a step's row waits for the store: rgba8, where its alpha already is.
  const auto output_slot = [&](int n, int row) {
    return (is_gray<Pixel> ? row : (n * step + row - Radius) % slot_rows) * strip_width;
  };

  float sums[Sums][taps][4] = {};  // sums[s][j]: output row (input row − 2·Radius + j) of the strip
  fetch(0);
  for (int n = 0; n < steps; ++n) {
    CONVOSCOPE_UNROLL
    for (int k = 0; k < loads; ++k) {
      const int item = k * threads + t, row = item / words, word = item - row * words;
      if (item >= plane) continue;
      store_planes(planes, item, plane, next[k][0], next[k][1]);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 2; ++i) {
        const int pixel = 2 * word + i - Radius;
        if (pixel >= 0 && pixel < strip_width)
          keep_alpha(slots, (n * step + row) % slot_rows * strip_width + pixel, next[k][i]);
      }
    }
    __syncthreads();
    if (n + 1 < steps) fetch((n + 1) * step);  // arrives while the tensor cores work

    CONVOSCOPE_KEEP_LOOP
    for (int row = 0; row < step; ++row) {  // unrolled eight times it would only take longer to compile
      unsigned image[chunks][4];
      const int first = my_plane * plane + row * words + lane;
      CONVOSCOPE_UNROLL
      for (int c = 0; c < chunks; ++c) {  // run i of the A matrix starts 8 pixels, 4 words, after run i − 1
        image[c][0] = planes[first + 8 * c];
        image[c][1] = planes[first + 8 * c + 32];
        image[c][2] = planes[first + 8 * c + 4];
        image[c][3] = planes[first + 8 * c + 36];
      }
      CONVOSCOPE_UNROLL
      for (int s = 0; s < Sums; ++s) {
        CONVOSCOPE_UNROLL
        for (int i = 0; i < Halves * chunks * taps; ++i) {  // half, then chunk, then row of sums
          const int j = i % taps, c = i / taps % chunks, half = i / taps / chunks;
          const Fragment f = weight(half * per_half + (s * chunks + c) * taps + j);
          if (i >= taps) {
            mma_m16n8k16(sums[s][j], image[c], f.pair);
          } else if (j + 1 < taps) {
            mma_m16n8k16(sums[s][j], image[c], f.pair, sums[s][j + 1]);
          } else {
            const float none[4] = {};
            mma_m16n8k16(sums[s][j], image[c], f.pair, none);
          }
        }
      }

      const int output = n * step + row - 2 * Radius;
      if (output < 0 || output >= rows) continue;
      const int slot = output_slot(n, row) + 2 * lane;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int place = (slot + (i & 1) + (i >> 1) * 64) * slot_size + warp;
        if constexpr (is_gray<Pixel>) {
          CONVOSCOPE_UNROLL
          for (int s = 0; s < Sums; ++s) slots[place + s * warps] = sums[s][0][i];
        } else {
          slots[place] = to_code_value(finish_channel<Sums>(epilogue, sums[0][0][i], sums[Sums - 1][0][i]));
        }
      }
    }
    __syncthreads();

    for (int i = t; i < step * strip_width; i += threads) {
      const int row = i / strip_width, x = i % strip_width, output = n * step + row - 2 * Radius;
      if (output < 0 || output >= rows || left + x >= out.width) continue;
      const int place = (output_slot(n, row) + x) * slot_size;
      if constexpr (is_gray<Pixel>) {
        float total[2];
        CONVOSCOPE_UNROLL
        for (int s = 0; s < Sums; ++s)
          total[s] = slots[place + s * warps] + (slots[place + s * warps + 1] + slots[place + s * warps + 2]);
        *pixel_at(out, left + x, top + output) = finish_channel<Sums>(epilogue, total[0], total[Sums - 1]);
      } else {
        *pixel_at(out, left + x, top + output) = {slots[place], slots[place + 1], slots[place + 2], slots[place + 3]};
      }
    }
  }
}

}  // namespace
}  // namespace convoscope::CONVOSCOPE_TARGET::tensor_core
