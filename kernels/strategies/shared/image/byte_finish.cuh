#pragma once
// From the integer sums of byte products to code values in pixels.
#include "kernels/device/parts/bytes.cuh"
#include "kernels/strategies/shared/image/byte_products.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Plain: one set of weights that fits in 16 bits, no absolute value. All of it is integers.
// Else a set is multiplied in one or two rounds of 16 bits each, which add up in float; an edge magnitude has two sets.
struct Finish {
  int shift, offset;  // plain: output = (sum + offset) >> shift
  float scale[2][2];  // of each set and round
  float gain, bias;   // in units of 255 code values, so that clamping is saturation
  int absolute, sets, rounds;
};

// The 8 pixels of a tile that a lane finishes: [row 8n + g][column 2t + i]. They begin as alpha; channels come in
// descending order.
using TilePixels = unsigned[4][2];

template <int Chunks>
__device__ inline void finish_plain(TilePixels& pixels, int (&green)[4][2], const TileSums& sums, int channel,
                                    int shift) {
  CONVOSCOPE_UNROLL
  for (int k = 0; k < 8; ++k) {
    const int value = combined<Chunks>(sums, k / 4, k / 2 % 2, k % 2) >> shift;
    unsigned& pixel = pixels[k / 2][k % 2];
    if (channel == 2) pixel = pack_bytes(static_cast<int>(pixel), value, 0);
    if (channel == 1) green[k / 2][k % 2] = value;
    if (channel == 0) pixel = pack_bytes(green[k / 2][k % 2], value, pixel);
  }
}

__device__ inline unsigned put_byte(unsigned pixel, unsigned value, int channel) {
  return __byte_perm(pixel, value, channel == 2 ? 0x0400 : channel == 1 ? 0x3240 : 0x3214);
}

// The rounds of each set add up in float; the sets are the two sides of a right angle. multiplied(sums, i) makes the
// sums of round i.
template <int Chunks, class Multiplied>
__device__ inline void finish_sets(TilePixels& pixels, int channel, const Finish& finish, Multiplied multiplied) {
  float squares[8] = {}, total[8] = {};
  CONVOSCOPE_KEEP_LOOP
  for (int set = 0; set < finish.sets; ++set) {
    CONVOSCOPE_UNROLL
    for (int k = 0; k < 8; ++k) total[k] = 0;
    CONVOSCOPE_KEEP_LOOP
    for (int round = 0; round < finish.rounds; ++round) {
      TileSums sums[1][1];
      multiplied(sums, set * finish.rounds + round);
      CONVOSCOPE_UNROLL
      for (int k = 0; k < 8; ++k)
        total[k] = fmaf(static_cast<float>(combined<Chunks>(sums[0][0], k / 4, k / 2 % 2, k % 2)),
                        finish.scale[set][round], total[k]);
    }
    CONVOSCOPE_UNROLL
    for (int k = 0; k < 8; ++k) squares[k] = fmaf(total[k], total[k], squares[k]);
  }
  CONVOSCOPE_UNROLL
  for (int k = 0; k < 8; ++k) {
    const float value = fmaf(finish.sets == 1 ? total[k] : sqrtf(squares[k]), finish.gain, finish.bias);
    const unsigned code = code_value(finish.absolute ? fabsf(value) : value);
    pixels[k / 2][k % 2] = put_byte(pixels[k / 2][k % 2], code, channel);
  }
}

}  // namespace convoscope::CONVOSCOPE_TARGET
