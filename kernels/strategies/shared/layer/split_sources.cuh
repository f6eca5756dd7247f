#pragma once
// Float32 planes as two float16 numbers each, channel by channel: x = high + low / 2^11, both rounded to nearest. A low
// number is at most 2^-11 of x, and subnormal long before x is small; scaled it has all its bits where x is 2^-14 or
// more, and no x loses more than 2^-36. From 65,520 on a high number is infinite.
// Traffic: a source is read once and written once, as two halves. A block turns 32 pixels of 64 channels about in
// shared memory, so that both are whole lines.
#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/map_order.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

inline constexpr float low_scale = 2048;  // 2^11
// Of a source up to 1: what both numbers miss of it, for its size and in any case, and the low one's size.
inline constexpr double split_missed = 0x1p-23, split_least = 0x1p-36, split_low = 0x1p-11;
// Which sources are safe.
inline std::string split_range(const std::string& what) {
  return what + " up to 65504 do not overflow, and none loses more than 1.5e-11 or 2^-23 of itself";
}

struct SplitTask {
  static constexpr int pixels_at_once = 32, chunks_at_once = 8, threads = pixels_at_once * chunks_at_once;
  static constexpr std::size_t shared_bytes = 2 * threads * sizeof(uint4);
  Planes<const float> in;
  uint4* out;  // [low, high][sample][pixel][chunk of 8 channels], filled up with zeros
  int samples, sources, chunks, pixels, width;

  dim3 grid() const {
    return dim3(static_cast<unsigned>(ceil_div(pixels, pixels_at_once)),
                static_cast<unsigned>(ceil_div(chunks, chunks_at_once)), static_cast<unsigned>(samples));
  }
  std::size_t count() const {  // of chunks
    return 2 * static_cast<std::size_t>(samples) * static_cast<std::size_t>(pixels) * static_cast<std::size_t>(chunks);
  }
};
inline SplitTask split_task(const Correlation& c) {
  return {{}, nullptr, c.samples, c.sources, ceil_div(c.sources, 8), c.height * c.width, c.width};
}

// Two neighbouring channels of a pixel.
__device__ inline void split_scaled(float a, float b, unsigned& high, unsigned& low) {
  high = pack_half2(a, b);
  low = pack_half2((a - low_half(high)) * low_scale, (b - high_half(high)) * low_scale);
}

// A warp reads 8 channels of the block's pixels, a lane for each pixel; then 8 lanes write a pixel's 64 channels.
template <int = 0>
__global__ void __launch_bounds__(SplitTask::threads) layer_split_sources(SplitTask task) {
  constexpr int across = SplitTask::chunks_at_once;
  const Shared<uint4> shared = shared_memory<uint4>(0, 2 * SplitTask::threads);
  const int thread = static_cast<int>(threadIdx.x), sample = static_cast<int>(blockIdx.z),
            first_pixel = static_cast<int>(blockIdx.x) * SplitTask::pixels_at_once,
            first_chunk = static_cast<int>(blockIdx.y) * across;
  {
    const int own = thread % 32, chunk = thread / 32, pixel = first_pixel + own, channel = (first_chunk + chunk) * 8,
              y = pixel / task.width, x = pixel % task.width;
    const float* from = task.in.at(sample * task.sources + channel, y) + x;
    float values[8];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 8; ++i, from += task.in.plane)
      values[i] = pixel < task.pixels && channel + i < task.sources ? __ldg(from) : 0.0f;
    unsigned high[4], low[4];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i) split_scaled(values[2 * i], values[2 * i + 1], high[i], low[i]);
    const int place = own * across + (chunk ^ own % across);  // no two lanes at once on the same banks
    shared[place] = {low[0], low[1], low[2], low[3]};
    shared[SplitTask::threads + place] = {high[0], high[1], high[2], high[3]};
  }
  __syncthreads();
  const int own = thread / across, chunk = thread % across, pixel = first_pixel + own;
  if (pixel >= task.pixels || first_chunk + chunk >= task.chunks) return;
  const int place = own * across + (chunk ^ own % across);
  CONVOSCOPE_UNROLL
  for (int part = 0; part < 2; ++part)
    task.out[(static_cast<std::ptrdiff_t>(part * task.samples + sample) * task.pixels + pixel) * task.chunks +
             first_chunk + chunk] = shared[part * SplitTask::threads + place];
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
