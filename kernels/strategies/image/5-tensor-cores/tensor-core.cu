// Filtering as products of a banded matrix on the tensor cores: 16 runs of eight outputs, 128 pixels, fill the rows of
// an mma. Traffic: (128 + 2r)/128 · (1 + 2r/H) loads per output for strips of H rows, one store.
// Limits: fp16 holds code values exactly but not every weight: weights are split in two when one half is not enough;
// gray32f splits pixels too. The 4(2r+1) sums of a lane must fit in its registers: r ≤ 16.
#include "kernels/device/capability.h"
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/mma.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/image/toeplitz_weights.h"

namespace convoscope::CONVOSCOPE_TARGET::tensor_core {
namespace {

constexpr int strip_width = 128;  // 16 runs of 8 outputs: the M × N of one mma
constexpr int step = 8;           // input rows between two barriers
constexpr int warps = 3;          // rgba8: a channel each; gray32f: one of the three products of split numbers each
constexpr int threads = 32 * warps;

constexpr int fragment_lanes = 32;

CONVOSCOPE_HOST_DEVICE constexpr int depth_chunks(int radius) { return (8 + 2 * radius + 15) / 16; }  // mma along K
CONVOSCOPE_HOST_DEVICE constexpr int plane_words(int radius) {
  return (strip_width - 8 + 16 * depth_chunks(radius)) / 2;
}
CONVOSCOPE_HOST_DEVICE constexpr int ring_rows(int radius) { return radius + 2 * step; }

// Fragments of one half (high or low) of the weights: for each filter, each chunk of K, each row of sums.
CONVOSCOPE_HOST_DEVICE constexpr int fragments_per_half(int radius, int sums) {
  return sums * depth_chunks(radius) * (2 * radius + 1);
}

template <class Pixel>
constexpr bool is_gray = sizeof(Wide<Pixel>) == sizeof(float);

// Which planes and weights a warp multiplies, and what it leaves for the store.
template <class Pixel>
struct Roles;
template <>
struct Roles<Rgba8> {
  static constexpr int planes = 3;     // r, g, b
  using Result = unsigned char;        // finished code values, beside the alpha that waits in byte 3
  static constexpr int slot_size = 4;  // Results of a pixel and a filter; an edge magnitude is finished by its warp
};
template <>
struct Roles<float> {
  static constexpr int planes = 2;  // high and low halves of the pixels
  using Result = float;             // sums of the three products, for each filter
  static constexpr int slot_size = warps;
};

// Weights stay in registers while there is room beside the sums.
template <int Radius, int Sums, int Halves>
constexpr bool weights_in_registers = fragments_per_half(Radius, Sums) * Halves <= 36;

// Two pixels side by side into the planes' fp16 words.
__device__ inline void store_planes(const Shared<unsigned>& planes, int place, int plane, Rgba8 a, Rgba8 b) {
  planes[place] = pack_half2(a.r, b.r);
  planes[plane + place] = pack_half2(a.g, b.g);
  planes[2 * plane + place] = pack_half2(a.b, b.b);
}
__device__ inline void store_planes(const Shared<unsigned>& planes, int place, int plane, float a, float b) {
  split_half2(a, b, planes[place], planes[plane + place]);
}
__device__ inline void keep_alpha(const Shared<unsigned char>& slots, int pixel, Rgba8 value) {
  slots[4 * pixel + 3] = value.a;
}
__device__ inline void keep_alpha(const Shared<float>&, int, float) {}

// Block: `threads` threads for strip_width × strip_rows outputs. Halves: 2 when rgba8 weights need both their halves.
template <class Pixel, int Radius, int Sums, int Halves>
__global__ void __launch_bounds__(threads)
    filter_toeplitz(ImageView<const Pixel> in, ImageView<Pixel> out, const ToeplitzFragment* fragments, int strip_rows,
                    Border border, Epilogue epilogue) {
  constexpr int taps = 2 * Radius + 1, chunks = depth_chunks(Radius), words = plane_words(Radius);
  constexpr int per_half = fragments_per_half(Radius, Sums);
  constexpr int slot_rows = is_gray<Pixel> ? step : ring_rows(Radius);
  constexpr int plane = step * words;
  constexpr int stored_halves = is_gray<Pixel> ? 2 : Halves;
  constexpr bool in_registers = weights_in_registers<Radius, Sums, Halves>;
  using Result = typename Roles<Pixel>::Result;
  constexpr int slot_size = Roles<Pixel>::slot_size * (is_gray<Pixel> ? Sums : 1), slot_count = slot_rows * strip_width;

  constexpr std::size_t planes_offset =
      in_registers ? 0 : stored_halves * per_half * fragment_lanes * sizeof(ToeplitzFragment);
  constexpr std::size_t slots_offset = planes_offset + Roles<Pixel>::planes * plane * sizeof(unsigned);
  Shared<ToeplitzFragment> shared_weights =
      shared_memory<ToeplitzFragment>(0, in_registers ? 0 : stored_halves * per_half * fragment_lanes);
  Shared<unsigned> planes = shared_memory<unsigned>(planes_offset, Roles<Pixel>::planes * plane);
  Shared<Result> slots = shared_memory<Result>(slots_offset, slot_count * slot_size);

  // Where a lane's part of a matrix is, the instruction says: row g and columns 2t and 2t + 1 of the lane 4g + t.
  const int t = threadIdx.x, lane = t % fragment_lanes, warp = t / fragment_lanes;
  const int left = blockIdx.x * strip_width, top = blockIdx.y * strip_rows;
  const int rows = out.height - top < strip_rows ? out.height - top : strip_rows;
  const int steps = (rows + 2 * Radius + step - 1) / step;

  // rgba8: a channel for each warp, whose code values fp16 holds exactly. gray32f: high · high, low · high, high · low
  // of pixels · weights.
  const int my_plane = is_gray<Pixel> ? (warp == 1 ? 1 : 0) : warp;
  const int my_half = is_gray<Pixel> && warp == 2 ? 1 : 0;
  ToeplitzFragment weights[in_registers ? Halves * per_half : 1];
  if constexpr (in_registers) {
    CONVOSCOPE_UNROLL
    for (int f = 0; f < Halves * per_half; ++f)
      weights[f] = fragments[(my_half * per_half + f) * fragment_lanes + lane];
  } else {
    for (int i = t; i < stored_halves * per_half * fragment_lanes; i += threads) shared_weights[i] = fragments[i];
  }
  const auto weight = [&](int f) {
    if constexpr (in_registers)
      return weights[f];
    else
      return shared_weights[(my_half * per_half + f) * fragment_lanes + lane];
  };

  // Input row i of the strip is image row top − Radius + i; word w of a plane's row holds columns left − Radius + 2w,
  // +1.
  constexpr int loads = (plane + threads - 1) / threads;
  Pixel next[loads][2];
  const auto fetch = [&](int first_row) {
    CONVOSCOPE_UNROLL
    for (int k = 0; k < loads; ++k) {
      const int item = k * threads + t, row = item / words, x = left - Radius + 2 * (item - row * words);
      if (item >= plane) continue;
      const int y = border_index(top - Radius + first_row + row, in.height, border);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 2; ++i) {
        const int column = border_index(x + i, in.width, border);
        next[k][i] = y < 0 || column < 0 ? Pixel{} : *pixel_at(in, column, y);
      }
    }
  };

  // Where the output of a step's row waits for the store: rgba8, where its alpha already is.
  const auto output_slot = [&](int n, int row) {
    return (is_gray<Pixel> ? row : (n * step + row - Radius) % slot_rows) * strip_width;
  };

  // An input row belongs to 2r + 1 output rows: all their sums wait in registers, as matrices D.
  float sums[Sums][taps][4] = {};  // sums[s][j]: output row (input row − 2·Radius + j) of the strip
  fetch(0);
  for (int n = 0; n < steps; ++n) {
    // As fp16 into shared memory, where all warps read them; alphas where the finished pixels will be.
    CONVOSCOPE_UNROLL
    for (int k = 0; k < loads; ++k) {
      const int item = k * threads + t, row = item / words, word = item - row * words;
      if (item >= plane) continue;
      store_planes(planes, item, plane, next[k][0], next[k][1]);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 2; ++i) {
        const int pixel = 2 * word + i - Radius;
        if (pixel >= 0 && pixel < strip_width)
          keep_alpha(slots, (n * step + row) % slot_rows * strip_width + pixel, next[k][i]);
      }
    }
    __syncthreads();
    if (n + 1 < steps) fetch((n + 1) * step);  // arrives while the tensor cores work

    CONVOSCOPE_KEEP_LOOP
    for (int row = 0; row < step; ++row) {  // unrolled eight times it would only take longer to compile
      unsigned image[chunks][4];
      const int first = my_plane * plane + row * words + lane;
      CONVOSCOPE_UNROLL
      for (int c = 0; c < chunks; ++c) {  // run i of the A matrix starts 8 pixels, 4 words, after run i − 1
        image[c][0] = planes[first + 8 * c];
        image[c][1] = planes[first + 8 * c + 32];
        image[c][2] = planes[first + 8 * c + 4];
        image[c][3] = planes[first + 8 * c + 36];
      }
      CONVOSCOPE_UNROLL
      for (int s = 0; s < Sums; ++s) {
        CONVOSCOPE_UNROLL
        for (int i = 0; i < Halves * chunks * taps; ++i) {  // half, then chunk, then row of sums
          const int j = i % taps, c = i / taps % chunks, half = i / taps / chunks;
          const ToeplitzFragment f = weight(half * per_half + (s * chunks + c) * taps + j);
          // The first product takes the sums of the row below: so all move up by a row, and nothing is copied.
          if (i >= taps) {
            mma_m16n8k16(sums[s][j], image[c], f.pair);
          } else if (j + 1 < taps) {
            mma_m16n8k16(sums[s][j], image[c], f.pair, sums[s][j + 1]);
          } else {
            const float none[4] = {};
            mma_m16n8k16(sums[s][j], image[c], f.pair, none);
          }
        }
      }

      // Slot 0 is complete: no row that is still to come touches it.
      const int output = n * step + row - 2 * Radius;
      if (output < 0 || output >= rows) continue;
      const int slot = output_slot(n, row) + 2 * lane;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int place = (slot + (i & 1) + (i >> 1) * 64) * slot_size + warp;
        if constexpr (is_gray<Pixel>) {
          CONVOSCOPE_UNROLL
          for (int s = 0; s < Sums; ++s) slots[place + s * warps] = sums[s][0][i];
        } else {
          slots[place] = to_code_value(finish_channel<Sums>(epilogue, sums[0][0][i], sums[Sums - 1][0][i]));
        }
      }
    }
    __syncthreads();

    // Whole rows of pixels, side by side, which the matrices' lanes do not have.
    for (int i = t; i < step * strip_width; i += threads) {
      const int row = i / strip_width, x = i % strip_width, output = n * step + row - 2 * Radius;
      if (output < 0 || output >= rows || left + x >= out.width) continue;
      const int place = (output_slot(n, row) + x) * slot_size;
      if constexpr (is_gray<Pixel>) {
        float total[2];
        CONVOSCOPE_UNROLL
        for (int s = 0; s < Sums; ++s)
          total[s] = slots[place + s * warps] + (slots[place + s * warps + 1] + slots[place + s * warps + 2]);
        *pixel_at(out, left + x, top + output) = finish_channel<Sums>(epilogue, total[0], total[Sums - 1]);
      } else {
        *pixel_at(out, left + x, top + output) = {slots[place], slots[place + 1], slots[place + 2], slots[place + 3]};
      }
    }
  }
}

constexpr int strip_heights[] = {32, 64, 128, 256, 512};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows of a block's strip: tall strips repeat fewer of the 2r rows above and below, short ones make more blocks",
     strip_heights, 128},
};

dim3 grid(const Problem& p, int strip_rows) {
  return dim3(ceil_div(p.width, strip_width), ceil_div(p.height, strip_rows));
}

std::size_t shared_bytes(int radius, PixelFormat format, int sums, bool both_halves) {
  const bool gray = format == PixelFormat::gray32f;
  const int kept = fragments_per_half(radius, sums) * (!gray && both_halves ? 2 : 1);
  const int stored = fragments_per_half(radius, sums) * (gray || both_halves ? 2 : 1);
  const std::size_t weights = kept <= 36 ? 0 : stored * fragment_lanes * sizeof(ToeplitzFragment);
  const std::size_t planes = (gray ? 2 : 3) * static_cast<std::size_t>(step * plane_words(radius)) * sizeof(unsigned);
  const std::size_t slot = gray ? sums * warps * sizeof(float) : 4;
  return weights + planes + (gray ? step : ring_rows(radius)) * strip_width * slot;
}

struct Toeplitz : OneKernel<GlobalFilter<ToeplitzFragment>> {
  int strip_rows;
  int radius = compiled_radius(problem.filter);
  bool both_halves = false;

  static constexpr const char* name = "filter_toeplitz";
  void allow_every_kernel() {
    const bool gray = problem.format == PixelFormat::gray32f;
    for (const bool both : {false, true}) {
      if (both ? gray : !gray && problem.filter.is_magnitude()) continue;
      both_halves = both;
      with_kernel([&](auto kernel) { allow_shared(kernel, shared()); });
    }
  }
  void take_filter() {
    both_halves = problem.format == PixelFormat::rgba8 && needs_both_halves(problem.filter);
    shape.shared_bytes = shared();
    memory.set(toeplitz_fragments(problem.filter, radius, depth_chunks(radius)));
  }
  template <class F>
  void with_kernel(F&& f) const {
    with_number<1, 2, 4, 8, 16>(radius, [&]<int Radius>() {
      if constexpr (Radius <= max_toeplitz_radius_magnitude)
        if (problem.filter.is_magnitude()) return with_halves<Radius, 2>(f);
      with_halves<Radius, 1>(f);
    });
  }
  std::size_t shared() const { return shared_bytes(radius, problem.format, sets_of(problem.filter), both_halves); }
  template <int Radius, int Sums, class F>
  void with_halves(F&& f) const {
    if (problem.format == PixelFormat::gray32f)
      f(filter_toeplitz<float, Radius, Sums, 1>);
    else if (both_halves)
      f(filter_toeplitz<Rgba8, Radius, Sums, 2>);
    else
      f(filter_toeplitz<Rgba8, Radius, 1, 1>);
  }
  auto arguments(const Image&, const Image&) const {
    Epilogue scaled_back = epilogue();
    scaled_back.gain /= weight_scale(problem.filter);  // a power of two: exact
    return std::tuple(memory.data(), strip_rows, problem.border, scaled_back);
  }
  std::string note() const {
    const std::string built = "compiled for radius " + std::to_string(radius);
    if (problem.format == PixelFormat::gray32f) return built + ", pixels and weights split in two: three products";
    return built + (both_halves ? ", weights split in two: two products" : ", weights in one fp16: one product");
  }
};

}  // namespace

extern const Strategy strategy{
    .id = "tensor-core",
    .title = "Tensor cores",
    .idea =
        "Each filter row becomes a banded (Toeplitz) matrix, and eight outputs of a row are its product with the "
        "inputs around them: a matrix instruction computes 128 outputs' share of one filter row. Inputs and weights "
        "are fp16, sums fp32; each input row is loaded once for all the output rows that need it.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 7.4; PTX ISA, mma.m16n8k16; Fasi et al., Numerical Behavior of NVIDIA Tensor "
        "Cores, 2021",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = toeplitz_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned&) -> std::string {
      const int most = p.filter.is_magnitude() ? max_toeplitz_radius_magnitude : max_toeplitz_radius;
      if (p.filter.rx() > most || p.filter.ry() > most)
        return "a lane keeps the sums of 2r + 1 rows in registers, which allows a radius of " + std::to_string(most) +
               (p.filter.is_magnitude() ? " for an edge magnitude" : "") + "; this filter's is " +
               std::to_string(std::max(p.filter.rx(), p.filter.ry()));
      if (device.compute_capability < 75)
        return "fp16 matrix instructions need compute capability 7.5; " + capability_at_hand(device);
      return shared_memory_reason(shared_bytes(compiled_radius(p.filter), p.format, sets_of(p.filter), true), device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return one_kernel_plan<Toeplitz>(p, {grid(p, t["strip_rows"]), dim3(threads)}, t["strip_rows"]);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int radius = compiled_radius(p.filter);
      const bool gray = p.format == PixelFormat::gray32f;
      const double products = gray ? 3 : channels(p.format) * (needs_both_halves(p.filter) ? 2.0 : 1.0);
      const double sums = sets_of(p.filter), rows = 1.0 + 2.0 * radius / t["strip_rows"];
      const double chunks = depth_chunks(radius);
      // An mma makes 128 outputs' share of a chunk with 16 multiply-adds each, the band's zeros included.
      return {.flop = 2 * 16 * chunks * (2 * radius + 1) * products * sums * rows * outputs(p),
              .global_loads_per_output = 2.0 * plane_words(radius) / strip_width * rows,
              .global_stores_per_output = 1,
              .shared_loads_per_output = warps * 4 * chunks * fragment_lanes / strip_width * rows,
              .dram_bytes = 2 * frame_bytes(p),
              .on_matrix_units = true};
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const int radius = compiled_radius(p.filter), strip_rows = t["strip_rows"];
          KernelStep made = one_thread_per_output(Toeplitz::name, strip_width, strip_rows, at.x, at.y);
          const PixelArea strip = made.outputs[0];
          const int rows = std::min(strip_rows, p.height - strip.y), steps = ceil_div(rows + 2 * radius, step);
          // Input row `delayed` of the strip completes this output; its step's outputs are then stored by all threads.
          const int delayed = at.y - strip.y + 2 * radius, n = delayed / step, pixel = at.x - strip.x;
          const int writer = (delayed % step * strip_width + pixel) % threads;
          made.thread = {writer, 0, 0};
          made.block_size = {threads, 1, 1};
          made.thread_outputs.clear();
          for (int i = writer; i < step * strip_width; i += threads) {
            const int row = n * step + i / strip_width - 2 * radius;
            if (row >= 0 && row < rows) made.thread_outputs.push_back({strip.x + i % strip_width, strip.y + row, 1, 1});
          }
          made.tile_in_turns = true;
          made.tile = {{strip.x - radius, strip.y - radius, 2 * plane_words(radius), steps * step}};
          const bool gray = p.format == PixelFormat::gray32f;
          made.words = "The block walks down its strip, " + std::to_string(step) + " rows at a time. Lane " +
                       std::to_string(pixel % 64 / 2) + " of each of the " + std::to_string(warps) + " warps (" +
                       (gray ? "one for each product of split numbers" : "one for each channel") +
                       ") holds this output's sums in registers while matrix instructions add " +
                       std::to_string(2 * radius + 1) +
                       " rows to them. The thread that is named here stores the finished pixel.";
          return Explanation{
              .steps = {std::move(made)},
              .words = gray ? "Pixels and weights are split in two fp16 numbers each; three products make up one."
                            : "Code values are exact in fp16; weights are rounded to one or two fp16 numbers."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tensor_core
