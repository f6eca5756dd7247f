// Streaming down on the integer tensor cores: a third of an instruction a pixel for each row of the filter where
// register-stream has one for each weight. Weights are 16-bit integers, two signed bytes.
// Traffic: 2 (1 + 2r/H) loads per output for strips of H rows, half of them in L1; DRAM sees the image once.
// Limits: rgba8; radius 4; weights that 16 bits hold.
#include "kernels/device/parts/mma_int8.cuh"
#include "kernels/strategies/shared/image/run_fragments.cuh"
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
    // A has the high bytes of eight outputs' weights above the low ones: one product makes both, which add up exactly.
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
  // Blocks at the edges, which take longer, come first, so that the last turn is not of them.
  const BlockPlace place = edges_first();
  const int left = (place.x * run_warps + warp_in_block()) * run_columns, top = place.y * strip_rows;
  if (left >= out.width) return;
  const int outputs = min(strip_rows, out.height - top);
  const int column = left - run_reach + run_outputs * run_of_column(lane_index() / 4) + 4 * (lane_index() % 4);
  using Stream = RunStream<Rgba8, Radius, OneQuad>;
  const FewFrames<1, Rgba8> one{{in.data}, in.width, in.height, in.pitch};
  Stream stream(one, column, left, run_columns, top - Radius, outputs + 2 * Radius, 1, border, in_aligned);
  // What follows reads what the kernel before may still be writing; only L2 may be asked for it until then.
  let_next_kernel_begin();
  stream.prefetch_rows(left - run_reach, 3);
  ByteSums<Radius> sums(fragments, scale);
  wait_until_kernel_before_is_done();

  stream.with_rows([&](auto load, auto settle, auto whole) {
    // Where the lane's outputs are, two runs apart, so that what lanes store at a time lies together.
    const int x = left + first_run_output(lane_index());
    Rgba8* to = pixel_at(out, x, top);
    typename Stream::Row coming[rows_ahead] = {};
    CONVOSCOPE_UNROLL
    for (int k = 0; k < rows_ahead; ++k) load(coming[k]);
    CONVOSCOPE_KEEP_LOOP
    for (int first = -2 * Radius; first < outputs; first += rows_ahead) {
      CONVOSCOPE_UNROLL
      for (int k = 0; k < rows_ahead; ++k) {
        settle(coming[k]);
        // A lane's four pixels as a word for each channel: its part of B, in the order in which they were loaded.
        const typename ByteSums<Radius>::Row row(coming[k][0][0]);
        load(coming[k]);  // a later row is under way while this one is multiplied
        sums.add(row);
        // The first 2r rows complete nothing: they are the halo above the strip.
        if (const int complete = first + k; complete >= 0 && complete < outputs) {
          unsigned words[2];
          sums.outputs(words);
          CONVOSCOPE_UNROLL
          for (int i = 0; i < 2; ++i)
            if (whole || x + i * run_pair_apart < out.width) store_vector<1>(to + i * run_pair_apart, words + i);
          to = next_row(out, to);
        }
      }
    }
  });
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
    return {byte_run_fragments(filter, bytes.fixed, built_radius(filter)), Scale{bytes.fixed.shift, bytes.fixed.offset},
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
              "which a matrix for each row of the filter turns into eight outputs each. They go into the sums of the " +
                  size + " output rows that the row touches. The thread that is named here stores this output.",
              "Weights are rounded to 16 bits, in two signed bytes" +
                  (padded ? ", and padded with zeros to " + size + " × " + size + " of them" : "") +
                  "; the sums of products are exact, and scaled by a shift.");
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::int8_stream
