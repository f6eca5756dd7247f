#pragma once
// Values of light, and of colours as people see them, as code values of 16 bits that screens show.
#include <array>
#include <cstdint>

namespace convoscope {

// Linear light as a code value of sRGB (IEC 61966-2-1), 0…65535: what is above 1 is 65535, what is below 0, or no
// number, is 0. Within half a code value.
std::uint16_t srgb_code(float light);

// 0…1 as 0…65535, rounded, clamped likewise: values that are code values already.
std::uint16_t unit_code(float value);

// CIE L*a*b* (0…100, ±128) as linear light of sRGB's primaries. Made for the white that it is relative to, by default
// D50; colours are adapted to sRGB's D65 by Bradford's transform.
class LabLight {
 public:
  explicit LabLight(float white_x = 0.34567f, float white_y = 0.3585f);  // CIE 1931
  std::array<float, 3> operator()(float lightness, float a, float b) const;

 private:
  std::array<std::array<float, 3>, 3> matrix_{};  // of XYZ over the white's
};

// CIE XYZ as Radiance stores it, of equal energy white, as linear light of sRGB's primaries.
std::array<float, 3> xyz_to_light(float x, float y, float z);

}  // namespace convoscope
