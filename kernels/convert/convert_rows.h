#pragma once
// Internal to convert/: the inner loops of the conversion on the CPU's cores, a row at a time, vectorised with Highway.
// Rows of floats are readable and writable `slack` floats behind their end, since loops work in whole vectors; of rows
// of bytes and pixels nothing behind the end is touched.
#include <cstdint>

#include "kernels/contract/data/image.h"
#include "kernels/convert/conversion.h"
#include "kernels/convert/yuv_layout.h"

namespace convoscope::convert_rows {

inline constexpr int slack = 32;

// Chroma between two stored rows, less `zero`.
void between_rows(const std::uint8_t* upper, const std::uint8_t* lower, float weight_of_lower, float zero, float* out,
                  int count);
// The same of a plane in which U and V alternate; `count` of each.
void between_rows_of_pairs(const std::uint8_t* upper, const std::uint8_t* lower, float weight_of_lower, float zero,
                           float* u, float* v, int count);

// Twice as many: out[2i] lies between in[i − 1] and in[i], out[2i + 1] between in[i] and in[i + 1]; weights are of the
// right one.
void upsample(const float* in, float even_weight, float odd_weight, float* out, int count);

// Full-range colours of a row; alpha is 255.
void to_rgb(const std::uint8_t* luma, const float* u, const float* v, const Conversion&, Rgba8* out, int count);
// Y, U and V as they are stored in place of the colours.
void to_yuv(const std::uint8_t* luma, const float* u, const float* v, float chroma_zero, Rgba8* out, int count);

// One channel of a row, 0 … 2.
void channel(const Rgba8* in, int which, std::uint8_t* out, int count);
// U + V · 2^16 of each pixel, of four rows with the weights 1, 3, 3, 1.
void sum_rows(const Rgba8* const* rows, std::uint32_t* out, int count);
// Of such sums, around every second from in[0] on with the weights 1, 2, 1: their rounded means. Reads in[−1] and
// `slack` more than 2 · count.
void halve(const std::uint32_t* in, std::uint8_t* u, std::uint8_t* v, int count);

// One of Y, U and V of each pixel's colours: with the factors and the offset of a PlaneConversion.
void mixed(const Rgba8* in, const std::int32_t (&factors)[3], std::int32_t offset, std::uint8_t* out, int count);
// As sum_rows(): R + B · 2^16, and G.
void sum_colours(const Rgba8* const* rows, std::uint32_t* red_blue, std::uint32_t* green, int count);
// As halve(), to U and V of the summed colours.
void halve_colours(const std::uint32_t* red_blue, const std::uint32_t* green, const PlaneConversion&, std::uint8_t* u,
                   std::uint8_t* v, int count);

}  // namespace convoscope::convert_rows
