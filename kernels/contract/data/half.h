#pragma once
// Numbers with 11 significant bits: IEEE 754 binary16, for hosts whose compiler has none, and tf32, which has the
// exponents of a float32.
#include <bit>
#include <cmath>
#include <cstdint>

namespace convoscope {

inline float from_half(std::uint16_t half) {
  const unsigned exponent = half >> 10 & 31, mantissa = half & 1023, sign = half >> 15;
  if (exponent > 0 && exponent < 31) return std::bit_cast<float>(sign << 31 | (exponent + 112) << 23 | mantissa << 13);
  float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  if (exponent == 31) magnitude = mantissa ? std::nanf("") : HUGE_VALF;
  return sign ? -magnitude : magnitude;
}

// Rounds to nearest, ties to even; beyond 65504 (rounded) infinity.
inline std::uint16_t to_half(float value) {
  const auto sign = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000u);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude == 0) return sign;
  if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00u);
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
  const int quantum = exponent - 11 > -24 ? exponent - 11 : -24;
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -quantum)));
  // The exponent field counts quanta above the subnormals' own; a carry out of the mantissa raises it by itself.
  const std::uint32_t bits =
      steps < 1024 && quantum == -24 ? steps : static_cast<std::uint32_t>(quantum + 24) * 1024 + steps;
  return static_cast<std::uint16_t>(sign | bits);
}

// To nearest, ties away from zero, as cvt.rna.tf32.f32 does.
inline float round_to_tf32(float value) {
  if (!std::isfinite(value)) return value;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000u) & 0xffffe000u);
}

}  // namespace convoscope
