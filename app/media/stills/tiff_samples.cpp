#include "app/media/stills/tiff_samples.h"

#include <tiffio.h>

#include <algorithm>
#include <cmath>

namespace convoscope {
namespace {

template <class Value>
Value stored(const std::uint8_t* at) {
  Value value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

float from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  const float size = exponent == 31  ? (mantissa ? NAN : INFINITY)
                     : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                     : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return half & 0x8000 ? -size : size;
}

std::uint8_t byte_of(float value) { return static_cast<std::uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255 + 0.5f); }

}  // namespace

std::optional<TiffSamples> TiffSamples::of(const TiffLayout& layout) {
  const bool floating = layout.sample_format == SAMPLEFORMAT_IEEEFP;
  const bool whole = layout.sample_format == SAMPLEFORMAT_UINT || layout.sample_format == SAMPLEFORMAT_INT ||
                     layout.sample_format == SAMPLEFORMAT_VOID;
  if (!floating && !whole) return {};
  const int bits = layout.bits;
  if (!(bits == 16 || bits == 32 || bits == 64 || (bits == 8 && !floating))) return {};
  TiffSamples out;
  out.layout_ = layout;
  out.lab_ = LabLight(layout.white_x, layout.white_y);
  switch (layout.photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
      break;
    case PHOTOMETRIC_RGB:
      out.colour_ = Colour::rgb, out.colours_ = 3;
      break;
    case PHOTOMETRIC_SEPARATED:
      out.colour_ = Colour::cmyk, out.colours_ = 4;
      break;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
      if (bits > 16) return {};
      out.colour_ = Colour::lab, out.colours_ = 3;
      break;
    default:
      return {};
  }
  if (layout.samples < out.colours_) return {};
  if (layout.samples == out.colours_ || layout.extra == 0 || layout.samples - layout.extra != out.colours_)
    out.layout_.alpha = TiffAlpha::none;
  return out;
}

AVPixelFormat TiffSamples::format() const {
  if (layout_.bits == 8) return AV_PIX_FMT_RGBA;
  const bool alpha = layout_.alpha != TiffAlpha::none;
  if (colour_ == Colour::grey && !alpha) return AV_PIX_FMT_GRAY16LE;
  return alpha ? AV_PIX_FMT_GBRAP16LE : AV_PIX_FMT_GBRP16LE;
}

float TiffSamples::sample(const std::uint8_t* at) const {
  if (layout_.sample_format == SAMPLEFORMAT_IEEEFP)
    return layout_.bits == 16   ? from_half(stored<std::uint16_t>(at))
           : layout_.bits == 32 ? stored<float>(at)
                                : static_cast<float>(stored<double>(at));
  const bool is_signed = layout_.sample_format == SAMPLEFORMAT_INT;
  switch (layout_.bits) {
    case 8:
      return is_signed ? static_cast<float>(stored<std::int8_t>(at)) / 127 : static_cast<float>(*at) / 255;
    case 16:
      return is_signed ? static_cast<float>(stored<std::int16_t>(at)) / 32767
                       : static_cast<float>(stored<std::uint16_t>(at)) / 65535;
    case 32:
      return is_signed ? static_cast<float>(stored<std::int32_t>(at)) / 2147483647.0f
                       : static_cast<float>(stored<std::uint32_t>(at)) / 4294967295.0f;
    default:
      return is_signed ? static_cast<float>(stored<std::int64_t>(at)) / 9223372036854775807.0f
                       : static_cast<float>(stored<std::uint64_t>(at)) / 18446744073709551615.0f;
  }
}

// L, a and b of 0…1 into light of sRGB, as code values. CIELAB has signed a and b, ICCLAB such as begin at -128.
void TiffSamples::turn_lab(float (&values)[5]) const {
  const float codes = layout_.bits == 8 ? 255 : 65535, unit = layout_.bits == 8 ? 1 : 256;
  const auto chroma = [&](float value) {
    const float code = std::round(value * codes);
    if (layout_.photometric == PHOTOMETRIC_ICCLAB) return code / unit - 128;
    if (layout_.sample_format == SAMPLEFORMAT_INT) return std::round(value * (codes - 1) / 2) / unit;
    return (code > codes / 2 ? code - codes - 1 : code) / unit;
  };
  const auto light = lab_(values[0] * 100, chroma(values[1]), chroma(values[2]));
  for (int i = 0; i < 3; ++i) values[i] = static_cast<float>(srgb_code(light[static_cast<std::size_t>(i)])) / 65535;
}

void TiffSamples::convert(std::span<const std::uint8_t* const> rows, int width, AVFrame& frame, int x, int y) const {
  const int bytes = layout_.bits / 8, all = used();
  const bool inverse = layout_.photometric == PHOTOMETRIC_MINISWHITE, alpha = layout_.alpha != TiffAlpha::none;
  const auto row_of = [&](int plane) {
    return frame.data[plane] + static_cast<std::ptrdiff_t>(y) * frame.linesize[plane];
  };
  for (int i = 0; i < width; ++i) {
    float values[5] = {0, 0, 0, 1, 1};
    for (int k = 0; k < all; ++k)
      values[k] = sample(layout_.separate ? rows[static_cast<std::size_t>(k)] + i * bytes
                                          : rows[0] + (i * layout_.samples + k) * bytes);
    const float opaque = alpha ? values[all - 1] : 1;
    if (colour_ == Colour::cmyk)
      for (int k = 0; k < 3; ++k) values[k] = (1 - values[k]) * (1 - values[3]);
    if (colour_ == Colour::lab) turn_lab(values);
    if (colour_ == Colour::grey) {
      if (inverse) values[0] = 1 - values[0];
      values[1] = values[2] = values[0];
    }
    // Where there are 16 bits, alpha finds no place beside them: the colours lie on black then.
    if (layout_.alpha == TiffAlpha::multiplied && opaque > 0 && layout_.bits == 8)
      for (int k = 0; k < 3; ++k) values[k] /= opaque;
    if (layout_.bits == 8) {
      std::uint8_t* const out = row_of(0) + 4 * (x + i);
      for (int k = 0; k < 3; ++k) out[k] = byte_of(values[k]);
      out[3] = byte_of(opaque);
    } else if (colour_ == Colour::grey && !alpha) {
      reinterpret_cast<std::uint16_t*>(row_of(0))[x + i] = unit_code(values[0]);
    } else {
      constexpr int plane_of[] = {2, 0, 1};  // G, B, R
      for (int k = 0; k < 3; ++k) reinterpret_cast<std::uint16_t*>(row_of(plane_of[k]))[x + i] = unit_code(values[k]);
      if (alpha) reinterpret_cast<std::uint16_t*>(row_of(3))[x + i] = unit_code(opaque);
    }
  }
}

}  // namespace convoscope
