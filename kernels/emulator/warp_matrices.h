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
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 8; ++column) {
        Sum sum = 0;
        for (int k = 0; k < Depth; ++k) sum += a[row][k] * b[column][k];
        d.at[row][column] = sum;
      }
    return d;
  }
};

}  // namespace convoscope::emulated
