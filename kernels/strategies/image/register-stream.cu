// Streaming down in registers. Idea: up to radius 2 a thread owns a few neighbouring columns and walks down a strip of
// the image. A loaded row goes at once into the sums of all 2r+1 outputs that it touches, which wait in registers.
// Bytes are not converted: as they lie in their words they are floats, too small by a power of two, and weights are too
// large by it (shared/image/subnormal_bytes.h). Larger filters: a thread takes a block of outputs and walks down the
// rows that these need. Neither shares pixels but through L1, and nobody waits at barriers.
// Traffic: (1 + 2r/C)(1 + 2r/H) loads per output for C columns and H rows a thread; DRAM sees the image once.
// Limits: arithmetic from radius 4 on; sums that must fit in registers; loops unrolled for widths up to 65.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/parts/block_order.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/device/parts/strip_layout.cuh"
#include "kernels/strategies/shared/image/subnormal_bytes.h"

namespace convoscope::CONVOSCOPE_TARGET::register_stream {
namespace {

__constant__ __align__(16) float weights[max_filter_weights];
ConstantOwner weights_owner;

constexpr int warps = StripLayout::warps, lanes = StripLayout::lanes;

constexpr int columns_for(int radius, int channels, int sets) {
  constexpr int most_sums = 64;  // in a thread's registers
  return (2 * radius + 1) * 4 * channels * sets <= most_sums ? 4 : 2;
}

// Rows on their way while one is computed; blocks of a multiprocessor that registers are left for: measured.
constexpr int usual_ahead(int radius, int channels) { return channels == 1 && radius == 1 ? 2 : 1; }
constexpr int blocks_for(int radius, int channels, int sets, int ahead) {
  if (sets > 1) return 1;
  if (channels == 1) return radius == 1 ? 8 : ahead == 1 ? 9 : 5;
  return radius == 1 ? (ahead == 1 ? 7 : 4) : (ahead == 1 ? 4 : 1);
}

// weights: of rgba8 once for each channel (shared/image/subnormal_bytes.h).
template <class Pixel, int Sums, int Radius, int Ahead, int Blocks>
__global__ void __launch_bounds__(warps* lanes, Blocks)
    filter_register_stream(ImageView<const Pixel> in, ImageView<Pixel> out, int, int strip_rows, Border border,
                           Epilogue epilogue, int in_aligned, int out_aligned) {
  constexpr int size = 2 * Radius + 1, channels = channels_of<Pixel>;
  constexpr int columns = columns_for(Radius, channels, Sums);
  using Window = RowWindow<Pixel, Radius, columns>;
  const BlockPlace place = edges_first();
  const int x0 = (place.x * lanes + static_cast<int>(threadIdx.x)) * columns;
  const int top = (place.y * warps + static_cast<int>(threadIdx.y)) * strip_rows;
  const int steps = min(strip_rows, out.height - top) + 2 * Radius;
  using Stream = RowStream<Window, Pixel, columns>;
  Stream stream(in, shared_memory<int>(0, Stream::table_size(lanes)), x0, top - Radius, steps, border, in_aligned,
                out_aligned);
  if (x0 >= out.width || top >= out.height) return;
  let_next_kernel_begin();
  stream.prefetch_rows(Ahead);
  wait_until_kernel_before_is_done();

  stream.with_rows([&](auto load, auto whole) {
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
        load(windows[k]);
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

// Wider than 5 taps: a thread computes a block of outputs, one channel of them, and goes through the rows that these
// need. The filter's rows are found at run time, so that the code stays small enough for the instruction cache. Their
// weights lie in shared memory, whose speed does not depend on where in the filter the other warps are (the cache of
// constant operands has 2 KB); a load brings four of them, each for all columns of the block.
constexpr int block_columns = 8;
// Fewer for wide filters, whose loop body would not fit in the instruction cache, and for two sets of sums.
constexpr int block_rows_for(int radius, int sets) { return (radius <= 8 ? 8 : 4) / sets; }
constexpr int align4(int n) { return (n + 3) / 4 * 4; }
constexpr int padded_width(int radius) { return align4(2 * radius + 1); }
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
  wait_for_kernel_before();
  using Window = RowWindow<Pixel, Radius, block_columns>;
  constexpr int rows = block_rows_for(Radius, Sums), width = padded_width(Radius);
  const int x0 = static_cast<int>(blockIdx.x * lanes + threadIdx.x) * block_columns;
  const int y0 = static_cast<int>(blockIdx.y * warps + threadIdx.y) * rows;
  const int channel = blockIdx.z;
  using Stream = RowStream<Window, Pixel, block_columns>;
  constexpr int table = align4(Stream::table_size(lanes));
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

constexpr int strip_heights[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96};
constexpr int rows_ahead[] = {0, 1, 2};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a thread walks down, up to radius 2. 0: as many as make one to three turns of blocks", strip_heights,
     0},
    {"ahead", "Rows ahead",
     "Rows on their way while one is computed, up to radius 2. 0 takes 2 for one channel and radius 1, otherwise 1",
     rows_ahead, 0},
};

constexpr int block_radii[] = {4, 8, 12, 16, 32};

bool streams(int radius) { return radius <= 2; }

// The radius that the filter is padded to with zeros; 0: none is large enough.
int built_radius(const Filter& filter) {
  if (const int reach = std::max(filter.rx(), filter.ry()); streams(reach)) return std::max(reach, 1);
  for (const int radius : block_radii)
    if (filter.rx() <= radius) return radius;
  return 0;
}

// The table of columns, and for the kernel of blocks the filter.
std::size_t shared_bytes(const Filter& filter, int radius, int columns) {
  const int table = align4(lanes * columns + 2 * align4(radius));
  const int rows = streams(radius) ? 0 : filter.height * (filter.is_magnitude() ? 2 : 1);
  return (static_cast<std::size_t>(table) + static_cast<std::size_t>(rows) * padded_width(radius)) * sizeof(float);
}

bool takes_subnormals(PixelFormat format, int radius) { return streams(radius) && format == PixelFormat::rgba8; }

// Both weight sets as the kernel for `radius` reads them.
std::vector<float> kernel_weights(const Filter& filter, PixelFormat format, int radius) {
  const int width = streams(radius) ? 2 * radius + 1 : padded_width(radius);
  const int height = streams(radius) ? width : filter.height;
  std::vector<float> padded;
  for (const std::vector<float>* set : {&filter.weights, &filter.weights_y}) {
    if (set->empty()) continue;
    const std::size_t first = padded.size();
    padded.resize(first + static_cast<std::size_t>(width) * height);
    for (int y = 0; y < filter.height; ++y)
      for (int x = 0; x < filter.width; ++x)
        padded[first + static_cast<std::size_t>(y + height / 2 - filter.ry()) * width + x + radius - filter.rx()] =
            (*set)[static_cast<std::size_t>(y) * filter.width + x];
  }
  return takes_subnormals(format, radius) ? scaled_for_bytes(padded, exponent_for_bytes(padded)) : padded;
}

// Calls f.template operator()<Pixel>(kernel, columns of a thread, its rows; 0: any).
template <class F>
void with_kernel(const Problem& problem, int ahead, F&& f) {
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

StripLayout strips(const Problem& p, const Device& device, const Tuned& tuning) {
  StripLayout layout;
  with_kernel(p, tuning["ahead"], [&]<class Pixel>(auto kernel, int columns, int rows) {
    const int chosen = rows ? rows : tuning["strip_rows"];
    const std::size_t shared = shared_bytes(p.filter, built_radius(p.filter), columns);
    layout = lay_out_strips(p, device, kernel, shared, columns, chosen, built_radius(p.filter));
    if (rows) layout.grid.z = static_cast<unsigned>(channels(p.format));
  });
  return layout;
}

class RegisterStreamPlan final : public ImagePlan {
 public:
  RegisterStreamPlan(const Problem& problem, const StripLayout& strips, int ahead)
      : problem_(problem), radius_(built_radius(problem.filter)), ahead_(ahead), strips_(strips) {
    each([&]<class Pixel>(auto kernel, int columns, int) {
      allow_shared(kernel, shared_bytes(problem.filter, radius_, columns));
      early_ = starts_early(kernel);
    });
    RegisterStreamPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(kernel_weights(filter, problem_.format, radius_));
    epilogue_ = make_epilogue(filter, problem_.format);
    if (takes_subnormals(problem_.format, radius_))
      epilogue_.gain = scaled(epilogue_.gain, exponent_of_gain(exponent_for_bytes(both_sets(filter))));
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    weights_.expect_in_place();
    each([&]<class Pixel>(auto kernel, int columns, int) {
      const int words = std::min(columns, 4);
      launch(early_, kernel, strips_.grid, strip_block(), shared_bytes(problem_.filter, radius_, columns), stream,
             in.view<const Pixel>(), out.view<Pixel>(), problem_.filter.ry(), strips_.rows, problem_.border, epilogue_,
             rows_aligned(in, words), rows_aligned(out, words));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    each([&]<class Pixel>(auto kernel, int columns, int) {
      infos = {describe(streams(radius_) ? "filter_register_stream" : "filter_register_blocks", kernel, strips_.grid,
                        strip_block(), shared_bytes(problem_.filter, radius_, columns))};
    });
    return weights_.described(std::move(infos));
  }
  std::string note() const override {
    return "built for radius " + std::to_string(radius_) + ", strips of " + std::to_string(strips_.rows) + " rows";
  }

 private:
  template <class F>
  void each(F&& f) const {
    with_kernel(problem_, ahead_, f);
  }

  Problem problem_;
  int radius_, ahead_;
  StripLayout strips_;
  bool early_ = false;
  Epilogue epilogue_;
  ConstantWeights weights_;
};

}  // namespace

extern const Strategy strategy{
    .id = "register-stream",
    .title = "Register stream",
    .idea =
        "Each thread walks down a strip of a few columns. A row that has been loaded goes at once into the sums of all "
        "outputs that it touches; they wait in registers, and the topmost is complete. There is no shared memory.",
    .reading = "PMPP 4th ed., ch. 8.4 and 8.5 (stencils: thread coarsening and register tiling)",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      const int radius = built_radius(p.filter), widest = block_radii[std::size(block_radii) - 1];
      if (radius == 0)
        return "Its loops are unrolled for filters up to " + std::to_string(2 * widest + 1) +
               " taps wide; this one has " + std::to_string(p.filter.width);
      const std::size_t count =
          static_cast<std::size_t>(padded_width(radius)) * p.filter.height * (p.filter.is_magnitude() ? 2 : 1);
      if (!streams(radius) && count > static_cast<std::size_t>(max_filter_weights))
        return "Padded with zeros to a width of " + std::to_string(padded_width(radius)) + ", the filter has " +
               std::to_string(count) + " weights; constant memory holds " + std::to_string(max_filter_weights);
      if (t["strip_rows"] < 0) return "A strip cannot have fewer than 0 rows";
      if (const int ahead = t["ahead"]; ahead < 0 || ahead > 2)
        return std::to_string(ahead) + " rows ahead are not built: choose 1 or 2, or 0 for either";
      return shared_memory_reason(shared_bytes(p.filter, radius, block_columns), device);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<RegisterStreamPlan>(p, strips(p, device, t), t["ahead"]);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int radius = std::max(built_radius(p.filter), 1), sets = p.filter.is_magnitude() ? 2 : 1;
      const int columns = streams(radius) ? columns_for(radius, channels(p.format), sets) : block_columns;
      const int chosen = t["strip_rows"];
      const double rows = !streams(radius) ? block_rows_for(radius, sets) : chosen ? chosen : 16;
      const int halo = streams(radius) ? 2 * radius : p.filter.height - 1;
      Cost cost = direct_cost(p);
      cost.flop *= (2.0 * radius + 1) / p.filter.width;  // products with the zeros of the padding are made as well
      if (streams(radius)) cost.flop *= (2.0 * radius + 1) / p.filter.height;
      cost.global_loads_per_output = (columns + 2.0 * radius) / columns * (rows + halo) / rows;
      return cost;
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const StripLayout layout = strips(p, device, t);
          const int radius = built_radius(p.filter), above = streams(radius) ? radius : p.filter.ry();
          const ThreadStrip strip{layout.columns, layout.rows, window_margin(radius, layout.columns), above};
          KernelStep step = one_strip_per_thread(streams(radius) ? "filter_register_stream" : "filter_register_blocks",
                                                 lanes, warps, strip, p.width, p.height, at.x, at.y);
          const std::string size = std::to_string(2 * radius + 1);
          const bool wider = p.filter.width < 2 * radius + 1, higher = p.filter.height < 2 * radius + 1;
          if (streams(radius)) {
            step.words = "Each thread walks down its strip. A row that it has read goes at once into the sums of the " +
                         size + " output rows that it touches, which wait in registers.";
            number_edges_first(step, layout.grid);
            std::string words = "The filter is padded with zeros to " + size + " × " + size + " weights.";
            return Explanation{.steps = {std::move(step)}, .words = wider || higher ? std::move(words) : ""};
          }
          // A thread goes through the rows of all its outputs, also of those below the image.
          const int threads_down = ceil_div(p.height - step.outputs[0].y, strip.rows);
          step.direct[0].height = std::min(threads_down, warps) * strip.rows + 2 * above;
          step.block_per_channel = channels(p.format) > 1;
          step.words =
              "Each thread keeps the sums of all its outputs in registers and walks once down the rows that "
              "they need.";
          if (step.block_per_channel)
            step.words += " It makes one channel of them; blocks that differ in z make the others.";
          return Explanation{.steps = {std::move(step)},
                             .words = wider ? "The filter is padded with zeros to a width of " + size + "." : ""};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::register_stream
