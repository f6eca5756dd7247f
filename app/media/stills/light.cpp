#include "app/media/stills/light.h"

#include <bit>
#include <cmath>
#include <vector>

namespace convoscope {
namespace {

constexpr float linear_until = 0.0031308f;
constexpr int lowest_exponent = -9;  // 2^-9 < linear_until
constexpr int mantissa_bits = 11, left_bits = 23 - mantissa_bits;

// sRGB's curve at steps of 1/2048 of each octave below 1, from which srgb_code() interpolates.
std::vector<float> curve_steps() {
  std::vector<float> steps((static_cast<std::size_t>(-lowest_exponent) << mantissa_bits) + 1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const int exponent = lowest_exponent + static_cast<int>(i >> mantissa_bits);
    const double part = static_cast<double>(i & ((1u << mantissa_bits) - 1)) / (1 << mantissa_bits);
    const double light = std::ldexp(1 + part, exponent);
    steps[i] = static_cast<float>((1.055 * std::pow(light, 1 / 2.4) - 0.055) * 65535);
  }
  return steps;
}

}  // namespace

std::uint16_t srgb_code(float light) {
  static const std::vector<float> steps = curve_steps();
  if (!(light > 0)) return 0;
  if (light >= 1) return 65535;
  if (light <= linear_until) return static_cast<std::uint16_t>(light * 12.92f * 65535 + 0.5f);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(light);
  const std::uint32_t first = static_cast<std::uint32_t>(127 + lowest_exponent) << 23;
  const std::uint32_t at = (bits - first) >> left_bits;
  const float part = static_cast<float>(bits & ((1u << left_bits) - 1)) / static_cast<float>(1u << left_bits);
  return static_cast<std::uint16_t>(steps[at] + part * (steps[at + 1] - steps[at]) + 0.5f);
}

std::uint16_t unit_code(float value) {
  if (!(value > 0)) return 0;
  return value >= 1 ? 65535 : static_cast<std::uint16_t>(value * 65535 + 0.5f);
}

LabLight::LabLight(float white_x, float white_y) {
  using Matrix = std::array<std::array<double, 3>, 3>;
  constexpr Matrix cones{{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}};
  // From cones, in parts of what D65 excites, to sRGB's light: the inverse of `cones`, then of sRGB's matrix to XYZ.
  constexpr Matrix to_srgb{
      {{2.3893875, -1.3455480, -0.0438394}, {-0.1374524, 1.1617804, -0.0243282}, {-0.0398210, -0.0745014, 1.1143224}}};
  const bool usable = white_x > 0.01f && white_y > 0.01f && white_x + white_y < 1;
  const double x = usable ? white_x : 0.34567, y = usable ? white_y : 0.3585;
  const std::array<double, 3> white{x / y, 1, (1 - x - y) / y};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      double sum = 0;
      for (std::size_t cone = 0; cone < 3; ++cone) {
        double excited = 0;  // by the white
        for (std::size_t k = 0; k < 3; ++k) excited += cones[cone][k] * white[k];
        sum += to_srgb[row][cone] * cones[cone][column] * white[column] / excited;
      }
      matrix_[row][column] = static_cast<float>(sum);
    }
}

std::array<float, 3> LabLight::operator()(float lightness, float a, float b) const {
  const auto inverse = [](float t) {
    constexpr float knee = 6.0f / 29;
    return t > knee ? t * t * t : (t - 4.0f / 29) * 3 * knee * knee;
  };
  const float middle = (lightness + 16) / 116;
  const std::array<float, 3> part{inverse(middle + a / 500), inverse(middle), inverse(middle - b / 200)};
  std::array<float, 3> light{};
  for (std::size_t row = 0; row < 3; ++row)
    light[row] = matrix_[row][0] * part[0] + matrix_[row][1] * part[1] + matrix_[row][2] * part[2];
  return light;
}

std::array<float, 3> xyz_to_light(float x, float y, float z) {
  // XYZ under E to sRGB under D65, by Bradford's transform.
  return {3.1462517f * x - 1.6661243f * y - 0.4801272f * z, -0.9955354f * x + 1.9557635f * y + 0.0397716f * z,
          0.0635979f * x - 0.2145965f * y + 1.1509987f * z};
}

}  // namespace convoscope
