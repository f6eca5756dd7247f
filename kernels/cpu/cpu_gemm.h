#pragma once
// The inner loops of matrix products on the CPU, vectorised with Highway for whatever the processor has. A caller keeps
// what it gives small enough for the second-level cache.
namespace convoscope::gemm {

// Rows of b and sums are readable and writable this many floats behind their columns: loops work in whole vectors.
inline constexpr int slack = 64;

// Of rows that are `pitch` floats apart.
struct Matrix {
  float* data;
  int pitch;
  float* row(int i) const { return data + static_cast<long>(i) * pitch; }
};

// sums[r][i] += Σ_t a[r · a_pitch + t] · b[t][i] for r < rows, t < terms, i < columns.
void add_product(const float* a, int a_pitch, int rows, int terms, const Matrix& b, const Matrix& sums, int columns);
// sums[r · sums_pitch + t] += Σ_i a[r][i] · b[t][i]; behind their columns, up to the slack, a and b hold zeros.
void add_product_of_rows(const Matrix& a, int rows, const Matrix& b, int terms, int columns, float* sums,
                         int sums_pitch);

}  // namespace convoscope::gemm
