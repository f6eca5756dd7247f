// Both passes in one kernel: what the row pass makes goes into a ring of rows in shared memory.
// Traffic: one read and one write per pixel through DRAM; (1 + 2rx/W)(1 + 2ry/H) loads per output for strips of W × H.
// Limits: rank 1 only; the ring takes W · (2ry + 8) floats per channel; 2(2r+1) multiply-adds per channel remain.
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/image/separable_taps.h"

namespace convoscope::CONVOSCOPE_TARGET::separable_fused {
namespace {

__constant__ float taps[max_separable_taps];

constexpr int strip_width = 128;  // columns of a strip, and threads of a block: one column each in the column pass
constexpr int run = 8;            // outputs of a thread in a pass, and rows that a block takes at a time
constexpr int segments = strip_width / run;
static_assert(segments * run == strip_width, "the row pass covers a row with whole runs");
static_assert(segments * run == strip_width && strip_width / segments == run,
              "each thread has one run of the row pass");
static_assert(run % 4 == 0, "runs are read and written as 16-byte vectors");

struct alignas(16) Vector {
  float value[4];
};

CONVOSCOPE_HOST_DEVICE constexpr int round_up(int n, int step) { return (n + step - 1) / step * step; }

// Where things lie in shared memory: `raw`, the eight new rows as floats, by channel; `ring`, their row pass, by filter
// and channel; `alpha`, a ring of bytes.
struct Layout {
  int raw_pitch, ring_rows;  // floats in a raw row; rows in the ring
  // One run more than the ring: new alphas are written before the barrier that ends the last column pass.
  CONVOSCOPE_HOST_DEVICE int alpha_rows() const { return ring_rows + run; }
  CONVOSCOPE_HOST_DEVICE Layout(int rx, int ry)
      : raw_pitch(round_up(strip_width + 2 * rx, run) + run), ring_rows(run + round_up(2 * ry, run)) {}
  CONVOSCOPE_HOST_DEVICE int raw_floats() const { return run * raw_pitch; }
  CONVOSCOPE_HOST_DEVICE int ring_floats() const { return ring_rows * strip_width; }
  CONVOSCOPE_HOST_DEVICE std::size_t bytes(int channel_count, int sums) const {
    const std::size_t floats = channel_count * static_cast<std::size_t>(raw_floats() + sums * ring_floats());
    return floats * sizeof(float) + (channel_count > 1 ? alpha_rows() * strip_width : 0);
  }
};

// sums[j] += Σ_k taps[first + k] · x[j + k] with x delivered in runs: load(b, to) writes x[8b … 8b+7].
template <int Radius, class Load>
__device__ inline void slide(float (&sums)[run], int radius, int first, Load load) {
  // Two runs of values are at hand: each of them goes into eight sums, and one load from shared memory feeds all.
  const int count = 2 * (Radius > 0 ? Radius : radius) + 1;
  float x[2 * run];
  load(0, x);
  CONVOSCOPE_UNROLL
  for (int b = 0; b * run < count; ++b) {
    if ((b + 1) * run < count + run - 1) load(b + 1, x + run);
    CONVOSCOPE_UNROLL
    for (int k = 0; k < run; ++k)
      if (b * run + k < count) {
        const float tap = taps[first + b * run + k];
        CONVOSCOPE_UNROLL
        for (int j = 0; j < run; ++j) sums[j] = fmaf(tap, x[k + j], sums[j]);
      }
    CONVOSCOPE_UNROLL
    for (int i = 0; i < run; ++i) x[i] = x[run + i];
  }
}

__device__ inline void unpack(float pixel, const Shared<float>& raw, int place, int) { raw[place] = pixel; }
__device__ inline void unpack(Rgba8 pixel, const Shared<float>& raw, int place, int plane) {
  raw[place] = static_cast<float>(pixel.r);
  raw[plane + place] = static_cast<float>(pixel.g);
  raw[2 * plane + place] = static_cast<float>(pixel.b);
}
__device__ inline void put_channel(float& pixel, int, float value) { pixel = value; }
__device__ inline void put_channel(Rgba8& pixel, int c, float value) {
  (c == 0 ? pixel.r : c == 1 ? pixel.g : pixel.b) = to_code_value(value);
}
__device__ inline unsigned char alpha_of(float) { return 0; }
__device__ inline unsigned char alpha_of(Rgba8 pixel) { return pixel.a; }
__device__ inline void put_alpha(float&, unsigned char) {}
__device__ inline void put_alpha(Rgba8& pixel, unsigned char alpha) { pixel.a = alpha; }

// The input column of a strip's place, ghosts included, and its pixels.
template <class Pixel>
__device__ inline Pixel load_row(const ImageView<const Pixel>& in, int column, int row) {
  return column < 0 || row < 0 ? Pixel{} : *pixel_at(in, column, row);
}

// Block: strip_width threads, for strip_width × strip_rows outputs. Radius: of both passes, 0 when known at run time
// only.
template <class Pixel, int Sums, int Radius>
__global__ void __launch_bounds__(strip_width) filter_fused(ImageView<const Pixel> in, ImageView<Pixel> out, int rx,
                                                            int ry, int strip_rows, Border border, Epilogue epilogue) {
  constexpr int channel_count = sizeof(Wide<Pixel>) == sizeof(float) ? 1 : 3;
  // Pixels beside the strip, for each thread; with a radius known at run time they are not held in registers.
  constexpr int side_loads = (2 * Radius * run + strip_width - 1) / strip_width;
  const Layout layout(rx, ry);
  const int raw_plane = layout.raw_floats(), ring_plane = layout.ring_floats();
  Shared<float> raw = shared_memory<float>(0, channel_count * raw_plane);
  Shared<Vector> raw_vectors = shared_memory<Vector>(0, channel_count * raw_plane / 4);
  const std::size_t ring_offset = channel_count * raw_plane * sizeof(float);
  Shared<float> ring = shared_memory<float>(ring_offset, Sums * channel_count * ring_plane);
  Shared<Vector> ring_vectors = shared_memory<Vector>(ring_offset, Sums * channel_count * ring_plane / 4);
  Shared<unsigned char> alpha =
      shared_memory<unsigned char>(ring_offset + Sums * channel_count * ring_plane * sizeof(float),
                                   channel_count > 1 ? layout.alpha_rows() * strip_width : 0);

  const int t = threadIdx.x;
  // Each strip repeats the row pass of the 2r rows beside it: high ones do so less often, low ones make more blocks.
  const int left = blockIdx.x * strip_width, top = blockIdx.y * strip_rows;
  const int rows = out.height - top < strip_rows ? out.height - top : strip_rows;
  const int delay = (2 * ry + run - 1) / run;  // runs of rows before the first output
  const int chunks = (rows + run - 1) / run + delay;
  const int column = border_index(left + t, in.width, border);  // of raw place rx + t
  // Places 0 … rx−1 and rx + strip_width … 2rx + strip_width − 1 of a raw row, numbered 0 … 2rx − 1.
  const auto side_place = [&](int i) { return i < rx ? i : strip_width + i; };

  // The next eight rows wait in registers: a column for each thread, and what lies beside the strip in turns.
  Pixel next[run], next_side[side_loads > 0 ? side_loads : 1];
  const auto fetch = [&](int chunk) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < run; ++i)
      next[i] = load_row(in, column, border_index(top - ry + chunk * run + i, in.height, border));
    CONVOSCOPE_UNROLL
    for (int i = 0; i < side_loads; ++i) {
      const int item = i * strip_width + t, row = item / (2 * Radius > 0 ? 2 * Radius : 1);
      if (row < run)
        next_side[i] = load_row(in, border_index(left - rx + side_place(item - row * 2 * Radius), in.width, border),
                                border_index(top - ry + chunk * run + row, in.height, border));
    }
  };

  fetch(0);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int ring_row = chunk * run % layout.ring_rows;  // the ring is a whole number of runs: they never wrap inside
    // From registers to shared memory, by channel and as floats, so that a pass loads four values at a time.
    CONVOSCOPE_UNROLL
    for (int i = 0; i < run; ++i) {
      unpack(next[i], raw, i * layout.raw_pitch + rx + t, raw_plane);
      if (channel_count > 1) alpha[(chunk * run + i) % layout.alpha_rows() * strip_width + t] = alpha_of(next[i]);
    }
    if constexpr (Radius > 0) {
      CONVOSCOPE_UNROLL
      for (int i = 0; i < side_loads; ++i) {
        const int item = i * strip_width + t, row = item / (2 * Radius);
        if (row < run)
          unpack(next_side[i], raw, row * layout.raw_pitch + side_place(item - row * 2 * Radius), raw_plane);
      }
    } else {
      for (int item = t; item < 2 * rx * run; item += strip_width) {
        const int row = item / (2 * rx), place = side_place(item - row * 2 * rx);
        unpack(load_row(in, border_index(left - rx + place, in.width, border),
                        border_index(top - ry + chunk * run + row, in.height, border)),
               raw, row * layout.raw_pitch + place, raw_plane);
      }
    }
    __syncthreads();
    if (chunk + 1 < chunks) fetch(chunk + 1);  // arrives while the passes compute

    // The row pass: a thread has a run of eight outputs of one of the eight rows.
    const int row = t / segments, segment = t % segments;
    CONVOSCOPE_UNROLL
    for (int pass = 0; pass < channel_count * Sums; ++pass) {
      const int c = pass / Sums, s = pass % Sums;
      float sums[run] = {};
      const int first = (c * raw_plane + row * layout.raw_pitch + segment * run) / 4;
      slide<Radius>(sums, rx, s * (2 * rx + 1 + 2 * ry + 1), [&](int b, float* to) {
        CONVOSCOPE_UNROLL
        for (int v = 0; v < run / 4; ++v) {
          const Vector four = raw_vectors[first + b * (run / 4) + v];
          CONVOSCOPE_UNROLL
          for (int i = 0; i < 4; ++i) to[4 * v + i] = four.value[i];
        }
      });
      const int place = ((s * channel_count + c) * ring_plane + (ring_row + row) * strip_width + segment * run) / 4;
      CONVOSCOPE_UNROLL
      for (int v = 0; v < run / 4; ++v)
        ring_vectors[place + v] = {sums[4 * v], sums[4 * v + 1], sums[4 * v + 2], sums[4 * v + 3]};
    }
    __syncthreads();
    if (chunk < delay) continue;  // the ring has not all rows of the first outputs yet

    // The column pass: a thread has a column, and eight outputs below one another.
    Pixel result[run];
    const int oldest = (chunk - delay) * run;  // the ring row, before wrapping, of the first output's first tap
    CONVOSCOPE_UNROLL
    for (int c = 0; c < channel_count; ++c) {
      float sums[Sums][run] = {};
      CONVOSCOPE_UNROLL
      for (int s = 0; s < Sums; ++s)
        slide<Radius>(sums[s], ry, s * (2 * rx + 1 + 2 * ry + 1) + 2 * rx + 1, [&](int b, float* to) {
          const int from =
              (s * channel_count + c) * ring_plane + (oldest + b * run) % layout.ring_rows * strip_width + t;
          CONVOSCOPE_UNROLL
          for (int i = 0; i < run; ++i) to[i] = ring[from + i * strip_width];
        });
      CONVOSCOPE_UNROLL
      for (int i = 0; i < run; ++i)
        put_channel(result[i], c, finish_channel<Sums>(epilogue, sums[0][i], sums[Sums - 1][i]));
    }
    CONVOSCOPE_UNROLL
    for (int i = 0; i < run; ++i) {
      const int y = (chunk - delay) * run + i;
      if (left + t >= out.width || y >= rows) continue;
      if (channel_count > 1) put_alpha(result[i], alpha[(oldest + ry + i) % layout.alpha_rows() * strip_width + t]);
      *pixel_at(out, left + t, top + y) = result[i];
    }
  }
}

constexpr int strip_heights[] = {32, 64, 128, 256, 512};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows of a block's strip: tall strips repeat less of the row pass, short ones make more blocks", strip_heights,
     128},
};

LaunchShape shape(const Problem& p, int strip_rows) {
  return {dim3(ceil_div(p.width, strip_width), ceil_div(p.height, strip_rows)), dim3(strip_width),
          Layout(p.filter.rx(), p.filter.ry()).bytes(channels(p.format), sets_of(p.filter))};
}

struct Fused : OneKernel<ConstantFilter> {
  int strip_rows;

  static constexpr const char* name = "filter_fused";
  void take_filter() { memory.set(separable_taps(problem.filter), upload_to<taps>); }
  template <class F>
  void with_kernel(F&& f) const {
    const int radius = problem.filter.rx() == problem.filter.ry() ? problem.filter.rx() : 0;
    dispatch(problem, [&]<class Pixel, int Sums>() {
      with_number<1, 2, 4, 8, 16, 0>(radius, [&]<int Radius>() { f(filter_fused<Pixel, Sums, Radius>); });
    });
  }
  auto arguments(const Image&, const Image&) const {
    return std::tuple(problem.filter.rx(), problem.filter.ry(), strip_rows, problem.border, epilogue());
  }
};

}  // namespace

extern const Strategy strategy{
    .id = "separable-fused",
    .title = "Separable, fused",
    .idea =
        "One kernel for both passes: a block walks down a strip and keeps the filtered rows that its column pass still "
        "needs in a ring in shared memory. So DRAM sees one read and one write per pixel.",
    .reading = "PMPP 4th ed., ch. 7.4, 6.3 (thread coarsening) and 8.4 (stencils: sliding planes)",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = separable_sum_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
      return shared_memory_reason(shape(p, t["strip_rows"]).shared_bytes, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return one_kernel_plan<Fused>(p, shape(p, t["strip_rows"]), t["strip_rows"]);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int strip_rows = t["strip_rows"];
      const double sums = sets_of(p.filter), planes = channels(p.format);
      const double width = p.filter.width, height = p.filter.height;
      const double repeated = (strip_rows + height - 1) / strip_rows;  // row passes per row, for the strips' overlap
      return {.flop = 2 * (width * repeated + height) * sums * planes * outputs(p),
              .global_loads_per_output = (strip_width + width - 1) / strip_width * repeated,
              .global_stores_per_output = 1,
              .shared_loads_per_output = sums * planes * ((run + width - 1) * repeated + run + height - 1) / run,
              .dram_bytes = 2 * frame_bytes(p)};
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const int strip_rows = t["strip_rows"], rx = p.filter.rx(), ry = p.filter.ry();
          KernelStep step = one_thread_per_output(Fused::name, strip_width, strip_rows, at.x, at.y);
          const PixelArea strip = step.outputs[0];
          step.thread[1] = 0;
          step.block_size = {strip_width, 1, 1};
          step.thread_outputs = {{at.x, strip.y, 1, strip.height}};
          const int chunks = ceil_div(std::min(strip_rows, p.height - strip.y), run) + ceil_div(2 * ry, run);
          step.tile_in_turns = true;
          step.tile = {{strip.x - rx, strip.y - ry, strip_width + 2 * rx, chunks * run}};
          step.words =
              "The block walks down its strip, " + std::to_string(run) +
              " rows at a time. Each thread makes the row sums of a run of " + std::to_string(run) +
              " pixels and puts them into a ring in shared memory. Then it adds its own column of the ring, for " +
              std::to_string(run) + " outputs one below the other.";
          return Explanation{.steps = {std::move(step)}, .words = factors_words};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_fused
