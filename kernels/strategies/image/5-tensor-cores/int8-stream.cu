// Streaming down on the integer tensor cores. Idea: a row of the filter is a banded (Toeplitz) matrix, A, of which
// eight rows make eight outputs of 16 pixels; the bytes of a row of pixels are B as they were loaded. A warp walks down
// 64 columns, and each row goes at once into the sums of all output rows that it touches, which wait in registers: no
// shared memory, no barrier, and a third of an instruction a pixel for each row of the filter where register-stream has
// one for each weight. Weights are 16-bit integers, two signed bytes, which are the upper and the lower half of A.
// Traffic: 2 (1 + 2r/H) loads per output for strips of H rows, half of them in L1; DRAM sees the image once.
// Limits: rgba8; radius 4; weights that 16 bits hold.
#include "kernels/device/parts/mma_int8.cuh"
#include "kernels/strategies/shared/image/byte_weights.h"
#include "kernels/strategies/shared/image/run_plan.cuh"
#include "kernels/text/number_text.h"

namespace convoscope::CONVOSCOPE_TARGET::int8_stream {
namespace {

// Rows on their way while one is computed; blocks of a multiprocessor that registers are left for: measured.
constexpr int rows_ahead = 8;
constexpr int blocks_for(int radius) { return radius <= 2 ? 3 : 2; }

struct Scale {
  int shift, offset;  // output = (sum + offset) >> shift
};

template <int Radius>
class ByteSums {
 public:
  // Of a lane's four pixels, a word for each channel.
  struct Row {
    unsigned channel[4];
    __device__ explicit Row(const unsigned* pixels) { transpose_bytes(pixels, channel); }
  };

  // fragments: what each lane has of the matrices of the filter's rows, and of the one that takes eight pixels over.
  __device__ ByteSums(const unsigned* fragments, Scale scale) : scale_(scale) {
    const unsigned* from = fragments + 2 * lane_index();
    CONVOSCOPE_UNROLL
    for (int row = 0; row < size; ++row) load_vector<2>(from + row * 2 * run_lanes, rows_[row]);
    load_vector<2>(from + size * 2 * run_lanes, same_);
  }
  // Slot j holds the sums of the output row that is j rows above complete, to which this is row size − 1 − j of the
  // filter.
  __device__ void add(const Row& row) {
    int start[4] = {0, 0, scale_.offset, scale_.offset};  // of the low bytes
    CONVOSCOPE_UNROLL
    for (int j = 0; j < size; ++j) CONVOSCOPE_UNROLL
    for (int c = 0; c < 3; ++c)
      mma_chunks<false, 1>(sums_[j][c], rows_[size - 1 - j], row.channel + c,
                           j + 1 < size ? sums_[(j + 1) % size][c] : start);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Radius; ++i) alphas_[i] = alphas_[i + 1];
    alphas_[Radius] = row.channel[3];
  }
  __device__ void outputs(unsigned (&words)[2]) const {
    constexpr int none[4] = {};
    int alpha[4];  // they came to other lanes than those that store them
    mma_chunks<false, 1>(alpha, same_, alphas_, none);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2; ++i) {
      const auto value = [&](int c) {
        const auto high = static_cast<unsigned>(sums_[0][c][i]), low = static_cast<unsigned>(sums_[0][c][2 + i]);
        return static_cast<int>(256 * high + low) >> scale_.shift;
      };
      words[i] = pack_bytes(value(1), value(0), pack_bytes(alpha[2 + i], value(2), 0));
    }
  }

 private:
  static constexpr int size = 2 * Radius + 1;
  unsigned rows_[size][2], same_[2];
  Scale scale_;
  int sums_[size][3][4] = {};
  unsigned alphas_[Radius + 1] = {};  // of the last rows: the oldest is that of the row that is complete
};

template <int Radius>
__global__ void __launch_bounds__(run_warps* run_lanes, blocks_for(Radius))
    filter_byte_runs(ImageView<const Rgba8> in, ImageView<Rgba8> out, const unsigned* fragments, int strip_rows,
                     Border border, Scale scale, int in_aligned) {
  walk_down_runs<Radius, rows_ahead, ByteSums<Radius>>(in, out, strip_rows, border, in_aligned,
                                                       [&] { return ByteSums<Radius>(fragments, scale); });
}

// A lane has of A rows g and g + 8, of each four columns: here an output's high bytes, and its low ones.
std::vector<unsigned> kernel_fragments(const Filter& filter, const FixedPoint& fixed, int radius) {
  std::vector<unsigned> fragments;
  const auto append = [&](auto byte) {
    for (int lane = 0; lane < run_lanes; ++lane)
      for (const bool low : {false, true}) {
        unsigned word = 0;
        for (int i = 0; i < 4; ++i)
          word |= (static_cast<unsigned>(byte(lane / 4, lane % 4 * 4 + i, low)) & 0xffu) << 8 * i;
        fragments.push_back(word);
      }
  };
  for (int row = filter.ry() - radius; row <= filter.ry() + radius; ++row)
    append([&](int m, int k, bool low) {
      const int tap = run_tap(m, k, filter.width);
      if (tap < 0 || row < 0 || row >= filter.height) return 0;
      const int value = fixed.values[static_cast<std::size_t>(row * filter.width + tap)];
      return low ? ByteWeights::low(value) : ByteWeights::high(value);
    });
  append([](int m, int k, bool low) { return low && k == m + run_reach ? 1 : 0; });
  return fragments;
}

struct OfByteRuns {
  using Pixel = Rgba8;
  static constexpr const char* name = "filter_byte_runs";
  // That the filter is padded to with zeros.
  static int built_radius(const Filter& filter) { return std::max(filter.rx(), filter.ry()) <= 2 ? 2 : 4; }
  template <class F>
  static void with_kernel(int radius, F&& f) {
    radius == 2 ? f(filter_byte_runs<2>) : f(filter_byte_runs<4>);
  }
  static auto arguments(const unsigned* fragments, int strip_rows, Border border, const Scale& scale) {
    return std::tuple(fragments, strip_rows, border, scale);
  }
  static RunFilter<Scale> filter(const Filter& filter, PixelFormat) {
    const ByteFilter bytes = byte_filter(filter);
    return {kernel_fragments(filter, bytes.fixed, built_radius(filter)), Scale{bytes.fixed.shift, bytes.fixed.offset},
            "weights in 16 bits, which costs at most " + rounded_text(bytes.cost, 2) + " code values"};
  }
};

RunStrips strips(const Problem& p, const Device& device, const Tuned& tuning) {
  RunStrips strips;
  const int radius = OfByteRuns::built_radius(p.filter);
  OfByteRuns::with_kernel(
      radius, [&](auto kernel) { strips = lay_out_runs(p, device, kernel, radius, rows_ahead, tuning["strip_rows"]); });
  return strips;
}

}  // namespace

extern const Strategy strategy{
    .id = "int8-stream",
    .title = "Tensor cores, integers, streaming",
    .idea =
        "Pixels stay bytes, and stay in registers: each row of the filter is a banded (Toeplitz) matrix, which a "
        "matrix "
        "instruction multiplies with a row of pixels as it was loaded. A warp walks down 64 columns, and a row goes at "
        "once into the sums of all output rows that it touches. Weights are rounded to 16 bits, two signed bytes.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 8.5 (stencils: register tiling); PTX ISA, mma.m16n8k16; Jacob et al., Quantization "
        "and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, 2018",
    .backend = target_backend,
    .tunables = run_tunables,
    .tolerance = [](const Problem& p) { return byte_filter(p.filter).cost; },  // the sums are exact
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "the matrices take 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (std::string why = run_reason(p, device, t["strip_rows"]); !why.empty()) return why;
      if (!byte_filter(p.filter).plain)
        return "one set of weights in 16 bits has to do; tensor-core-int8 takes what needs finer weights, an absolute "
               "value or a magnitude";
      return {};
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<RunPlan<OfByteRuns>>(p, strips(p, device, t));
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int radius = OfByteRuns::built_radius(p.filter);
      return run_cost(p, radius, t["strip_rows"], 3 * (2 * radius + 1) + 1, 0);
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const int radius = OfByteRuns::built_radius(p.filter);
          const std::string size = std::to_string(2 * radius + 1);
          const bool padded = p.filter.width < 2 * radius + 1 || p.filter.height < 2 * radius + 1;
          return explain_runs(
              p, strips(p, device, t), radius, OfByteRuns::name, at,
              "A warp walks down its 64 columns. Of a row it has eight windows of 16 pixels, four in each of four "
              "lanes, "
              "which a matrix for each row of the filter turns into eight outputs each; they go into the sums of the " +
                  size + " output rows that the row touches. The thread that is named here stores this output.",
              "Weights are rounded to 16 bits, in two signed bytes" +
                  (padded ? ", and padded with zeros to " + size + " × " + size + " of them" : "") +
                  "; the sums of products are exact, and scaled by a shift.");
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::int8_stream
