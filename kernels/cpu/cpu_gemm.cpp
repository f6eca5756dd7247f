#include "kernels/cpu/cpu_gemm.h"

#include "kernels/cpu/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cpu_gemm.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "kernels/cpu/float_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoscope::gemm {
namespace HWY_NAMESPACE {
using namespace floats::HWY_NAMESPACE;

constexpr int most_rows = 4;

template <int Rows>
HWY_INLINE void add_block(const float* a, int a_pitch, int terms, const Matrix& b, const Matrix& sums, int column) {
  constexpr Floats d;
  Vector sum[Rows][vectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < vectors; ++v) sum[r][v] = hn::LoadU(d, sums.row(r) + column + v * lanes);
  for (int t = 0; t < terms; ++t) {
    Vector loaded[vectors];
    for (int v = 0; v < vectors; ++v) loaded[v] = hn::LoadU(d, b.row(t) + column + v * lanes);
    for (int r = 0; r < Rows; ++r) {
      const Vector factor = hn::Set(d, a[r * a_pitch + t]);
      for (int v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(factor, loaded[v], sum[r][v]);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < vectors; ++v) hn::StoreU(sum[r][v], d, sums.row(r) + column + v * lanes);
}

template <int Rows>
void add_rows(const float* a, int a_pitch, int terms, const Matrix& b, const Matrix& sums, int columns) {
  static_assert(vectors * lanes <= slack);
  for (int column = 0; column < columns; column += vectors * lanes) add_block<Rows>(a, a_pitch, terms, b, sums, column);
}

void AddProduct(const float* a, int a_pitch, int rows, int terms, const Matrix& b, const Matrix& sums, int columns) {
  int r = 0;
  for (; r + most_rows <= rows; r += most_rows)
    add_rows<most_rows>(a + static_cast<long>(r) * a_pitch, a_pitch, terms, b, {sums.row(r), sums.pitch}, columns);
  for (; r < rows; ++r)
    add_rows<1>(a + static_cast<long>(r) * a_pitch, a_pitch, terms, b, {sums.row(r), sums.pitch}, columns);
}

template <int Rows, int Terms>
HWY_INLINE void add_dot_products(const Matrix& a, const Matrix& b, int columns, float* sums, int sums_pitch) {
  constexpr Floats d;
  Vector sum[Rows][Terms];
  for (int r = 0; r < Rows; ++r)
    for (int t = 0; t < Terms; ++t) sum[r][t] = hn::Zero(d);
  for (int column = 0; column < columns; column += lanes) {
    Vector loaded[Terms];
    for (int t = 0; t < Terms; ++t) loaded[t] = hn::LoadU(d, b.row(t) + column);
    for (int r = 0; r < Rows; ++r) {
      const Vector factor = hn::LoadU(d, a.row(r) + column);
      for (int t = 0; t < Terms; ++t) sum[r][t] = hn::MulAdd(factor, loaded[t], sum[r][t]);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int t = 0; t < Terms; ++t) sums[r * sums_pitch + t] += hn::GetLane(hn::SumOfLanes(d, sum[r][t]));
}

template <int Rows>
void add_dot_rows(const Matrix& a, const Matrix& b, int terms, int columns, float* sums, int sums_pitch) {
  int t = 0;
  for (; t + 3 <= terms; t += 3) add_dot_products<Rows, 3>(a, {b.row(t), b.pitch}, columns, sums + t, sums_pitch);
  for (; t < terms; ++t) add_dot_products<Rows, 1>(a, {b.row(t), b.pitch}, columns, sums + t, sums_pitch);
}

void AddProductOfRows(const Matrix& a, int rows, const Matrix& b, int terms, int columns, float* sums, int sums_pitch) {
  int r = 0;
  for (; r + most_rows <= rows; r += most_rows)
    add_dot_rows<most_rows>({a.row(r), a.pitch}, b, terms, columns, sums + static_cast<long>(r) * sums_pitch,
                            sums_pitch);
  for (; r < rows; ++r)
    add_dot_rows<1>({a.row(r), a.pitch}, b, terms, columns, sums + static_cast<long>(r) * sums_pitch, sums_pitch);
}

}  // namespace HWY_NAMESPACE
}  // namespace convoscope::gemm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoscope::gemm {

HWY_EXPORT(AddProduct);
HWY_EXPORT(AddProductOfRows);

void add_product(const float* a, int a_pitch, int rows, int terms, const Matrix& b, const Matrix& sums, int columns) {
  HWY_DYNAMIC_DISPATCH(AddProduct)(a, a_pitch, rows, terms, b, sums, columns);
}

void add_product_of_rows(const Matrix& a, int rows, const Matrix& b, int terms, int columns, float* sums,
                         int sums_pitch) {
  HWY_DYNAMIC_DISPATCH(AddProductOfRows)(a, rows, b, terms, columns, sums, sums_pitch);
}

}  // namespace convoscope::gemm
#endif
