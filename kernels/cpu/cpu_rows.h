#pragma once
// The inner loops of the CPU strategies, vectorised with Highway for whatever the processor has. All of them work on
// rows of floats: a row of gray32f as it is, a row of rgba8 with its four channels side by side, so that neighbouring
// pixels are `step` = 1 or 4 floats apart and one loop serves both formats.
#include <cstdint>

namespace convoscope::rows {

// Float rows are readable and writable this many floats behind their end: loops work in whole vectors.
inline constexpr int slack = 64;
// correlate() makes up to this many rows of outputs at a time, to use each loaded input for all of them.
inline constexpr int most_outputs = 4;

// out[k][i] = Σ_j Σ_t weights[j · taps + t] · in[k + j][i + t · step] for k < outputs, j < height, i < count.
// in: outputs + height − 1 rows of count + (taps − 1) · step floats. A row pass has height 1, a column pass taps 1.
void correlate(const float* const* in, int height, const float* weights, int taps, int step, float* const* out,
               int outputs, int count);
// The same, added to what `out` holds.
void add_correlation(const float* const* in, int height, const float* weights, int taps, int step, float* const* out,
                     int outputs, int count);

void widen(const std::uint8_t* in, float* out, int count);  // code values to floats; reads nothing behind count

// What happens to a sum before it is stored; bias in units of the pixel.
struct Epilogue {
  float gain = 1, bias = 0;
  bool absolute = false;
};

// sums_y: the second sums of an edge magnitude, or null. `out` is written up to count and no further.
void finish(const float* sums, const float* sums_y, const Epilogue&, float* out, int count);
// The same to code values, `count` of them, four a pixel; every fourth, alpha, comes from `in`.
void finish(const float* sums, const float* sums_y, const Epilogue&, const std::uint8_t* in, std::uint8_t* out,
            int count);

}  // namespace convoscope::rows
