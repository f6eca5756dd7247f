// Running sums of a box filter, whose weights are all the same number. A warp walks down its columns; each keeps the
// sum of the 2ry+1 pixels at hand. Traffic: two loads per input row and column and one for alpha, all but the first
// from L1 or L2; no work depends on the radius but the halo's.
// Limits: rgba8 only, as sums of code values are exact; the halo must leave room in a warp's columns.
#include <limits>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/bytes.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/device/parts/warp.cuh"

namespace convoscope::CONVOSCOPE_TARGET::box {
namespace {

constexpr int warps = 4, lanes = 32;  // of a block; its warps lie side by side and share nothing
constexpr int stride = lanes + 1;     // of the totals: one lies to the right of all columns
constexpr int quad = 4;               // pixels of a wide access
constexpr int most_columns = 8;

constexpr int margin(int rx) { return (rx + quad - 1) / quad * quad; }  // so that rows are read by quads
constexpr int own_columns(int rx, int columns) { return lanes * columns - 2 * margin(rx); }  // that get outputs

// The sums of a box fit in the halves of a word. Each column's must in any case.
constexpr bool fits_in_halves(int width, int height) { return width * height * 255 <= 0xFFFF; }
constexpr int highest = 0xFFFF / 255;

struct BoxFinish {
  float scale, bias;  // to units of 255 code values, so that clamping is saturation
  unsigned exponent;  // of 2^23, for a register: an instruction has room for one constant
};

__device__ unsigned red_and_blue(unsigned pixel) { return pixel & 0x00FF00FF; }
__device__ unsigned green(unsigned pixel) { return __byte_perm(pixel, 0, 0x4441); }

// Half of a word as a float: the last bits of one between 2^23 and 2^24 are an integer's.
template <int Half>
__device__ float half_of(unsigned word, unsigned exponent) {
  return __uint_as_float(__byte_perm(word, exponent, Half == 0 ? 0x7410 : 0x7432)) - 8388608.0f;
}

// The rows of a lane's pixels, from above to below. Inside: all of them lie in the image, at multiples of a quad.
template <int Count, bool Inside>
class Rows {
 public:
  __device__ Rows(const ImageView<const unsigned>& in, int x0, int first_row, Border border)
      : in_(in), border_(border), x0_(x0), row_(first_row) {
    if (Inside) next_ = reinterpret_cast<const char*>(in.data + x0) + first_row * static_cast<std::ptrdiff_t>(in.pitch);
  }
  __device__ void load(unsigned* pixels) {
    if constexpr (Inside) {
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Count; i += quad) load_vector<quad>(next_ + 4 * i, pixels + i);
      next_ += in_.pitch;
    } else {
      const int row = near_border_index(row_++, in_.height, border_);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Count; ++i) {
        pixels[i] = 0;
        const int column = near_border_index(x0_ + i, in_.width, border_);
        if (row >= 0 && column >= 0) load_vector<1>(pixel_at(in_, column, row), pixels + i);
      }
    }
  }

 private:
  ImageView<const unsigned> in_;
  Border border_;
  int x0_, row_;
  const char* next_ = nullptr;
};

template <int Columns, bool Packed, bool Absolute, bool Inside>
__device__ void walk_down(const ImageView<const unsigned>& in, const ImageView<unsigned>& out,
                          const Shared<unsigned>& totals, int rx, int ry, int left, int top, int bottom, Border border,
                          const BoxFinish& finish) {
  constexpr int words = Packed ? 2 : 3;  // that are added up along a row
  const int lane = threadIdx.x, side = margin(rx), own = own_columns(rx, Columns), size = 2 * rx + 1;
  const int first = lane * Columns, x0 = left - side + first;
  Rows<Columns, Inside> entering(in, x0, top - ry, border), leaving(in, x0, top - ry, border);
  // Of the outputs, for their alpha. The last lanes have none.
  Rows<Columns, Inside> sources(in, left + (first < own ? first : 0), top, Border::replicate);
  int is_right_of[5];  // the lanes that a step of the scan adds to, 1 or 0
  CONVOSCOPE_UNROLL
  for (int k = 0; k < 5; ++k) is_right_of[k] = lane >= 1 << k;

  // The sums of the first output row's 2ry + 1 rows; from then on one row comes in and one goes out. Red and blue lie
  // in the halves of one word: an addition for both.
  unsigned sums[2][Columns] = {}, coming[Columns], source[Columns];
  for (int row = 0; row <= 2 * ry; ++row) {
    entering.load(coming);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Columns; ++i) sums[0][i] += red_and_blue(coming[i]), sums[1][i] += green(coming[i]);
  }
  sources.load(source);
  char* to = reinterpret_cast<char*>(pixel_at(out, left + first, top));
  for (int y = top; y < bottom; ++y, to += out.pitch) {
    unsigned going[Columns], next_source[Columns];
    if (y + 1 < bottom) {  // on their way while this row is computed
      entering.load(coming);
      leaving.load(going);
      sources.load(next_source);
    }

    // A scan along the row: what lies left of each column. The words may overflow; the difference of two totals is
    // right all the same, modulo 2^32. Slot i of lane l is column l · Columns + i.
    CONVOSCOPE_UNROLL
    for (int w = 0; w < words; ++w) {
      const auto part = [&](int i) {
        if (Packed) return sums[w % 2][i];
        return w == 0 ? sums[0][i] & 0xFFFF : w == 1 ? sums[1][i] : sums[0][i] >> 16;
      };
      unsigned own_total = 0;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Columns; ++i) own_total += part(i);
      unsigned total = own_total;
      // Five steps: each adds the total of twice as many lanes to the left.
      CONVOSCOPE_UNROLL
      for (int k = 0; k < 5; ++k) total += shuffle_up(total, 1 << k) * static_cast<unsigned>(is_right_of[k]);
      if (lane == lanes - 1) totals[w * Columns * stride + lanes] = total;
      total -= own_total;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Columns; ++i) {
        totals[(w * Columns + i) * stride + lane] = total;
        total += part(i);
      }
    }
    __syncwarp();  // the warp's own totals: no other warp has to wait
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Columns; i += quad) {
      if (first + i >= own) break;
      const auto left_of = [&](int w, int column) {  // that many columns right of the lane's first
        return totals[(w * Columns + column % Columns) * stride + column / Columns + lane];
      };
      unsigned boxes[quad][words], pixels[quad];
      CONVOSCOPE_UNROLL
      for (int k = 0; k < quad; ++k) CONVOSCOPE_UNROLL
      for (int w = 0; w < words; ++w)
        boxes[k][w] = left_of(w, side - rx + i + k + size) - left_of(w, side - rx + i + k);
      CONVOSCOPE_UNROLL
      for (int k = 0; k < quad; ++k) {
        const auto code = [&](float sum) {
          const float value = fmaf(sum, finish.scale, finish.bias);
          return code_value(Absolute ? fabsf(value) : value);
        };
        // Sums that fit in 16 bits become floats by a permutation of bytes, which is faster than a conversion.
        unsigned r, g, b;
        if constexpr (Packed) {
          r = code(half_of<0>(boxes[k][0], finish.exponent)), g = code(half_of<0>(boxes[k][1], finish.exponent));
          b = code(half_of<1>(boxes[k][0], finish.exponent));
        } else {
          r = code(static_cast<float>(boxes[k][0])), g = code(static_cast<float>(boxes[k][1]));
          b = code(static_cast<float>(boxes[k][words - 1]));
        }
        pixels[k] = __byte_perm(__byte_perm(r, g, 0x0040), __byte_perm(b, source[i + k], 0x0070), 0x5410);
      }
      if constexpr (Inside) {
        store_vector<quad>(to + 4 * i, pixels);
      } else {
        CONVOSCOPE_UNROLL
        for (int k = 0; k < quad; ++k)
          if (left + first + i + k < out.width) store_vector<1>(to + 4 * (i + k), pixels + k);
      }
    }
    __syncwarp();
    if (y + 1 == bottom) break;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Columns; ++i) {
      sums[0][i] += red_and_blue(coming[i]) - red_and_blue(going[i]);
      sums[1][i] += green(coming[i]) - green(going[i]);
      source[i] = next_source[i];
    }
  }
}

template <int Columns, bool Packed, bool Absolute>
__global__ void __launch_bounds__(warps* lanes)
    filter_box(ImageView<const unsigned> in, ImageView<unsigned> out, int rx, int ry, int strip_rows, Border border,
               BoxFinish finish, int aligned) {
  const int left = static_cast<int>(blockIdx.x * warps + threadIdx.y) * own_columns(rx, Columns);
  const int top = static_cast<int>(blockIdx.y) * strip_rows, bottom = min(top + strip_rows, out.height);
  if (left >= out.width) return;
  constexpr int count = (Packed ? 2 : 3) * Columns * stride;
  const Shared<unsigned> totals = shared_memory<unsigned>(threadIdx.y * count * sizeof(unsigned), count);
  const int x0 = left - margin(rx);
  // Most warps see the image only: their rows are read by quads, without a look at the border.
  if (aligned && x0 >= 0 && x0 + lanes * Columns <= in.width && top - ry >= 0 && bottom + ry <= in.height)
    walk_down<Columns, Packed, Absolute, true>(in, out, totals, rx, ry, left, top, bottom, border, finish);
  else
    walk_down<Columns, Packed, Absolute, false>(in, out, totals, rx, ry, left, top, bottom, border, finish);
}

constexpr int strip_heights[] = {0, 8, 16, 24, 32, 48, 64, 128}, column_choices[] = {0, 4, 8};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a warp walks down. Each strip first sums up 2r rows: tall strips do so less often, short ones make "
     "more blocks. 0: chosen by the radius",
     strip_heights, 0},
    {"columns", "Columns",
     "Neighbouring columns of a lane: more of them lose less to the halo. 0: chosen by the radius", column_choices, 0},
};

// How the work is cut up.
struct Shape {
  int strip_rows, columns, own;  // own: columns that a warp makes outputs of
};

Shape shape(const Problem& p, const Tuned& tuning) {
  const int rows = tuning["strip_rows"], columns = tuning["columns"];
  Shape s{rows ? rows : p.filter.ry() <= 7 ? 8 : 16, columns ? columns : p.filter.rx() <= 40 ? 4 : 8, 0};
  s.own = own_columns(p.filter.rx(), s.columns);
  return s;
}

bool packed(const Filter& filter) { return fits_in_halves(filter.width, filter.height); }

struct Box : OneKernel<FilterInArguments> {
  int strip_rows, columns;

  static constexpr const char* name = "filter_box";
  void take_filter() {}  // the weight travels with the launch
  template <class F>
  void with_kernel(F&& f) const {
    with_number<4, 8>(columns, [&]<int Columns>() {
      if (problem.filter.absolute)
        packed(problem.filter) ? f(filter_box<Columns, true, true>) : f(filter_box<Columns, false, true>);
      else
        packed(problem.filter) ? f(filter_box<Columns, true, false>) : f(filter_box<Columns, false, false>);
    });
  }
  auto arguments(const Image& in, const Image& out) const {
    const Filter& filter = problem.filter;
    constexpr double largest = std::numeric_limits<float>::max();
    const double scale = static_cast<double>(filter.weights[0]) * filter.gain / 255;
    const BoxFinish finish{static_cast<float>(std::clamp(scale, -largest, largest)), filter.bias, 0x4B000000};
    return std::tuple(filter.rx(), filter.ry(), strip_rows, problem.border, finish,
                      static_cast<int>(rows_aligned(in, quad) && rows_aligned(out, quad)));
  }
};

}  // namespace

extern const Strategy strategy{
    .id = "box",
    .title = "Running sums",
    .idea =
        "A box filter's weights are all the same, so a sum that moves by one pixel gains one row and loses another. "
        "Along a row, a scan gives the sums from the left, and each output is the difference of two: the radius hardly "
        "matters.",
    .reading = "PMPP 4th ed., ch. 11 (prefix sum); Crow, Summed-Area Tables for Texture Mapping, 1984",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, 2); },  // the sum is exact, its product is not
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "running sums are exact for 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (p.filter.is_magnitude() || !all_the_same(p.filter.weights))
        return "running sums need weights that are all the same; those of this filter are not";
      const Shape s = shape(p, t);
      if (s.own < lanes)
        return "a warp's " + std::to_string(lanes * s.columns) + " columns leave no room for a horizontal radius of " +
               std::to_string(p.filter.rx());
      if (p.filter.height > highest)
        return "the sum of a column of " + std::to_string(p.filter.height) + " code values does not fit in 16 bits";
      if (s.strip_rows < 1) return "A strip needs a row";
      return shared_memory_reason(warps * 3 * most_columns * stride * sizeof(unsigned), device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const Shape s = shape(p, t);
      const dim3 grid(ceil_div(p.width, warps * s.own), ceil_div(p.height, s.strip_rows));
      const std::size_t shared = warps * (packed(p.filter) ? 2 : 3) * s.columns * stride * sizeof(unsigned);
      return one_kernel_plan<Box>(p, {grid, dim3(lanes, warps), shared}, s.strip_rows, s.columns);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const Shape s = shape(p, t);
      const double rows = s.strip_rows, across = lanes * s.columns / static_cast<double>(std::max(s.own, 1));
      // Of a column: in, out, twice in the scan (its five steps are shared by a lane's columns); of an output: one.
      return {.flop = channels(p.format) * outputs(p) * (across * (4 + 2.0 * p.filter.ry() / rows) + 3),
              .global_loads_per_output = across * (2 + 2.0 * p.filter.ry() / rows) + 1,
              .global_stores_per_output = 1,
              .shared_loads_per_output = packed(p.filter) ? 4.0 : 6.0,
              .dram_bytes = 2 * frame_bytes(p)};
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const auto [strip_rows, columns, own] = shape(p, t);
          KernelStep step = one_thread_per_output(Box::name, warps * own, strip_rows, at.x, at.y);
          const PixelArea block = step.outputs[0];
          const int warp = (at.x - block.x) / own, left = block.x + warp * own, lane = (at.x - left) / columns;
          step.thread = {lane, warp, 0};
          step.block_size = {lanes, warps, 1};
          const int columns_left = std::min(columns, own - lane * columns);
          step.thread_outputs = {{left + lane * columns, block.y, columns_left, strip_rows}};
          const int across = std::min(warps, ceil_div(p.width - block.x, own)) * own;
          const int down = std::min(strip_rows, p.height - block.y);
          step.direct = {grown(PixelArea{block.x, block.y, across, down}, margin(p.filter.rx()), p.filter.ry())};
          step.words =
              "Each lane keeps the sums of a few columns over the filter's height: a row comes in, a row goes out. The "
              "warp adds them up from left to right in shared memory, and an output is the difference of two such "
              "totals.";
          return Explanation{
              .steps = {std::move(step)},
              .words = "No product is made for single inputs: their sum is multiplied by the one weight."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::box
