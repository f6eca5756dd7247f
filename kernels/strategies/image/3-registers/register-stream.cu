// Streaming down in registers: up to radius 2 a thread owns a few neighbouring columns and walks down a strip of the
// image. A loaded row goes at once into the sums of all 2r+1 outputs that it touches. Larger filters: a thread takes a
// block of outputs and walks down the rows that these need. Neither shares pixels but through L1; there are no
// barriers. Traffic: (1 + 2r/C)(1 + 2r/H) loads per output for C columns and H rows a thread; DRAM sees the image once.
// Limits: arithmetic from radius 4 on; sums that must fit in registers; loops unrolled for widths up to 65.
#include "kernels/device/parts/block_order.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/strategies/shared/image/register_stream_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::register_stream {

__constant__ __align__(16) float weights[max_filter_weights];

template <class Pixel, int Sums, int Radius, int Ahead, int Blocks>
__global__ void __launch_bounds__(warps* lanes, Blocks)
    filter_register_stream(ImageView<const Pixel> in, ImageView<Pixel> out, int, int strip_rows, Border border,
                           Epilogue epilogue, int in_aligned, int out_aligned) {
  constexpr int size = 2 * Radius + 1, channels = channels_of<Pixel>;
  constexpr int columns = columns_for(Radius, channels, Sums);
  using Window = RowWindow<Pixel, Radius, columns>;
  // weights: of rgba8 once for each channel, too large by the power of two by which bytes are too small as floats.
  // Blocks at the edges, which take longer, come first, so that the last turn is not of them.
  const BlockPlace place = edges_first();
  const int x0 = (place.x * lanes + static_cast<int>(threadIdx.x)) * columns;
  const int top = (place.y * warps + static_cast<int>(threadIdx.y)) * strip_rows;
  // A strip of H rows is made of H + 2r rows of the image.
  const int steps = min(strip_rows, out.height - top) + 2 * Radius;
  using Stream = RowStream<Window, Pixel, columns>;
  Stream stream(in, shared_memory<int>(0, Stream::table_size(lanes)), x0, top - Radius, steps, border, in_aligned,
                out_aligned);
  if (x0 >= out.width || top >= out.height) return;
  // What follows reads what the kernel before may still be writing; only L2 may be asked for it until then.
  let_next_kernel_begin();
  stream.prefetch_rows(Ahead);
  wait_until_kernel_before_is_done();

  stream.with_rows([&](auto load, auto whole) {
    // All indices are known when this is compiled, so all of it lies in registers.
    Window windows[Ahead];
    float sums[Sums][size][channels][columns] = {};
    AlphaRing<Pixel, Radius, columns> alphas;
    Pixel* to = pixel_at(out, x0, top);
    CONVOSCOPE_UNROLL
    for (int k = 0; k < Ahead; ++k) load(windows[k]);
    CONVOSCOPE_KEEP_LOOP
    for (int first = 0; first < steps; first += Ahead) {
      CONVOSCOPE_UNROLL
      for (int k = 0; k < Ahead; ++k) {
        // The output row is computed when its last input row arrives: alphas wait until then.
        alphas.push(windows[k]);
        // Slot j holds the sums of output row step − 2·Radius + j, to which this row is row 2·Radius − j of the filter.
        CONVOSCOPE_UNROLL
        for (int j = 0; j < size; ++j) {
          CONVOSCOPE_UNROLL
          for (int s = 0; s < Sums; ++s) CONVOSCOPE_UNROLL
          for (int c = 0; c < channels; ++c) CONVOSCOPE_UNROLL
          for (int i = 0; i < columns; ++i) sums[s][j][c][i] = j + 1 < size ? sums[s][(j + 1) % size][c][i] : 0.0f;
          CONVOSCOPE_UNROLL
          for (int s = 0; s < Sums; ++s) CONVOSCOPE_UNROLL
          for (int dx = 0; dx < size; ++dx) CONVOSCOPE_UNROLL
          for (int c = 0; c < channels; ++c) CONVOSCOPE_UNROLL
          for (int i = 0; i < columns; ++i)
            sums[s][j][c][i] = fmaf(weights[((c * Sums + s) * size + size - 1 - j) * size + dx],
                                    windows[k].subnormal_channel(i + dx - Radius, c), sums[s][j][c][i]);
        }
        // The next row is under way while the sums are stored and the other windows are computed.
        load(windows[k]);
        // The first 2r rows complete nothing: they are the halo above the strip.
        if (const int step = first + k; step >= 2 * Radius && step < steps) {
          store_row<Pixel, Sums, columns, whole>(
              to, x0, out.width, epilogue, out_aligned, [&](int s, int c, int i) { return sums[s][0][c][i]; },
              alphas.oldest());
          to = next_row(out, to);
        }
      }
    }
  });
}

struct alignas(16) Four {
  float value[4];
};

__device__ inline void store_channel(Rgba8* to, float value, int channel, const Rgba8* source) {
  auto* bytes = reinterpret_cast<unsigned char*>(to);  // other threads write the other channels
  bytes[channel] = to_code_value(value);
  if (channel == 0) bytes[3] = source->a;
}

template <class Pixel, int Sums, int Radius>
__global__ void __launch_bounds__(warps* lanes, 3)
    filter_register_blocks(ImageView<const Pixel> in, ImageView<Pixel> out, int ry, int, Border border,
                           Epilogue epilogue, int in_aligned, int out_aligned) {
  // Wider than 5 taps: a thread computes a block of outputs, one channel of them, and goes through the rows that these
  // need. The filter's rows are found at run time, so that the code stays small enough for the instruction cache.
  wait_for_kernel_before();
  using Window = RowWindow<Pixel, Radius, block_columns>;
  constexpr int rows = block_rows_for(Radius, Sums), width = padded_width(Radius);
  const int x0 = static_cast<int>(blockIdx.x * lanes + threadIdx.x) * block_columns;
  const int y0 = static_cast<int>(blockIdx.y * warps + threadIdx.y) * rows;
  const int channel = blockIdx.z;
  using Stream = RowStream<Window, Pixel, block_columns>;
  constexpr int table = align4(Stream::table_size(lanes));
  // Weights lie in shared memory, whose speed does not depend on where in the filter the other warps are (the cache of
  // constant operands has 2 KB); a load brings four of them, each for all columns of the block.
  const int fours = Sums * (2 * ry + 1) * width / 4;
  const Shared<Four> filter = shared_memory<Four>(table * sizeof(int), fours);
  const auto* constants = reinterpret_cast<const Four*>(weights);
  for (int i = threadIdx.y * lanes + threadIdx.x; i < fours; i += warps * lanes) filter[i] = constants[i];
  __syncthreads();
  Stream stream(in, shared_memory<int>(0, table), x0, y0 - ry, rows + 2 * ry, border, in_aligned);
  if (x0 >= out.width || y0 >= out.height) return;

  float sums[Sums][rows][block_columns] = {};
  constexpr bool ahead = Radius <= 4;  // narrow windows leave registers for the next row while one is multiplied
  Window window;
  if (ahead) stream.load(window);
  CONVOSCOPE_KEEP_LOOP
  for (int step = 0; step < rows + 2 * ry; ++step) {
    if (!ahead) stream.load(window);
    float x[block_columns + 2 * Radius];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < block_columns + 2 * Radius; ++i) x[i] = window.channel(i - Radius, channel);
    if (ahead && step + 1 < rows + 2 * ry) stream.load(window);
    CONVOSCOPE_UNROLL
    // This row of the image is row dy of the filter for output row j, and none for those too far above or below.
    for (int j = 0; j < rows; ++j) {
      const int dy = step - j;
      if (dy < 0 || dy > 2 * ry) continue;
      CONVOSCOPE_UNROLL
      for (int s = 0; s < Sums; ++s) {
        const int row = (s * (2 * ry + 1) + dy) * (width / 4);
        CONVOSCOPE_UNROLL
        for (int four = 0; four < width / 4; ++four) {
          const Four w = filter[row + four];
          CONVOSCOPE_UNROLL
          for (int k = 0; k < 4; ++k) CONVOSCOPE_UNROLL
          for (int i = 0; i < block_columns; ++i)
            if (4 * four + k <= 2 * Radius) sums[s][j][i] = fmaf(w.value[k], x[i + 4 * four + k], sums[s][j][i]);
        }
      }
    }
  }

  CONVOSCOPE_UNROLL
  for (int j = 0; j < rows; ++j) {
    if (y0 + j >= out.height) break;
    if constexpr (channels_of<Pixel> == 1) {
      CONVOSCOPE_UNROLL
      for (int first = 0; first < block_columns; first += 4)
        store_row<Pixel, Sums, 4>(
            pixel_at(out, x0 + first, y0 + j), x0 + first, out.width, epilogue, out_aligned,
            [&](int s, int, int i) { return sums[s][j][first + i]; }, 0);
    } else {
      CONVOSCOPE_UNROLL
      for (int i = 0; i < block_columns; ++i) {
        if (x0 + i >= out.width) break;
        const float value = finish_channel<Sums>(epilogue, sums[0][j][i], sums[Sums - 1][j][i]);
        store_channel(pixel_at(out, x0 + i, y0 + j), value, channel, pixel_at(in, x0 + i, y0 + j));
      }
    }
  }
}

struct Kernels {
  template <class F>
  static void with(const Problem& problem, int ahead, F&& f) {
    dispatch(problem.format, problem.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      const auto stream = [&]<int Radius>() {
        constexpr int channels = channels_of<Pixel>, columns = columns_for(Radius, channels, Sums);
        with_number<1, 2>(ahead ? ahead : usual_ahead(Radius, channels), [&]<int Ahead>() {
          constexpr int blocks = blocks_for(Radius, channels, Sums, Ahead);
          f.template operator()<Pixel>(filter_register_stream<Pixel, Sums, Radius, Ahead, blocks>, columns, 0);
        });
      };
      const auto blocks = [&]<int Radius>() {
        f.template operator()<Pixel>(filter_register_blocks<Pixel, Sums, Radius>, block_columns,
                                     block_rows_for(Radius, Sums));
      };
      const int radius = built_radius(problem.filter);
      if (radius > 0 && streams(radius))
        with_number<1, 2>(radius, stream);
      else
        with_number<4, 8, 12, 16, 32>(radius, blocks);
    });
  }
  static void upload(const ConstantWeights& all, Stream stream) { upload_to<weights>(all, stream); }
};

constexpr Lesson lesson{
    {"register-stream", "Register stream",
     "PMPP 4th ed., ch. 8.4 and 8.5 (stencils: thread coarsening and register tiling)", "filter_register_stream"},
    "Each thread walks down a strip of a few columns. A row that has been loaded goes at once into the sums of all "
    "outputs that it touches; they wait in registers, and the topmost is complete. There is no shared memory.",
    "Each thread walks down its strip. A row that it has read goes at once into the sums of the {} output rows that it "
    "touches, which wait in registers."};

extern const Strategy strategy = register_streams<lesson, Kernels>();

}  // namespace convoscope::CONVOSCOPE_TARGET::register_stream
