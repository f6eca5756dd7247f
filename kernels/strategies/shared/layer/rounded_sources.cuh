#pragma once
// Float32 numbers as the nearest float16, channel by channel, for products that see 11 significant bits: tf32 and
// float16 both have as many, so what tf32 rounds to is a float16 wherever its exponent fits. That it does is seen to on
// the way: a block leaves the largest magnitude that it met, and a second kernel does it all again, times a power of
// two, where the largest of all would overflow or is so small that float16's subnormals begin close below it.
// Elsewhere it leaves at once. Nobody waits for the host.
// Traffic: a number is read once and written once, as a half. In planes a block turns 32 pixels of 64 channels about in
// shared memory, so that both are whole lines.
#include "kernels/device/parts/warp.cuh"
#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/map_order.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// What a source up to 1 loses below float16's normal numbers.
inline constexpr double rounded_least = 0x1p-25;

struct RoundedSources {
  static constexpr int pixels_at_once = 32, chunks_at_once = 8, threads = pixels_at_once * chunks_at_once,
                       warps = threads / 32;
  static constexpr std::size_t maxima_at = threads * sizeof(uint4), shared_bytes = maxima_at + warps * sizeof(unsigned);
  Strided<const float> in;
  uint4* out;  // [sample][pixel][chunk of 8 channels], filled up with zeros
  int samples, sources, chunks, pixels, width;
  bool planes, quads;  // quads: four neighbouring channels may be loaded at once

  CONVOSCOPE_HOST_DEVICE int across() const { return (chunks + chunks_at_once - 1) / chunks_at_once; }
  CONVOSCOPE_HOST_DEVICE int down() const { return (pixels + pixels_at_once - 1) / pixels_at_once; }
  CONVOSCOPE_HOST_DEVICE int tiles() const { return samples * down() * across(); }
  std::size_t count() const {  // of chunks
    return static_cast<std::size_t>(samples) * static_cast<std::size_t>(pixels) * static_cast<std::size_t>(chunks);
  }
};

// One tensor, or two. Grid: blocks, tensors. blocks: of the first kernel.
struct RoundedTask {
  RoundedSources of[2];
  int blocks;
  unsigned* largest;  // bits of a float: [tensor][block]
  float* inverse;     // of the power of two that a tensor was multiplied by
};

// Rounds this block's share of the tiles, and gives the bits of the largest magnitude that this thread met.
__device__ inline unsigned round_tiles(const RoundedSources& task, float scale) {
  constexpr int across = RoundedSources::chunks_at_once;
  const Shared<uint4> shared = shared_memory<uint4>(0, RoundedSources::threads);
  const int thread = static_cast<int>(threadIdx.x), own = task.planes ? thread % 32 : thread / across,
            own_chunk = task.planes ? thread / 32 : thread % across;
  unsigned largest = 0;
  for (int tile = static_cast<int>(blockIdx.x); tile < task.tiles(); tile += static_cast<int>(gridDim.x)) {
    const int first_chunk = tile % task.across() * across, line = tile / task.across(),
              first_pixel = line % task.down() * RoundedSources::pixels_at_once, sample = line / task.down();
    const int pixel = first_pixel + own, channel = (first_chunk + own_chunk) * 8;
    float values[8];
    const float* from =
        task.in.at(sample, channel) + pixel / task.width * task.in.row + pixel % task.width * task.in.column;
    if (task.quads && pixel < task.pixels && channel < task.sources) {
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 8; i += 4) {
        const float4 quad = __ldg(reinterpret_cast<const float4*>(from + i));
        values[i] = quad.x, values[i + 1] = quad.y, values[i + 2] = quad.z, values[i + 3] = quad.w;
      }
    } else {
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 8; ++i, from += task.in.channel)
        values[i] = pixel < task.pixels && channel + i < task.sources ? __ldg(from) : 0.0f;
    }
    CONVOSCOPE_UNROLL
    for (float& value : values) {
      const unsigned bits = tf32_bits(value);
      largest = max(largest, bits & 0x7fffffffu);
      value = __uint_as_float(bits) * scale;
    }
    const uint4 halves{pack_half2(values[0], values[1]), pack_half2(values[2], values[3]),
                       pack_half2(values[4], values[5]), pack_half2(values[6], values[7])};
    const auto store = [&](int of_tile, int chunk, const uint4& value) {
      const int at = first_pixel + of_tile;
      if (at < task.pixels && first_chunk + chunk < task.chunks)
        task.out[(static_cast<std::ptrdiff_t>(sample) * task.pixels + at) * task.chunks + first_chunk + chunk] = value;
    };
    if (!task.planes) {
      store(own, own_chunk, halves);
      continue;
    }
    __syncthreads();                                             // nobody needs the tile before any more
    shared[own * across + (own_chunk ^ own % across)] = halves;  // no two lanes at once on the same banks
    __syncthreads();
    const int turned = thread / across, chunk = thread % across;
    store(turned, chunk, shared[turned * across + (chunk ^ turned % across)]);
  }
  return largest;
}

// Of all threads of the block, to all of them.
__device__ inline unsigned largest_of_block(unsigned largest) {
  const Shared<unsigned> maxima = shared_memory<unsigned>(RoundedSources::maxima_at, RoundedSources::warps);
  for (int other = 16; other > 0; other /= 2) largest = max(largest, shuffle_xor(largest, other));
  if (threadIdx.x % 32 == 0) maxima[static_cast<int>(threadIdx.x) / 32] = largest;
  __syncthreads();
  for (int warp = 0; warp < RoundedSources::warps; ++warp) largest = max(largest, maxima[warp]);
  return largest;
}

// The exponent, as a float32 has it, of a power of two that brings the largest magnitude to 2^14 … 2^15; of 1 where it
// is no more than float16's largest number and no less than 2^-6, below which less than 19 bits would be left, or where
// no power of two helps.
__device__ inline unsigned exponent_of_scale(unsigned largest) {
  constexpr unsigned one = 127, least = (one - 6) << 23, most = 0x477fe000u, infinite = 0x7f800000u;  // most: 65504
  if (largest == 0 || largest >= infinite || (largest >= least && largest <= most)) return one;
  return min(2 * one + 14 - (largest >> 23), 2 * one - 1);  // so that its inverse is a normal number, too
}

template <int = 0>
__global__ void __launch_bounds__(RoundedSources::threads) layer_round_sources(RoundedTask task) {
  const unsigned largest = largest_of_block(round_tiles(task.of[blockIdx.y], 1.0f));
  if (threadIdx.x == 0)
    task.largest[static_cast<int>(blockIdx.y) * task.blocks + static_cast<int>(blockIdx.x)] = largest;
}

// A smaller grid, which costs less where there is nothing to do.
template <int = 0>
__global__ void __launch_bounds__(RoundedSources::threads) layer_round_again(RoundedTask task) {
  unsigned largest = 0;
  for (int block = static_cast<int>(threadIdx.x); block < task.blocks; block += RoundedSources::threads)
    largest = max(largest, task.largest[static_cast<int>(blockIdx.y) * task.blocks + block]);
  const unsigned exponent = exponent_of_scale(largest_of_block(largest));
  if (blockIdx.x == 0 && threadIdx.x == 0) task.inverse[blockIdx.y] = __uint_as_float((254 - exponent) << 23);
  if (exponent != 127) round_tiles(task.of[blockIdx.y], __uint_as_float(exponent << 23));
}

// One tensor's or two's halves on the device, and the launches that make them.
class RoundedTensors {
 public:
  // sources: channels of each; extents: rows and columns.
  struct Extents {
    int samples, sources, height, width;
  };
  RoundedTensors(std::span<const Extents> tensors, const Device& device) : tensors_(static_cast<int>(tensors.size())) {
    int tiles = 0;
    for (int i = 0; i < tensors_; ++i) {
      const Extents& e = extents_[i] = tensors[static_cast<std::size_t>(i)];
      RoundedSources& of = task_.of[i];
      of.samples = e.samples, of.sources = e.sources, of.pixels = e.height * e.width, of.width = e.width;
      of.chunks = ceil_div(e.sources, 8);
      tiles = std::max(tiles, of.tiles());
      halves_[i] = DeviceBuffer<uint4>(of.count());
      of.out = halves_[i].data();
    }
    constexpr int resident = 2048 / RoundedSources::threads;  // blocks of a multiprocessor
    const int multiprocessors = std::max(device.multiprocessors, 1);
    task_.blocks = std::min(tiles, multiprocessors * resident);
    again_ = std::min(tiles, multiprocessors);
    largest_ = DeviceBuffer<unsigned>(static_cast<std::size_t>(tensors_ * task_.blocks));
    task_.largest = largest_.data();
    task_.inverse = inverse_.data();
  }
  void enqueue(std::span<const Tensor> in, Stream stream) const {
    RoundedTask task = task_;
    for (int i = 0; i < tensors_; ++i) {
      const Tensor& tensor = in[static_cast<std::size_t>(i)];
      task.of[i].in = strided<const float>(tensor);
      task.of[i].planes = tensor.shape.layout == Layout::nchw;
      task.of[i].quads = implicit_gemm_tensor::aligned(tensor, 16) && task.of[i].sources % 8 == 0;
    }
    launch(layer_round_sources<>, grid(task.blocks), dim3(RoundedSources::threads), RoundedSources::shared_bytes,
           stream, task);
    launch(layer_round_again<>, grid(again_), dim3(RoundedSources::threads), RoundedSources::shared_bytes, stream,
           task);
  }
  // Of `width` × `height` pixels and 64 channels.
  TensorBoxes boxes(int i, int width, int height) const {
    const Extents& e = extents_[i];
    const int channels = ceil_div(e.sources, 8) * 8;
    const std::ptrdiff_t column = channels * static_cast<std::ptrdiff_t>(sizeof(Half)), row = e.width * column;
    return tensor_boxes(halves_[i].data(), {channels, e.width, e.height, e.samples, column, row, e.height * row}, width,
                        height);
  }
  const float* inverse(int i) const { return inverse_.data() + i; }
  std::vector<KernelInfo> descriptions() const {
    const auto description = [&](const char* name, auto kernel, int blocks) {
      return describe(name, kernel, grid(blocks), dim3(RoundedSources::threads), RoundedSources::shared_bytes);
    };
    return {description("layer_round_sources", layer_round_sources<>, task_.blocks),
            description("layer_round_again", layer_round_again<>, again_)};
  }
  std::size_t bytes() const { return halves_[0].bytes() + halves_[1].bytes(); }

 private:
  dim3 grid(int blocks) const { return dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(tensors_)); }

  int tensors_, again_ = 0;
  Extents extents_[2] = {};
  RoundedTask task_ = {};
  DeviceBuffer<uint4> halves_[2];
  DeviceBuffer<unsigned> largest_;
  DeviceBuffer<float> inverse_{2};
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
