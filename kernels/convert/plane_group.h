#pragma once
// The arithmetic of a picture on its way to planes of Y, U and V, for the kernel and for the CPU: one call converts 4 ×
// 2 pixels, of which halved chroma has 2 × 1 samples.
#include "kernels/contract/data/image.h"
#include "kernels/convert/pixel_group.h"
#include "kernels/convert/yuv_layout.h"

namespace convoscope {
namespace convert_detail {

// A code value of 0 … 255 of luma; NaN is black.
CONVOSCOPE_HOST_DEVICE inline int grey_code(float luma) {
  if (!(luma > 0.0f)) return 0;
  return static_cast<int>((luma < 1.0f ? 255 * luma : 255.0f) + 0.5f);
}

struct Codes {
  int at[3];
};

// Outside, the picture's last column and row are repeated.
template <PixelFormat Input>
CONVOSCOPE_HOST_DEVICE inline Codes codes_at(const Image& in, int x, int y) {
  const auto* const row =
      static_cast<const unsigned char*>(in.data) + static_cast<std::size_t>(clamp_index(y, in.height)) * in.pitch;
  const std::uint32_t pixel = load<std::uint32_t>(row + static_cast<std::size_t>(clamp_index(x, in.width)) * 4);
  if (Input == PixelFormat::gray32f) {
    const int code = grey_code(bits_as<float>(pixel));
    return {{code, code, code}};
  }
  return {{static_cast<int>(pixel & 255u), static_cast<int>(pixel >> 8 & 255u), static_cast<int>(pixel >> 16 & 255u)}};
}

CONVOSCOPE_HOST_DEVICE inline unsigned char mixed(const PlaneConversion& c, int plane, const Codes& codes, int shift) {
  const std::int32_t* const factors = c.factors[plane];
  return static_cast<unsigned char>(
      (factors[0] * codes.at[0] + factors[1] * codes.at[1] + factors[2] * codes.at[2] + c.offsets[plane]) >> shift);
}

// `count` samples from x on, those behind the row's end dropped; in one store where the address allows.
template <int Count>
CONVOSCOPE_HOST_DEVICE inline void store_samples(const PlaneConversion& c, int plane, int width, int x, int y,
                                                 const unsigned char (&samples)[Count]) {
  struct alignas(Count) Samples {
    unsigned char at[Count];
  };
  unsigned char* const to = c.plane[static_cast<std::size_t>(plane)] +
                            static_cast<std::size_t>(y) * c.pitch[static_cast<std::size_t>(plane)] + x;
  if (x + Count <= width && reinterpret_cast<std::uintptr_t>(to) % Count == 0) {
    Samples all;
    for (int i = 0; i < Count; ++i) all.at[i] = samples[i];
    store(to, all);
    return;
  }
  for (int i = 0; i < Count; ++i)
    if (x + i < width) to[i] = samples[i];
}

}  // namespace convert_detail

template <PixelFormat Input>
struct PlaneGroup {
  CONVOSCOPE_HOST_DEVICE static int pairs(const PlaneConversion& c) { return (c.height + 1) / 2; }

  CONVOSCOPE_HOST_DEVICE static void convert(const Image& in, const PlaneConversion& c, int group_x, int pair) {
    using namespace convert_detail;
    const int x = group_x * group_width, first = pair * group_height;
    for (int j = 0; j < group_height && first + j < c.height; ++j) {
      Codes row[group_width];
      for (int i = 0; i < group_width; ++i) row[i] = codes_at<Input>(in, x + i, first + j);
      for (int plane = 0; plane < (c.halved ? 1 : 3); ++plane) {
        unsigned char samples[group_width];
        for (int i = 0; i < group_width; ++i) samples[i] = mixed(c, plane, row[i], PlaneConversion::bits);
        store_samples(c, plane, c.width, x, first + j, samples);
      }
    }
    if (c.halved) halve(in, c, x, pair);
  }

 private:
  // Two samples of U and V each, at the pixels x and x + 2, between the rows 2 · pair and the next.
  CONVOSCOPE_HOST_DEVICE static void halve(const Image& in, const PlaneConversion& c, int x, int pair) {
    using namespace convert_detail;
    Codes columns[5];
    for (int i = 0; i < 5; ++i) {
      Codes rows[4];
      for (int j = 0; j < 4; ++j) rows[j] = codes_at<Input>(in, x - 1 + i, 2 * pair - 1 + j);
      for (int k = 0; k < 3; ++k)
        columns[i].at[k] = rows[0].at[k] + 3 * (rows[1].at[k] + rows[2].at[k]) + rows[3].at[k];
    }
    Codes sums[2];
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 3; ++k)
        sums[i].at[k] = columns[2 * i].at[k] + 2 * columns[2 * i + 1].at[k] + columns[2 * i + 2].at[k];
    for (int plane = 1; plane < 3; ++plane) {
      unsigned char samples[2];
      for (int i = 0; i < 2; ++i)
        samples[i] = mixed(c, plane, sums[i], PlaneConversion::bits + PlaneConversion::halved_bits);
      store_samples(c, plane, c.chroma_width, x / 2, pair, samples);
    }
  }
};

}  // namespace convoscope
