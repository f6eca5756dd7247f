#pragma once
// The arithmetic of the conversion, for the kernel and for the CPU: one call converts a group of 4 × 2 pixels of the
// stored picture, so that a row is one vector store and both rows share their chroma.
#include <cstdint>
#include <cstring>

#include "kernels/contract/data/border.h"
#include "kernels/convert/conversion.h"

namespace convoscope {

inline constexpr int group_width = 4, group_height = 2;

namespace convert_detail {

// 2^23: the float whose last mantissa bit is worth 1. Adding it rounds to an integer, half to even, and leaves that
// integer in the low bits; this is full-rate arithmetic, where the conversion instructions run at a quarter of the
// rate.
inline constexpr float magic = 8388608.0f;
inline constexpr std::uint32_t magic_bits = 0x4B000000u;

template <class To, class From>
CONVOSCOPE_HOST_DEVICE inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);  // a register to the device's compiler
  return to;
}

CONVOSCOPE_HOST_DEVICE inline int clamp_index(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }
CONVOSCOPE_HOST_DEVICE inline float lerp(float a, float b, float weight_of_b) { return a + weight_of_b * (b - a); }

template <class T>
struct alignas(2 * sizeof(T)) Two {
  T first, second;
};
template <class T>
struct alignas(4 * sizeof(T)) Four {
  T at[4];
};

// On the device planes and pitches are multiples of 4 samples, so that this is one load; host memory may lie anywhere.
template <class T>
CONVOSCOPE_HOST_DEVICE inline T load(const unsigned char* from) {
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<const T*>(from);
#else
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
#endif
}

template <class T>
CONVOSCOPE_HOST_DEVICE inline void store(unsigned char* to, const T& value) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<T*>(to) = value;
#else
  std::memcpy(to, &value, sizeof value);
#endif
}

CONVOSCOPE_HOST_DEVICE inline const unsigned char* row(const Conversion& c, int plane, int y) {
  return c.plane[plane] + static_cast<std::size_t>(y) * c.pitch[plane];
}

// sample − zero, exactly.
template <class Sample>
CONVOSCOPE_HOST_DEVICE inline float value_of(Sample sample, const Conversion& c, float zero) {
  std::uint32_t bits = sample;
  if (sizeof(Sample) > 1) bits >>= c.shift;
  return bits_as<float>(magic_bits | bits) - (magic + zero);
}

// Four samples of a full-resolution plane from x on; behind the end of the row the last sample repeats.
template <class Sample>
CONVOSCOPE_HOST_DEVICE inline void load_four(const Conversion& c, int plane, int x, int y, float zero,
                                             float (&out)[4]) {
  const unsigned char* from = row(c, plane, y) + static_cast<std::size_t>(x) * sizeof(Sample);
  if (x + 4 <= c.width) {
    const auto samples = load<Four<Sample>>(from);
    for (int i = 0; i < 4; ++i) out[i] = value_of(samples.at[i], c, zero);
  } else {
    for (int i = 0; i < 4; ++i)
      out[i] =
          value_of(load<Sample>(from + (clamp_index(x + i, c.width) - x) * static_cast<int>(sizeof(Sample))), c, zero);
  }
}

// The chroma samples that four pixels from x on may need: index 1 is the one that belongs to x, except at full
// resolution, where index 0 is.
template <int ShiftX>
inline constexpr int chroma_count = ShiftX == 2 ? 3 : 4;

struct Chroma {
  float u[4], v[4];
};

template <class Sample, PlaneLayout Layout, int ShiftX>
CONVOSCOPE_HOST_DEVICE inline Chroma load_chroma(const Conversion& c, int x, int chroma_y) {
  const int y = clamp_index(chroma_y, c.chroma_height);
  const int start = ShiftX == 0 ? x : (x >> ShiftX) - 1;
  Chroma chroma;
  for (int i = 0; i < chroma_count<ShiftX>; ++i) {
    const std::size_t at = static_cast<std::size_t>(clamp_index(start + i, c.chroma_width));
    if (Layout == PlaneLayout::semi_planar) {
      const auto pair = load<Two<Sample>>(row(c, 1, y) + at * sizeof(Two<Sample>));
      chroma.u[i] = value_of(pair.first, c, c.chroma_zero);
      chroma.v[i] = value_of(pair.second, c, c.chroma_zero);
    } else {
      chroma.u[i] = value_of(load<Sample>(row(c, 1, y) + at * sizeof(Sample)), c, c.chroma_zero);
      chroma.v[i] = value_of(load<Sample>(row(c, 2, y) + at * sizeof(Sample)), c, c.chroma_zero);
    }
  }
  return chroma;
}

template <int ShiftX>
CONVOSCOPE_HOST_DEVICE inline Chroma between_rows(const Chroma& upper, const Chroma& lower, float weight_of_lower) {
  Chroma chroma;
  for (int i = 0; i < chroma_count<ShiftX>; ++i) {
    chroma.u[i] = lerp(upper.u[i], lower.u[i], weight_of_lower);
    chroma.v[i] = lerp(upper.v[i], lower.v[i], weight_of_lower);
  }
  return chroma;
}

// Bilinear interpolation to the positions of the four pixels.
template <int ShiftX>
CONVOSCOPE_HOST_DEVICE inline void upsample(const Conversion& c, const float (&in)[4], float (&out)[4]) {
  if (ShiftX == 0) {
    for (int i = 0; i < 4; ++i) out[i] = in[i];
  } else if (ShiftX == 1) {
    out[0] = lerp(in[0], in[1], c.even_weight);
    out[1] = lerp(in[1], in[2], c.odd_weight);
    out[2] = lerp(in[1], in[2], c.even_weight);
    out[3] = lerp(in[2], in[3], c.odd_weight);
  } else {
    for (int i = 0; i < 4; ++i) {
      const float position = (static_cast<float>(i) - c.quarter_offset) * 0.25f;
      out[i] = position < 0 ? lerp(in[1], in[0], -position) : lerp(in[1], in[2], position);
    }
  }
}

// Rounded and clamped to 0…255, plus 2^23.
CONVOSCOPE_HOST_DEVICE inline float round_code(float value) {
  const float low = value > 0.0f ? value : 0.0f;
  return (low < 255.0f ? low : 255.0f) + magic;
}

}  // namespace convert_detail

// Four neighbouring pixels as they are stored: the bits of four Rgba8 or four floats.
struct alignas(16) PixelRow {
  std::uint32_t at[4];
};

// Writes four pixels of the stored picture from (x, y) on to where they are upright; those outside are dropped.
CONVOSCOPE_HOST_DEVICE inline void store_row(const Conversion& c, const Image& out, int x, int y,
                                             const PixelRow& pixels) {
  unsigned char* const data = static_cast<unsigned char*>(out.data);
  const std::ptrdiff_t pitch = static_cast<std::ptrdiff_t>(out.pitch);
  // The place of (x, y), and the step to the next pixel's.
  const Orientation& turn = c.orientation;
  const std::ptrdiff_t across = turn.mirrors_x ? c.width - 1 - x : x, down = turn.mirrors_y ? c.height - 1 - y : y;
  const std::ptrdiff_t next = turn.exchanges_sides ? pitch : 4, step = turn.mirrors_x ? -next : next;
  unsigned char* const to = data + across * next + down * (turn.exchanges_sides ? 4 : pitch);
  if (step == 4 && x + 4 <= c.width && reinterpret_cast<std::uintptr_t>(to) % alignof(PixelRow) == 0) {
    convert_detail::store(to, pixels);
    return;
  }
  for (int i = 0; i < 4; ++i)
    if (x + i < c.width) convert_detail::store(to + i * step, pixels.at[i]);
}

// Full-range R, G, B in code values to the pixel of the output's format. Gray is made from the rounded code values.
template <PixelFormat Output>
CONVOSCOPE_HOST_DEVICE inline std::uint32_t make_pixel(const Conversion& c, float r, float g, float b) {
  using namespace convert_detail;
  const float red = round_code(r), green = round_code(g), blue = round_code(b);
  if (Output == PixelFormat::gray32f)
    return bits_as<std::uint32_t>((red - magic) * c.gray_r + (green - magic) * c.gray_g + (blue - magic) * c.gray_b);
  // Shifted left the bits of 2^23 fall out, except red's, which the last summand turns into an alpha of 255.
  return bits_as<std::uint32_t>(red) + (bits_as<std::uint32_t>(green) << 8) + (bits_as<std::uint32_t>(blue) << 16) +
         (0xFF000000u - magic_bits);
}

// Y, U and V as they are stored, of 8 bits, in place of red, green and blue: values less their zeros.
CONVOSCOPE_HOST_DEVICE inline std::uint32_t stored_pixel(const Conversion& c, float y, float u, float v) {
  using namespace convert_detail;
  return bits_as<std::uint32_t>(round_code(y + c.luma_zero)) +
         (bits_as<std::uint32_t>(round_code(u + c.chroma_zero)) << 8) +
         (bits_as<std::uint32_t>(round_code(v + c.chroma_zero)) << 16) + (0xFF000000u - magic_bits);
}

template <class Sample, PlaneLayout Layout, int ShiftX, int ShiftY>
struct GroupConverter {
  static constexpr bool paired = ShiftY == 1;  // rows in pairs between two chroma rows, else any two rows

  CONVOSCOPE_HOST_DEVICE static int pairs(const Conversion& c) {
    return (c.height + (paired ? c.pair_offset : 0) + group_height - 1) / group_height;
  }

  // Converts the group (group_x, pair): columns from 4 · group_x on, the two rows of the pair. out has format Output;
  // AsStored: rgba8, for stored_pixel().
  template <PixelFormat Output, bool AsStored = false>
  CONVOSCOPE_HOST_DEVICE static void convert(const Conversion& c, const Image& out, int group_x, int pair) {
    using namespace convert_detail;
    const int x = group_x * group_width;
    const int first = pair * group_height - (paired ? c.pair_offset : 0);
    Chroma upper, lower;
    if (paired) {
      upper = load_chroma<Sample, Layout, ShiftX>(c, x, pair - c.pair_offset);
      lower = load_chroma<Sample, Layout, ShiftX>(c, x, pair - c.pair_offset + 1);
    }
    for (int j = 0; j < group_height; ++j) {
      const int y = first + j;
      if (y < 0 || y >= c.height) continue;
      const Chroma chroma = paired ? between_rows<ShiftX>(upper, lower, j == 0 ? c.first_weight : c.second_weight)
                                   : load_chroma<Sample, Layout, ShiftX>(c, x, y);
      float luma[4], u[4], v[4];
      load_four<Sample>(c, 0, x, y, c.luma_zero, luma);
      upsample<ShiftX>(c, chroma.u, u);
      upsample<ShiftX>(c, chroma.v, v);
      PixelRow pixels;
      for (int i = 0; i < 4; ++i) {
        if (AsStored) {
          pixels.at[i] = stored_pixel(c, luma[i], u[i], v[i]);
          continue;
        }
        const float white = luma[i] * c.luma_scale;
        pixels.at[i] =
            make_pixel<Output>(c, white + u[i] * c.u_to_r + v[i] * c.v_to_r, white + u[i] * c.u_to_g + v[i] * c.v_to_g,
                               white + u[i] * c.u_to_b + v[i] * c.v_to_b);
      }
      store_row(c, out, x, y, pixels);
    }
  }
};

// Layouts without chroma: every row for itself, in twos only to have the same groups.
template <class Sample, PlaneLayout Layout>
struct PlainGroupConverter {
  CONVOSCOPE_HOST_DEVICE static int pairs(const Conversion& c) { return (c.height + group_height - 1) / group_height; }

  template <PixelFormat Output>
  CONVOSCOPE_HOST_DEVICE static void convert(const Conversion& c, const Image& out, int group_x, int pair) {
    const int x = group_x * group_width;
    for (int y = pair * group_height; y < pair * group_height + group_height && y < c.height; ++y)
      store_row(c, out, x, y, convert_row<Output>(c, x, y));
  }

 private:
  template <PixelFormat Output>
  CONVOSCOPE_HOST_DEVICE static PixelRow convert_row(const Conversion& c, int x, int y) {
    using namespace convert_detail;
    PixelRow pixels{};
    if (Layout == PlaneLayout::rgba) {
      for (int i = 0; i < 4; ++i) {
        if (x + i >= c.width) break;
        pixels.at[i] = load<std::uint32_t>(row(c, 0, y) + static_cast<std::size_t>(x + i) * 4);
        if (Output == PixelFormat::gray32f)
          pixels.at[i] = make_pixel<Output>(c, static_cast<float>(pixels.at[i] & 255u),
                                            static_cast<float>(pixels.at[i] >> 8 & 255u),
                                            static_cast<float>(pixels.at[i] >> 16 & 255u));
      }
      return pixels;
    }
    if (Layout == PlaneLayout::numbers) {
      for (int i = 0; i < 4 && x + i < c.width; ++i) {
        pixels.at[i] = load<std::uint32_t>(row(c, 0, y) + static_cast<std::size_t>(x + i) * 4);
        const float value = bits_as<float>(pixels.at[i]);
        if (Output == PixelFormat::rgba8) pixels.at[i] = make_pixel<Output>(c, value, value, value);
      }
      return pixels;
    }
    float first[4], second[4], third[4];
    load_four<Sample>(c, 0, x, y, c.luma_zero, first);
    if (Layout == PlaneLayout::planar_rgb) {  // G, B, R
      load_four<Sample>(c, 1, x, y, c.luma_zero, second);
      load_four<Sample>(c, 2, x, y, c.luma_zero, third);
    }
    for (int i = 0; i < 4; ++i) {
      const float value = first[i] * c.luma_scale;
      pixels.at[i] = Layout == PlaneLayout::planar_rgb
                         ? make_pixel<Output>(c, third[i] * c.luma_scale, value, second[i] * c.luma_scale)
                         : make_pixel<Output>(c, value, value, value);
    }
    return pixels;
  }
};

// Calls f.template operator()<Converter, Output>() with the group converter of a format that make_conversion()
// accepted.
template <class F>
decltype(auto) with_group_converter(const VideoFormat& format, PixelFormat output, F&& f) {
  const auto with_converter = [&]<class Converter>() -> decltype(auto) {
    return output == PixelFormat::rgba8 ? f.template operator()<Converter, PixelFormat::rgba8>()
                                        : f.template operator()<Converter, PixelFormat::gray32f>();
  };
  const auto with_sample = [&]<class Sample>() -> decltype(auto) {
    constexpr PlaneLayout planar = PlaneLayout::planar, semi = PlaneLayout::semi_planar;
    const int x = format.chroma_shift_x, y = format.chroma_shift_y;
    switch (format.layout) {
      case PlaneLayout::rgba:
      case PlaneLayout::numbers:
      case PlaneLayout::gray:
        return with_converter.template operator()<PlainGroupConverter<Sample, PlaneLayout::gray>>();
      case PlaneLayout::planar_rgb:
        return with_converter.template operator()<PlainGroupConverter<Sample, PlaneLayout::planar_rgb>>();
      case PlaneLayout::semi_planar:
        if (x == 0) return with_converter.template operator()<GroupConverter<Sample, semi, 0, 0>>();
        if (y == 0) return with_converter.template operator()<GroupConverter<Sample, semi, 1, 0>>();
        return with_converter.template operator()<GroupConverter<Sample, semi, 1, 1>>();
      case PlaneLayout::planar:
        break;
    }
    if (x == 2) return with_converter.template operator()<GroupConverter<Sample, planar, 2, 0>>();
    if (x == 1 && y == 1) return with_converter.template operator()<GroupConverter<Sample, planar, 1, 1>>();
    if (x == 1) return with_converter.template operator()<GroupConverter<Sample, planar, 1, 0>>();
    if (y == 1) return with_converter.template operator()<GroupConverter<Sample, planar, 0, 1>>();
    return with_converter.template operator()<GroupConverter<Sample, planar, 0, 0>>();
  };
  if (format.layout == PlaneLayout::rgba)
    return with_converter.template operator()<PlainGroupConverter<std::uint8_t, PlaneLayout::rgba>>();
  if (format.layout == PlaneLayout::numbers)
    return with_converter.template operator()<PlainGroupConverter<std::uint8_t, PlaneLayout::numbers>>();
  return format.bits > 8 ? with_sample.template operator()<std::uint16_t>()
                         : with_sample.template operator()<std::uint8_t>();
}

// Likewise with the group converter of Y, U and V of 8 bits whose chroma is whole or halved across.
template <class F>
decltype(auto) with_stored_converter(const VideoFormat& format, F&& f) {
  constexpr PlaneLayout planar = PlaneLayout::planar, semi = PlaneLayout::semi_planar;
  const int x = format.chroma_shift_x, y = format.chroma_shift_y;
  if (format.layout == semi) {
    if (x == 0) return f.template operator()<GroupConverter<std::uint8_t, semi, 0, 0>>();
    if (y == 0) return f.template operator()<GroupConverter<std::uint8_t, semi, 1, 0>>();
    return f.template operator()<GroupConverter<std::uint8_t, semi, 1, 1>>();
  }
  if (x == 1 && y == 1) return f.template operator()<GroupConverter<std::uint8_t, planar, 1, 1>>();
  if (x == 1) return f.template operator()<GroupConverter<std::uint8_t, planar, 1, 0>>();
  if (y == 1) return f.template operator()<GroupConverter<std::uint8_t, planar, 0, 1>>();
  return f.template operator()<GroupConverter<std::uint8_t, planar, 0, 0>>();
}

}  // namespace convoscope
