#pragma once
// From pixels to float sums and back: what every kernel does at the start and end of an output.
#include "kernels/contract/data/border.h"
#include "kernels/contract/data/filter.h"
#include "kernels/contract/data/image.h"
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// What happens to a sum before it is stored. bias is in units of the pixel.
struct Epilogue {
  float gain = 1, bias = 0;
  int absolute = 0;
};

inline Epilogue make_epilogue(const Filter& filter, PixelFormat format) {
  return {filter.gain, filter.bias * white_level(format), filter.absolute ? 1 : 0};
}

__device__ inline float apply(const Epilogue& epilogue, float sum) {
  const float value = fmaf(epilogue.gain, sum, epilogue.bias);
  return epilogue.absolute ? fabsf(value) : value;
}

__device__ inline unsigned char to_code_value(float value) {
  return static_cast<unsigned char>(
      fminf(fmaxf(rintf(value), 0.0f), 255.0f));  // half to even, as the tensor cores' peers do
}

// The running sums of one output: `Sums` filters (2 for edge magnitude) over the pixel's filtered channels.
template <class Pixel, int Sums>
struct Accumulator;

template <int Sums>
struct Accumulator<float, Sums> {
  float sum[Sums] = {};
  __device__ void add(float pixel, float weight, int s = 0) { sum[s] = fmaf(weight, pixel, sum[s]); }
  __device__ float finish(const Epilogue& epilogue, float) const {
    return apply(epilogue, Sums == 1 ? sum[0] : sqrtf(sum[0] * sum[0] + sum[Sums - 1] * sum[Sums - 1]));
  }
};

template <int Sums>
struct Accumulator<Rgba8, Sums> {
  float r[Sums] = {}, g[Sums] = {}, b[Sums] = {};
  __device__ void add(Rgba8 pixel, float weight, int s = 0) {
    r[s] = fmaf(weight, static_cast<float>(pixel.r), r[s]);
    g[s] = fmaf(weight, static_cast<float>(pixel.g), g[s]);
    b[s] = fmaf(weight, static_cast<float>(pixel.b), b[s]);
  }
  // `source`: the input pixel at the output's place, for its alpha.
  __device__ Rgba8 finish(const Epilogue& epilogue, Rgba8 source) const {
    return {to_code_value(apply(epilogue, magnitude(r))), to_code_value(apply(epilogue, magnitude(g))),
            to_code_value(apply(epilogue, magnitude(b))), source.a};
  }

 private:
  __device__ static float magnitude(const float (&s)[Sums]) {
    return Sums == 1 ? s[0] : sqrtf(s[0] * s[0] + s[Sums - 1] * s[Sums - 1]);
  }
};

// The input at (x, y), anywhere: border_index() outside the image, zeros for ghost cells.
template <class Pixel>
__device__ inline Pixel load_pixel(const ImageView<const Pixel>& image, int x, int y, Border border) {
  const int bx = border_index(x, image.width, border), by = border_index(y, image.height, border);
  return bx < 0 || by < 0 ? Pixel{} : *pixel_at(image, bx, by);
}

// Calls f.template operator()<Pixel, Sums>() for the problem's format and number of filters.
template <class F>
decltype(auto) dispatch(PixelFormat format, bool magnitude, F&& f) {
  if (format == PixelFormat::rgba8)
    return magnitude ? f.template operator()<Rgba8, 2>() : f.template operator()<Rgba8, 1>();
  return magnitude ? f.template operator()<float, 2>() : f.template operator()<float, 1>();
}

template <class F>
decltype(auto) dispatch(const Problem& p, F&& f) {
  return dispatch(p.format, p.filter.is_magnitude(), f);
}

// How many sums an output is made of: 2 for an edge magnitude.
inline int sets_of(const Filter& filter) { return filter.is_magnitude() ? 2 : 1; }

// Calls f.template operator()<Number>() with that of the numbers which `value` is, with the last if it is none of them.
template <int First, int... Others, class F>
decltype(auto) with_number(int value, F&& f) {
  if constexpr (sizeof...(Others) == 0) {
    return f.template operator()<First>();
  } else {
    if (value == First) return f.template operator()<First>();
    return with_number<Others...>(value, f);
  }
}

}  // namespace convoscope::CONVOSCOPE_TARGET
