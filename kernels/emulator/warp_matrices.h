#pragma once
// The matrices that the lanes of a warp bring to one instruction, put together once for all of them.
namespace convoscope::emulated {

// D = A · B of 16 rows and 8 columns.
template <class Sum>
struct WarpProduct {
  Sum at[16][8];
};

template <class Sum, int Depth>
struct WarpMatrices {
  Sum a[16][Depth], b[8][Depth];  // B column by column

  // Nothing here depends on what a kernel does, so the sanitizers need not look at each of its 16 · 8 · Depth steps.
  [[gnu::no_sanitize("address", "undefined")]] WarpProduct<Sum> product() const {
    WarpProduct<Sum> d;
    for (int row = 0; row < 16; ++row) {
      Sum sums[8] = {};  // do not wait for one another
      for (int k = 0; k < Depth; ++k)
        for (int column = 0; column < 8; ++column) sums[column] += a[row][k] * b[column][k];
      for (int column = 0; column < 8; ++column) d.at[row][column] = sums[column];
    }
    return d;
  }
};

// The eight fp16 numbers of four registers, as from_half has them.
void floats_of_halves(const unsigned (&pairs)[4], float* to);

// Two rows of A, each times a column of B whose numbers are fp16 still: most of the time that the emulated kernels of
// warpgroups take. It is no kernel's own, so it is compiled with the host's code, optimised, and looked at by no
// sanitizer.
struct RowSums {
  double of[2];
};
RowSums sums_of_column(const float (&rows)[2][16], const unsigned (&first)[4], const unsigned (&last)[4]);

}  // namespace convoscope::emulated
