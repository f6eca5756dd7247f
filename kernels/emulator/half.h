#pragma once
// IEEE 754 binary16 for hosts whose compiler has none.
#include <bit>
#include <cmath>
#include <cstdint>

namespace convoscope::emulated {

inline float from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  float magnitude = 0;
  if (exponent == 31)
    magnitude = mantissa ? std::nanf("") : HUGE_VALF;
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  else
    magnitude = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return half >> 15 ? -magnitude : magnitude;
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

}  // namespace convoscope::emulated
