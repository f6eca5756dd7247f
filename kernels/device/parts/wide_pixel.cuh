#pragma once
// A pixel of float sums: what a pass leaves for the next one. The alpha code value travels with the sums, so that the
// last pass needs no second look at the input.
#include "kernels/device/pixel.cuh"

// Before a loop that the device compiler should unroll, or must not; the emulator's compiler has other spellings and no
// need.
#if defined(CONVOSCOPE_EMULATED)
#define CONVOSCOPE_UNROLL
#define CONVOSCOPE_KEEP_LOOP
#else
#define CONVOSCOPE_UNROLL _Pragma("unroll")
#define CONVOSCOPE_KEEP_LOOP _Pragma("unroll 1")
#endif

namespace convoscope::CONVOSCOPE_TARGET {

struct alignas(16) Rgba32f {
  float r = 0, g = 0, b = 0, a = 0;
};

template <class Pixel>
struct WideOf;
template <>
struct WideOf<float> {
  using type = float;
};
template <>
struct WideOf<Rgba8> {
  using type = Rgba32f;
};
template <class Pixel>
using Wide = typename WideOf<Pixel>::type;
constexpr std::size_t wide_pixel_bytes(PixelFormat format) { return format == PixelFormat::rgba8 ? 16 : 4; }

__device__ inline void add(float& sum, float value, float weight) { sum = fmaf(weight, value, sum); }
__device__ inline void add(Rgba32f& sum, const Rgba32f& value, float weight) {
  sum.r = fmaf(weight, value.r, sum.r);
  sum.g = fmaf(weight, value.g, sum.g);
  sum.b = fmaf(weight, value.b, sum.b);
}
__device__ inline void add(Rgba32f& sum, Rgba8 value, float weight) {
  sum.r = fmaf(weight, static_cast<float>(value.r), sum.r);
  sum.g = fmaf(weight, static_cast<float>(value.g), sum.g);
  sum.b = fmaf(weight, static_cast<float>(value.b), sum.b);
}

__device__ inline void carry_alpha(float&, float) {}
__device__ inline void carry_alpha(Rgba32f& sum, const Rgba32f& source) { sum.a = source.a; }
__device__ inline void carry_alpha(Rgba32f& sum, Rgba8 source) { sum.a = static_cast<float>(source.a); }

// sqrt(Σ sums²) for edge magnitude, the sum itself for one filter; then gain, bias, absolute and the pixel's rounding.
template <int Sums>
__device__ inline float finish_channel(const Epilogue& epilogue, float first, float last) {
  return apply(epilogue, Sums == 1 ? first : sqrtf(first * first + last * last));
}
template <int Sums>
__device__ inline float finish_pixel(const Epilogue& epilogue, const float (&sums)[Sums]) {
  return finish_channel<Sums>(epilogue, sums[0], sums[Sums - 1]);
}
template <int Sums>
__device__ inline Rgba8 finish_pixel(const Epilogue& epilogue, const Rgba32f (&sums)[Sums]) {
  const Rgba32f &x = sums[0], &y = sums[Sums - 1];
  return {to_code_value(finish_channel<Sums>(epilogue, x.r, y.r)),
          to_code_value(finish_channel<Sums>(epilogue, x.g, y.g)),
          to_code_value(finish_channel<Sums>(epilogue, x.b, y.b)), static_cast<unsigned char>(x.a)};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
