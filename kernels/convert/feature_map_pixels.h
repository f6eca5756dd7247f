#pragma once
// Internal to convert/: one pixel each of split_channels(), copy_numbers(), paint_wall(), paint_frames() and
// pool_maps(), for cores and kernels alike.
#include <cmath>
#include <cstdint>

#include "kernels/contract/data/half.h"
#include "kernels/convert/feature_maps.h"

namespace convoscope {

CONVOSCOPE_HOST_DEVICE inline std::uint16_t half_of(float value) {
#if defined(__CUDA_ARCH__)
  std::uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
#else
  return to_half(value);
#endif
}
CONVOSCOPE_HOST_DEVICE inline float value_of_half(std::uint16_t half) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
#else
  return from_half(half);
#endif
}

// Of a tensor of one sample of single frames, of either type and layout.
CONVOSCOPE_HOST_DEVICE inline char* number_at(const Tensor& tensor, int channel, int x, int y) {
  return static_cast<char*>(tensor.data) + channel * tensor.stride[1] + y * tensor.stride[3] + x * tensor.stride[4];
}
CONVOSCOPE_HOST_DEVICE inline void put_number(const Tensor& tensor, int channel, int x, int y, float value) {
  char* const at = number_at(tensor, channel, x, y);
  if (tensor.shape.element == Element::f16)
    *reinterpret_cast<std::uint16_t*>(at) = half_of(value);
  else
    *reinterpret_cast<float*>(at) = value;
}
CONVOSCOPE_HOST_DEVICE inline float get_number(const Tensor& tensor, int channel, int x, int y) {
  const char* const at = number_at(tensor, channel, x, y);
  if (tensor.shape.element == Element::f16) return value_of_half(*reinterpret_cast<const std::uint16_t*>(at));
  return *reinterpret_cast<const float*>(at);
}

CONVOSCOPE_HOST_DEVICE inline const float* map_row(const Tensor& maps, int map, int y) {
  return reinterpret_cast<const float*>(static_cast<const char*>(maps.data) + map * maps.stride[1] +
                                        y * maps.stride[3]);
}

template <class Pixel>
CONVOSCOPE_HOST_DEVICE inline Pixel* picture_row(const Image& picture, int y) {
  return reinterpret_cast<Pixel*>(static_cast<char*>(picture.data) + static_cast<std::size_t>(y) * picture.pitch);
}

CONVOSCOPE_HOST_DEVICE inline void split_pixel(const Image& picture, const Tensor& x_tensor, int x, int y) {
  if (picture.format == PixelFormat::gray32f) {
    put_number(x_tensor, 0, x, y, picture_row<const float>(picture, y)[x]);
    return;
  }
  const Rgba8 pixel = picture_row<const Rgba8>(picture, y)[x];
  put_number(x_tensor, 0, x, y, static_cast<float>(pixel.r) / 255);
  put_number(x_tensor, 1, x, y, static_cast<float>(pixel.g) / 255);
  put_number(x_tensor, 2, x, y, static_cast<float>(pixel.b) / 255);
}

CONVOSCOPE_HOST_DEVICE inline void copy_place(const Tensor& from, const Tensor& to, int channels, int x, int y) {
  for (int c = 0; c < channels; ++c) put_number(to, c, x, y, get_number(from, c, x, y));
}

CONVOSCOPE_HOST_DEVICE inline float within_one(float value) { return value > 1 ? 1 : value < -1 ? -1 : value; }

CONVOSCOPE_HOST_DEVICE inline Rgba8 map_colour(float value, bool diverging) {
  const auto code = [](float level) { return static_cast<std::uint8_t>(level + 0.5f); };
  if (value != value) return {255, 0, 255, 255};  // no number
  const float level = within_one(value);
  if (!diverging)
    return {code(127.5f + 127.5f * level), code(127.5f + 127.5f * level), code(127.5f + 127.5f * level), 255};
  // What a screen shines with goes by about the square of the code: so the light is in proportion to the value.
  const float light = std::sqrt(level >= 0 ? level : -level);
  if (level >= 0) return {code(255 * light), code(158 * light), code(48 * light), 255};
  return {code(64 * light), code(150 * light), code(255 * light), 255};
}

// What of the map lies under the pixel: where that is more than one value, the one farthest from zero of up to 4 × 4
// evenly spread ones, since the mean of an edge's two sides is nothing.
CONVOSCOPE_HOST_DEVICE inline float map_peak(const Tensor& maps, const Wall& wall, const MapPlace& at, int x, int y) {
  const int width = wall.cell_width() - wall.gap(), height = wall.cell_height() - wall.gap();
  const auto samples = [](int values, int pixels) {
    const int each = (values + pixels - 1) / pixels;
    return each > 4 ? 4 : each;
  };
  const int across = samples(wall.map_width, width), down = samples(wall.map_height, height);
  float peak = 0;
  for (int j = 0; j < down; ++j) {
    const float* const row = map_row(maps, at.map, ((y - at.up) * down + j) * wall.map_height / (down * height));
    for (int i = 0; i < across; ++i) {
      const float value = row[((x - at.left) * across + i) * wall.map_width / (across * width)];
      if (!(value * value <= peak * peak)) peak = value;  // what is no number wins
      if (peak != peak) return peak;
    }
  }
  return peak;
}

// Of what lies beside the maps: a cell without a map is hatched, so that it is not taken for a map of zeros.
CONVOSCOPE_HOST_DEVICE inline std::uint8_t beside_maps(const Wall& wall, int x, int y) {
  return !is_in_empty_cell(wall, x, y) ? 0 : (x + y) / 6 % 2 == 0 ? 56 : 40;
}

CONVOSCOPE_HOST_DEVICE inline void paint_pixel(const Tensor& maps, const Wall& wall, const MapColours& colours,
                                               const Image& picture, int x, int y) {
  const MapPlace at = place_on_wall(wall, x, y);
  const float value = at.map < 0 ? 0 : colours.gain * map_peak(maps, wall, at, x, y);
  const std::uint8_t beside = beside_maps(wall, x, y);
  if (picture.format == PixelFormat::gray32f)
    picture_row<float>(picture, y)[x] = at.map < 0 ? static_cast<float>(beside) / 255 : 0.5f + 0.5f * within_one(value);
  else
    picture_row<Rgba8>(picture, y)[x] =
        at.map < 0 ? Rgba8{beside, beside, beside, 255} : map_colour(value, colours.diverging);
}

CONVOSCOPE_HOST_DEVICE inline void paint_frame_pixel(const Tensor& x_tensor, const Tensor& y_tensor, bool added,
                                                     const Wall& wall, const Image& picture, int x, int y) {
  const MapPlace at = place_on_wall(wall, x, y);
  const auto level = [&](int channel) {
    if (at.map < 0) return 0.0f;
    float value = at.map == 0 ? 0 : get_number(y_tensor, channel, at.x, at.y);
    if (at.map == 0 || added)
      value += get_number(x_tensor, channel, at.x * x_tensor.shape.extent[4] / wall.map_width,
                          at.y * x_tensor.shape.extent[3] / wall.map_height);
    return value > 0 ? value < 1 ? value : 1.0f : 0.0f;
  };
  const auto code = [&](int channel) { return static_cast<std::uint8_t>(255 * level(channel) + 0.5f); };
  if (picture.format == PixelFormat::gray32f)
    picture_row<float>(picture, y)[x] = level(0);
  else
    picture_row<Rgba8>(picture, y)[x] = {code(0), code(1), code(2), 255};
}

// One value of a map, from 2 × 2 of it.
CONVOSCOPE_HOST_DEVICE inline void pool_pixel(const Tensor& maps, const Tensor& pooled, int map, int x, int y) {
  float largest = get_number(maps, map, 2 * x, 2 * y);
  for (int i = 1; i < 4; ++i) {
    const float value = get_number(maps, map, 2 * x + i % 2, 2 * y + i / 2);
    if (!(value <= largest) && largest == largest) largest = value;  // what is no number wins
  }
  put_number(pooled, map, x, y, largest);
}

// What runs on a device; on the host's cores feature_maps.cpp goes on itself.
void enqueue_split(const Image& picture, const Tensor& x, Stream);
void enqueue_numbers(const Tensor& from, const Tensor& to, Stream);
void enqueue_paint(const Tensor& maps, const Wall&, const MapColours&, const Image& picture, Stream);
void enqueue_frames(const Tensor& x, const Tensor& y, bool added, const Wall&, const Image& picture, Stream);
void enqueue_pool(const Tensor& maps, const Tensor& pooled, Stream);

}  // namespace convoscope
