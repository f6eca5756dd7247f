// Colours that no matrix makes of Y, U and V: constant luminance, ICtCp, Y'D'zD'x. By the formulas of ITU-T H.273.
#include <bit>
#include <cmath>
#include <vector>

#include "app/media/ffmpeg/picture_colours.h"

namespace convoscope {
namespace {

using Transfer = double (*)(double);

double pq_encoded(double light) {
  constexpr double m1 = 0.1593017578125, m2 = 78.84375, c1 = 0.8359375, c2 = 18.8515625, c3 = 18.6875;
  const double power = std::pow(light, m1);
  return std::pow((c1 + c2 * power) / (1 + c3 * power), m2);
}
double pq_decoded(double code) {
  constexpr double m1 = 0.1593017578125, m2 = 78.84375, c1 = 0.8359375, c2 = 18.8515625, c3 = 18.6875;
  const double power = std::pow(code, 1 / m2);
  return std::pow(std::max(power - c1, 0.0) / (c2 - c3 * power), 1 / m1);
}
double hlg_encoded(double light) {
  constexpr double a = 0.17883277, b = 0.28466892, c = 0.55991073;
  return light <= 1 / 12.0 ? std::sqrt(3 * light) : a * std::log(12 * light - b) + c;
}
double hlg_decoded(double code) {
  constexpr double a = 0.17883277, b = 0.28466892, c = 0.55991073;
  return code <= 0.5 ? code * code / 3 : (std::exp((code - c) / a) + b) / 12;
}
double srgb_encoded(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}
double srgb_decoded(double code) { return code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4); }
double camera_encoded(double light) {  // BT.709's and BT.2020's
  constexpr double alpha = 1.09929682680944, beta = 0.018053968510807;
  return light < beta ? 4.5 * light : alpha * std::pow(light, 0.45) - (alpha - 1);
}
double camera_decoded(double code) {
  constexpr double alpha = 1.09929682680944, beta = 0.018053968510807;
  return code < 4.5 * beta ? code / 4.5 : std::pow((code + (alpha - 1)) / alpha, 1 / 0.45);
}
template <int Hundredths>
double gamma_encoded(double light) {
  return std::pow(light, 100.0 / Hundredths);
}
template <int Hundredths>
double gamma_decoded(double code) {
  return std::pow(code, Hundredths / 100.0);
}

}  // namespace

// From light, 0 … 1, to code values, 0 … 1, and back, by tables: powers take too long for each pixel. In double
// precision: of a saturated colour, little light is what is left of much.
class ColourSolver::Curve {
 public:
  explicit Curve(int transfer) {
    switch (transfer) {
      case AVCOL_TRC_SMPTE2084:
        fill(pq_encoded, pq_decoded);
        break;
      case AVCOL_TRC_ARIB_STD_B67:
        fill(hlg_encoded, hlg_decoded);
        break;
      case AVCOL_TRC_IEC61966_2_1:
        fill(srgb_encoded, srgb_decoded);
        break;
      case AVCOL_TRC_LINEAR:
        fill(gamma_encoded<100>, gamma_decoded<100>);
        break;
      case AVCOL_TRC_GAMMA22:
        fill(gamma_encoded<220>, gamma_decoded<220>);
        break;
      case AVCOL_TRC_GAMMA28:
        fill(gamma_encoded<280>, gamma_decoded<280>);
        break;
      default:
        fill(camera_encoded, camera_decoded);
    }
  }

  double decoded(double code) const {
    const double at = std::clamp(code, 0.0, 1.0) * last_code;
    const auto i = std::min(static_cast<std::size_t>(at), std::size_t{last_code - 1});
    return decoded_[i] + (at - static_cast<double>(i)) * (decoded_[i + 1] - decoded_[i]);
  }
  // By light's exponent and the first bits of its mantissa: dark light is as finely divided as bright light is.
  double encoded(double light) const {
    if (!(light > least_light)) return 0;
    return encoded_[(std::bit_cast<std::uint32_t>(static_cast<float>(std::min(light, 1.0))) - least_bits) >>
                    dropped_bits];
  }
  double exactly_encoded(double light) const { return encode_(light); }

 private:
  static constexpr int last_code = 65535, dropped_bits = 12;
  static constexpr float least_light = 0x1p-40f;
  static constexpr std::uint32_t least_bits = std::bit_cast<std::uint32_t>(least_light);

  void fill(Transfer encode, Transfer decode) {
    encode_ = encode;
    decoded_.resize(last_code + 1);
    for (int i = 0; i <= last_code; ++i)
      decoded_[static_cast<std::size_t>(i)] = decode(static_cast<double>(i) / last_code);
    encoded_.resize(((std::bit_cast<std::uint32_t>(1.0f) - least_bits) >> dropped_bits) + 1);
    constexpr std::uint32_t middle = 1u << (dropped_bits - 1);
    for (std::uint32_t i = 0; i < encoded_.size(); ++i) {
      const float light = std::bit_cast<float>(least_bits + (i << dropped_bits) + middle);
      encoded_[i] = encode(std::min<double>(light, 1));
    }
  }
  Transfer encode_ = nullptr;
  std::vector<double> decoded_, encoded_;
};

namespace {

struct Rgb {
  double red, green, blue;
};

// Luma of constant luminance is that of light. How far red and blue may be from it is another number on either side.
template <class Curve>
class ConstantLuminance {
 public:
  ConstantLuminance(const ColourMatrix& matrix, const Curve& curve)
      : curve_(curve),
        matrix_(matrix),
        most_{2 * curve.exactly_encoded(1 - matrix.blue), 2 * (1 - curve.exactly_encoded(matrix.blue)),
              2 * curve.exactly_encoded(1 - matrix.red), 2 * (1 - curve.exactly_encoded(matrix.red))} {}
  Rgb operator()(double luma, double u, double v) const {
    const double blue = luma + u * (u <= 0 ? most_[0] : most_[1]), red = luma + v * (v <= 0 ? most_[2] : most_[3]);
    const double rest = curve_.decoded(luma) - matrix_.red * curve_.decoded(red) - matrix_.blue * curve_.decoded(blue);
    return {red, curve_.encoded(rest / (1 - matrix_.red - matrix_.blue)), blue};
  }

 private:
  const Curve& curve_;
  const ColourMatrix matrix_;
  const double most_[4];
};

// I, Ct and Cp are sums of encoded L, M and S, which are sums of the light of red, green and blue.
template <class Curve>
class IctcpColours {
 public:
  IctcpColours(bool hlg, const Curve& curve) : curve_(curve) {
    const double pq[] = {2048, 2048, 0, 6610, -13613, 7003, 17933, -17390, -543};
    const double other[] = {2048, 2048, 0, 3625, -7465, 3840, 9500, -9212, -288};
    invert(hlg ? other : pq, to_cones_);
    invert({1688, 2146, 262, 683, 2951, 462, 99, 309, 3688}, to_rgb_);
  }
  Rgb operator()(double i, double ct, double cp) const {
    const auto light = [&](int row) { return curve_.decoded(sum(to_cones_, row, i, ct, cp)); };
    const double l = light(0), m = light(1), s = light(2);
    const auto colour = [&](int row) { return curve_.encoded(sum(to_rgb_, row, l, m, s)); };
    return {colour(0), colour(1), colour(2)};
  }

 private:
  static double sum(const double (&matrix)[9], int row, double a, double b, double c) {
    return matrix[3 * row] * a + matrix[3 * row + 1] * b + matrix[3 * row + 2] * c;
  }
  // Of a matrix in units of 1/4096.
  static void invert(const double (&from)[9], double (&to)[9]) {
    const auto cofactor = [&](int row, int column) {
      const auto at = [&](int r, int c) { return from[3 * ((row + r) % 3) + (column + c) % 3]; };
      return at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1);
    };
    double whole = 0;
    for (int i = 0; i < 3; ++i) whole += from[i] * cofactor(0, i);
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) to[3 * row + column] = 4096 * cofactor(column, row) / whole;
  }
  const Curve& curve_;
  double to_cones_[9], to_rgb_[9];
};

Rgb from_ydzdx(double luma, double u, double v) { return {2 * v + 0.991902 * luma, luma, (2 * u + luma) / 0.986566}; }

template <class Colours>
void solve_each(AVFrame& frame, const Colours& colours) {
  const bool full = number_of(frame.color_range) == AVCOL_RANGE_JPEG;
  constexpr int step = 256, largest = 65535;
  const double luma_zero = full ? 0 : 16 * step, luma_scale = 1.0 / (full ? largest : 219 * step);
  const double chroma_zero = 128 * step, chroma_scale = 1.0 / (full ? largest : 224 * step);
  const auto code = [](double value) {
    return static_cast<std::uint16_t>(std::clamp(value, 0.0, 1.0) * largest + 0.5);
  };
  for (int y = 0; y < frame.height; ++y) {
    std::uint16_t* rows[3];
    for (int plane = 0; plane < 3; ++plane)
      rows[plane] = reinterpret_cast<std::uint16_t*>(frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane]);
    for (int x = 0; x < frame.width; ++x) {
      const Rgb rgb = colours((rows[0][x] - luma_zero) * luma_scale, (rows[1][x] - chroma_zero) * chroma_scale,
                              (rows[2][x] - chroma_zero) * chroma_scale);
      rows[0][x] = code(rgb.green), rows[1][x] = code(rgb.blue), rows[2][x] = code(rgb.red);
    }
  }
}

}  // namespace

bool has_matrix(int colour_space) {
  return colour_space != AVCOL_SPC_BT2020_CL && colour_space != AVCOL_SPC_CHROMA_DERIVED_CL &&
         colour_space != AVCOL_SPC_ICTCP && colour_space != AVCOL_SPC_SMPTE2085;
}

ColourSolver::ColourSolver() = default;
ColourSolver::~ColourSolver() = default;

void ColourSolver::solve(AVFrame& frame) {
  const int space = number_of(frame.colorspace);
  if (space == AVCOL_SPC_SMPTE2085) return solve_each(frame, from_ydzdx);
  const bool hlg = number_of(frame.color_trc) == AVCOL_TRC_ARIB_STD_B67;
  const int transfer = space == AVCOL_SPC_ICTCP && !hlg ? int{AVCOL_TRC_SMPTE2084} : number_of(frame.color_trc);
  if (std::exchange(transfer_, transfer) != transfer || !curve_) curve_ = std::make_unique<Curve>(transfer);
  if (space == AVCOL_SPC_ICTCP) return solve_each(frame, IctcpColours(hlg, *curve_));
  VideoFormat colours;
  set_colours(colours, AV_PIX_FMT_YUV444P16LE, frame);
  solve_each(frame, ConstantLuminance(colours.matrix, *curve_));
}

}  // namespace convoscope
