#include "kernels/cpu/cpu_rows.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cpu_rows.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "kernels/cpu/float_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoscope::rows {
namespace HWY_NAMESPACE {
using namespace floats::HWY_NAMESPACE;

// One block of Outputs rows × Vectors vectors, from column `at` on. Each loaded input meets the weights of all output
// rows that it belongs to; the first and last few input rows belong to fewer.
template <bool Add, int Outputs, int Vectors>
HWY_INLINE void correlate_block(const float* const* in, int height, const float* weights, int taps, int step,
                                float* const* out, int at) {
  constexpr Floats d;
  Vector sums[Outputs][Vectors];
  for (int k = 0; k < Outputs; ++k)
    for (int v = 0; v < Vectors; ++v) sums[k][v] = Add ? hn::LoadU(d, out[k] + at + v * lanes) : hn::Zero(d);

  for (int t = 0; t < height + Outputs - 1; ++t) {
    const float* x = in[t] + at;
    if (t >= Outputs - 1 && t < height) {
      const float* w = weights + t * taps;
      for (int i = 0; i < taps; ++i, x += step, ++w) {
        Vector loaded[Vectors];
        for (int v = 0; v < Vectors; ++v) loaded[v] = hn::LoadU(d, x + v * lanes);
        for (int k = 0; k < Outputs; ++k) {
          const Vector weight = hn::Set(d, w[-k * taps]);
          for (int v = 0; v < Vectors; ++v) sums[k][v] = hn::MulAdd(weight, loaded[v], sums[k][v]);
        }
      }
      continue;
    }
    for (int k = 0; k < Outputs; ++k) {  // unrolled: sums[k] must stay in registers
      if (t < k || t - k >= height) continue;
      const float* w = weights + (t - k) * taps;
      for (int i = 0; i < taps; ++i) {
        const Vector weight = hn::Set(d, w[i]);
        for (int v = 0; v < Vectors; ++v)
          sums[k][v] = hn::MulAdd(weight, hn::LoadU(d, x + i * step + v * lanes), sums[k][v]);
      }
    }
  }
  for (int k = 0; k < Outputs; ++k)
    for (int v = 0; v < Vectors; ++v) hn::StoreU(sums[k][v], d, out[k] + at + v * lanes);
}

template <bool Add, int Outputs, int Vectors>
void correlate_rows(const float* const* in, int height, const float* weights, int taps, int step, float* const* out,
                    int count) {
  static_assert(Vectors * lanes <= slack);
  for (int at = 0; at < count; at += Vectors * lanes)
    correlate_block<Add, Outputs, Vectors>(in, height, weights, taps, step, out, at);
}

template <bool Add>
void correlate_all(const float* const* in, int height, const float* weights, int taps, int step, float* const* out,
                   int outputs, int count) {
  for (; outputs >= 4; outputs -= 4, in += 4, out += 4)
    correlate_rows<Add, 4, vectors>(in, height, weights, taps, step, out, count);
  for (; outputs >= 2; outputs -= 2, in += 2, out += 2)
    correlate_rows<Add, 2, vectors>(in, height, weights, taps, step, out, count);
  if (outputs) correlate_rows<Add, 1, 4>(in, height, weights, taps, step, out, count);
}

void Correlate(const float* const* in, int height, const float* weights, int taps, int step, float* const* out,
               int outputs, int count) {
  correlate_all<false>(in, height, weights, taps, step, out, outputs, count);
}

void AddCorrelation(const float* const* in, int height, const float* weights, int taps, int step, float* const* out,
                    int outputs, int count) {
  correlate_all<true>(in, height, weights, taps, step, out, outputs, count);
}

void Widen(const std::uint8_t* in, float* out, int count) {
  constexpr Floats d;
  const hn::Rebind<std::int32_t, Floats> ints;
  const hn::Rebind<std::uint8_t, Floats> bytes;
  int i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(ints, hn::LoadU(bytes, in + i))), d, out + i);
  for (; i < count; ++i) out[i] = in[i];
}

HWY_INLINE Vector finished(const float* sums, const float* sums_y, const Epilogue& epilogue) {
  constexpr Floats d;
  Vector sum = hn::LoadU(d, sums);
  if (sums_y) {
    const Vector y = hn::LoadU(d, sums_y);
    sum = hn::Sqrt(hn::MulAdd(sum, sum, hn::Mul(y, y)));
  }
  const Vector value = hn::MulAdd(hn::Set(d, epilogue.gain), sum, hn::Set(d, epilogue.bias));
  return epilogue.absolute ? hn::Abs(value) : value;
}

void FinishFloats(const float* sums, const float* sums_y, const Epilogue& epilogue, float* out, int count) {
  constexpr Floats d;
  int i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(finished(sums + i, sums_y ? sums_y + i : nullptr, epilogue), d, out + i);
  const int rest = count - i;
  if (rest <= 0) return;
  HWY_ALIGN float last[lanes];
  hn::Store(finished(sums + i, sums_y ? sums_y + i : nullptr, epilogue), d, last);
  std::memcpy(out + i, last, static_cast<std::size_t>(rest) * sizeof(float));
}

HWY_INLINE void finish_bytes(const float* sums, const float* sums_y, const Epilogue& epilogue, const std::uint8_t* in,
                             std::uint8_t* out) {
  constexpr Floats d;
  const hn::Rebind<std::uint8_t, Floats> bytes;
  const hn::Repartition<std::uint32_t, decltype(bytes)> words;
  const auto alpha = hn::BitCast(bytes, hn::Set(words, 0xFF000000u));  // little endian, as all our targets are
  const Vector value = hn::Clamp(finished(sums, sums_y, epilogue), hn::Zero(d), hn::Set(d, 255.0f));
  const auto codes = hn::DemoteTo(bytes, hn::NearestInt(value));
  hn::StoreU(hn::Or(hn::AndNot(alpha, codes), hn::And(alpha, hn::LoadU(bytes, in))), bytes, out);
}

void FinishBytes(const float* sums, const float* sums_y, const Epilogue& epilogue, const std::uint8_t* in,
                 std::uint8_t* out, int count) {
  int i = 0;
  for (; i + lanes <= count; i += lanes)
    finish_bytes(sums + i, sums_y ? sums_y + i : nullptr, epilogue, in + i, out + i);
  const int rest = count - i;
  if (rest <= 0) return;
  std::uint8_t last_in[lanes] = {}, last_out[lanes];
  std::memcpy(last_in, in + i, static_cast<std::size_t>(rest));
  finish_bytes(sums + i, sums_y ? sums_y + i : nullptr, epilogue, last_in, last_out);
  std::memcpy(out + i, last_out, static_cast<std::size_t>(rest));
}

}  // namespace HWY_NAMESPACE
}  // namespace convoscope::rows
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoscope::rows {

HWY_EXPORT(Correlate);
HWY_EXPORT(AddCorrelation);
HWY_EXPORT(Widen);
HWY_EXPORT(FinishFloats);
HWY_EXPORT(FinishBytes);

void correlate(const float* const* in, int height, const float* weights, int taps, int step, float* const* out,
               int outputs, int count) {
  HWY_DYNAMIC_DISPATCH(Correlate)(in, height, weights, taps, step, out, outputs, count);
}

void add_correlation(const float* const* in, int height, const float* weights, int taps, int step, float* const* out,
                     int outputs, int count) {
  HWY_DYNAMIC_DISPATCH(AddCorrelation)(in, height, weights, taps, step, out, outputs, count);
}

void widen(const std::uint8_t* in, float* out, int count) { HWY_DYNAMIC_DISPATCH(Widen)(in, out, count); }

void finish(const float* sums, const float* sums_y, const Epilogue& epilogue, float* out, int count) {
  HWY_DYNAMIC_DISPATCH(FinishFloats)(sums, sums_y, epilogue, out, count);
}

void finish(const float* sums, const float* sums_y, const Epilogue& epilogue, const std::uint8_t* in, std::uint8_t* out,
            int count) {
  HWY_DYNAMIC_DISPATCH(FinishBytes)(sums, sums_y, epilogue, in, out, count);
}

}  // namespace convoscope::rows
#endif
