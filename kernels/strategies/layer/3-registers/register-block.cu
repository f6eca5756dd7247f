// A block of outputs of many maps in one thread's registers, and the bank in shared memory. Idea: a multiply-add takes
// a weight from a constant bank at half the rate of one whose operands are all registers. So weights come from shared
// memory, four maps in a load that all lanes of a warp share, and each serves four neighbouring outputs of one or more
// rows: 64 or more multiply-adds for four loads. Outputs are numbered along the rows of a map, so that no lane idles at
// the end of a row, and are stored 16 bytes at a time, or 8 where rows begin there. Traffic: (R+K−1)·(K+3)/4R loads of
// each channel per output of 16 maps, nearly all from L1; K²/4R loads of weights from shared memory per output and
// channel. Limits: K = 3, 5 and 7 at stride and dilation 1; registers leave room for 8 to 16 warps a multiprocessor.
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/quads.cuh"
#include "kernels/strategies/shared/layer/tiles.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::register_block {

namespace {

constexpr int block_threads = 128;
constexpr int bank_bytes = 32 * 1024;  // of shared memory, so that several blocks fit on a multiprocessor

// What a block has of the bank, which is cut into chunks of maps: so many chunks of one group, of which the weights of
// so many sources are in shared memory at once.
struct Share {
  int chunks, sources;
};

// Loads of four weights of one source and tap.
template <int Maps>
constexpr int loads_of = ceil_div(Maps, 4);

// Grid: runs of quads, shares of the bank, samples.
template <int K, int Maps, int Rows, Reach reach>
__global__ void __launch_bounds__(block_threads, (Rows * Maps > 16 ? 2 : 4))
    layer_register_block(Planes<const float> in, Planes<float> out, Correlation c, LayerEpilogue epilogue, int forward,
                         const float* bank, Share share) {
  wait_for_kernel_before();
  constexpr int loads = loads_of<Maps>, source_loads = K * K * loads;
  const int across = ceil_div(c.out_width, 4), place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int x = place % across * 4, y = place / across * Rows, sample = static_cast<int>(blockIdx.z);
  const int group_chunks = ceil_div(c.group_targets(), Maps), sources = c.group_sources();
  const int first_chunk = static_cast<int>(blockIdx.y) * share.chunks, all = share.chunks * sources;
  const int pitch = static_cast<int>(in.row);
  const bool alive = y < c.out_height;
  unsigned rows_there = 0;  // a bit for each row of the input
  CONVOSCOPE_UNROLL
  for (int row = 0; row < K + Rows - 1; ++row) {
    const int i = y - c.padding + row;
    rows_there |= static_cast<unsigned>(alive && i >= 0 && i < c.height) << row;
  }

  const Shared<float4> held = shared_memory<float4>(0, share.sources * source_loads);
  const auto* weights = reinterpret_cast<const float4*>(bank) + first_chunk * sources * source_loads;
  int at = 0;  // where a source's weights lie in shared memory

  CONVOSCOPE_KEEP_LOOP
  for (int chunk = first_chunk; chunk < first_chunk + share.chunks; ++chunk) {
    const int group = chunk / group_chunks, member = chunk % group_chunks * Maps;
    const float* source = in.at(sample * c.sources + group * sources, y - c.padding) + x - c.padding;
    float sums[Rows][Maps][4] = {};
    int done = 0;
    CONVOSCOPE_KEEP_LOOP
    do {
      const int here = min(sources - done, share.sources);
      if (share.sources < all || chunk == first_chunk) {  // otherwise all are there since the first chunk
        const int fetched = share.sources < all ? here : all;
        __syncthreads();  // nobody needs those before any more
        for (int i = static_cast<int>(threadIdx.x); i < fetched * source_loads; i += block_threads)
          held[i] = __ldg(weights + i);
        __syncthreads();
        weights += fetched * source_loads, at = 0;
      }
      CONVOSCOPE_KEEP_LOOP
      for (int s = 0; s < here; ++s, source += in.plane, at += source_loads) {
        float window[Rows][K + 3];  // slot r % Rows holds row r
        const auto load_row = [&](int row) {
          load_neighbours<K, reach>(window[row % Rows], source + row * pitch, rows_there >> row & 1, x, c.padding,
                                    c.width);
        };
        CONVOSCOPE_UNROLL
        for (int row = 0; row < Rows - 1; ++row) load_row(row);
        CONVOSCOPE_UNROLL
        for (int i = 0; i < K; ++i) {
          load_row(i + Rows - 1);
          CONVOSCOPE_UNROLL
          for (int j = 0; j < K; ++j) CONVOSCOPE_UNROLL
          for (int load = 0; load < loads; ++load) {
            const float4 four = held[at + (i * K + j) * loads + load];
            const float weight[4] = {four.x, four.y, four.z, four.w};
            CONVOSCOPE_UNROLL
            for (int m = 4 * load; m < (4 * load + 4 < Maps ? 4 * load + 4 : Maps); ++m) CONVOSCOPE_UNROLL
            for (int r = 0; r < Rows; ++r) CONVOSCOPE_UNROLL
            for (int p = 0; p < 4; ++p)
              sums[r][m][p] = fmaf(weight[m % 4], window[(i + r) % Rows][p + j], sums[r][m][p]);
          }
        }
      }
      done += here;
    } while (done < sources);
    if (!alive) continue;
    const int first = group * c.group_targets() + member;
    float* to = out.at(sample * c.targets + first, y) + x;
    CONVOSCOPE_UNROLL
    for (int m = 0; m < Maps; ++m, to += out.plane) {
      if (member + m >= c.group_targets()) break;
      const float bias = forward ? __ldg(epilogue.biases + first + m) : 0.0f;
      CONVOSCOPE_UNROLL
      for (int r = 0; r < Rows; ++r) {
        if (y + r >= c.out_height) break;
        if (forward) finish_quad(sums[r][m], epilogue, bias);
        store_quad<reach>(to + r * out.row, sums[r][m], x, c.out_width);
      }
    }
  }
}

constexpr int map_choices[] = {0, 3, 16};
constexpr Tunable tunables[] = {
    {"maps", "Maps", "Maps (to the input: channels) of a thread. 0: 3 if there are no more, otherwise 16", map_choices,
     0},
};

int maps_of(const Problem& p, const Tuned& t) {
  if (const int chosen = t["maps"]) return chosen;
  return correlation_of(p).group_targets() <= 3 ? 3 : 16;
}
int rows_of(const Problem& p, const Tuned& t) {
  if (p.filter.width == 3) return maps_of(p, t) == 3 ? 4 : 1;
  return maps_of(p, t) == 3 ? 8 : 2;
}
int source_bytes(const Problem& p, int maps) { return p.filter.taps() * ceil_div(maps, 4) * int{sizeof(float4)}; }

// All chunks of a group where their weights fit at once: then what is read of the sources for one of them serves the
// others from the caches, and the bank comes but once.
Share share_of(const Problem& p, int maps) {
  const Correlation c = correlation_of(p);
  const int chunks = ceil_div(c.group_targets(), maps), most = bank_bytes / source_bytes(p, maps);
  if (chunks * c.group_sources() <= most) return {chunks, chunks * c.group_sources()};
  const int parts = ceil_div(c.group_sources(), most);
  return {1, ceil_div(c.group_sources(), parts)};
}

int quads_of(const Correlation& c, int rows) { return ceil_div(c.out_width, 4) * ceil_div(c.out_height, rows); }

LaunchShape launch_of(const Problem& p, const Tuned& t) {
  const Correlation c = correlation_of(p);
  const int maps = maps_of(p, t);
  const Share share = share_of(p, maps);
  return {dim3(ceil_div(quads_of(c, rows_of(p, t)), block_threads),
               c.groups * ceil_div(c.group_targets(), maps) / share.chunks, c.samples),
          dim3(block_threads), static_cast<std::size_t>(share.sources * source_bytes(p, maps))};
}

using Kernel = void (*)(Planes<const float>, Planes<float>, Correlation, LayerEpilogue, int, const float*, Share);

template <Reach reach>
Kernel kernel_of(const Problem& p, const Tuned& t) {
  const int k = p.filter.width;
  if (maps_of(p, t) == 3)
    return k == 3   ? layer_register_block<3, 3, 4, reach>
           : k == 5 ? layer_register_block<5, 3, 8, reach>
                    : layer_register_block<7, 3, 8, reach>;
  return k == 3   ? layer_register_block<3, 16, 1, reach>
         : k == 5 ? layer_register_block<5, 16, 2, reach>
                  : layer_register_block<7, 16, 2, reach>;
}

class RegisterBlockPlan final : public Plan {
 public:
  RegisterBlockPlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem),
        maps_(maps_of(problem, tuning)),
        share_(share_of(problem, maps_)),
        launch_(launch_of(problem, tuning)),
        fitting_(fitting(correlation_of(problem))),
        kernels_{kernel_of<Reach::singles>(problem, tuning), kernel_of<Reach::pairs>(problem, tuning),
                 kernel_of<Reach::quads>(problem, tuning)},
        biases_(problem),
        bank_(padded_bank(problem.filter)),
        early_(starts_early(kernels_[fitting_.usually()])) {}
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    bank_.set(padded_bank(filter));
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const auto from = planes_of<const float>(in[0]);
    const auto to = planes_of<float>(out[0]);
    launch(early_, kernels_[fitting_.in(from, to)], launch_.grid, launch_.block, launch_.shared_bytes, stream, from, to,
           correlation_of(problem_), biases_.epilogue(), problem_.layer.pass == Pass::forward, bank_.data(), share_);
  }
  std::vector<KernelInfo> kernels() const override {
    return {describe("layer_register_block", kernels_[fitting_.usually()], launch_.grid, launch_.block,
                     launch_.shared_bytes)};
  }

 private:
  // Chunks of a multiple of four maps, so that four weights lie together.
  std::vector<float> padded_bank(const Filter& filter) const {
    return chunked_bank(problem_, filter, ceil_div(maps_, 4) * 4);
  }

  Problem problem_;
  int maps_;
  Share share_;
  LaunchShape launch_;
  Fitting fitting_;
  OfReaches<Kernel> kernels_;
  LayerBiases biases_;
  GlobalFloats bank_;
  bool early_;
};

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
  if (std::string reason = no_bank_reason(p); !reason.empty()) return reason;
  if (!unrolled(p))
    return "Its loops are written out for filters 3, 5 or 7 wide, with a stride and a dilation of 1; here the filter "
           "is " +
           std::to_string(p.filter.width) + " wide, the stride is " + std::to_string(p.layer.stride) +
           " and the dilation " + std::to_string(p.layer.dilation);
  const int maps = maps_of(p, t), targets = correlation_of(p).group_targets();
  if (!std::ranges::count(map_choices, maps)) return std::to_string(maps) + " maps are not built: choose 3 or 16";
  if (maps == 3 && targets > 3)
    return "A thread of 3 maps is for no more than 3; here a group has " + std::to_string(targets);
  const LaunchShape launch = launch_of(p, t);
  if (std::string reason = shared_memory_reason(launch.shared_bytes, device); !reason.empty()) return reason;
  return grid_reason(launch.grid);
}

Cost model(const Problem& p, const Tuned& t) {
  Cost cost = direct_cost(p);
  const double rows = rows_of(p, t), k = p.filter.width, sources = correlation_of(p).group_sources();
  const double maps = std::min(maps_of(p, t), correlation_of(p).group_targets());
  cost.global_loads_per_output *= (rows + k - 1) * (k + 3) / (4 * rows * k * k * maps);
  cost.shared_loads_per_output = sources * k * k / (4 * rows);
  cost.weight_loads_per_output = sources * k * k / (4 * rows * block_threads);
  return cost;
}

Explanation explain(const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
  const Correlation c = correlation_of(p);
  const int rows = rows_of(p, t), maps = maps_of(p, t), across = ceil_div(c.out_width, 4);
  const int place = at.y / rows * across + at.x / 4, first = place / block_threads * block_threads;
  const int group_chunks = ceil_div(c.group_targets(), maps), chunks = share_of(p, maps).chunks;
  const int own = at.channel / c.group_targets() * group_chunks + at.channel % c.group_targets() / maps;
  const int member = own / chunks * chunks % group_chunks * maps;

  KernelStep step;
  step.kernel = "layer_register_block";
  step.block = {place / block_threads, own / chunks, at.sample};
  step.thread = {place % block_threads, 0, 0};
  step.block_size = {block_threads, 1, 1};
  step.outputs = run_of_pixels(static_cast<std::size_t>(first),
                               static_cast<std::size_t>(std::min(block_threads, quads_of(c, rows) - first)), across);
  for (PixelArea& area : step.outputs) area = {area.x * 4, area.y * rows, area.width * 4, area.height * rows};
  step.thread_outputs = {{at.x / 4 * 4, at.y / rows * rows, 4, rows}};
  step.output_planes = step.thread_planes =
      target_planes(c, at.sample, at.channel / c.group_targets() * c.group_targets() + member,
                    std::min(chunks * maps, c.group_targets() - member));
  step.input_planes = source_planes(c, at);
  step.direct = windows_of(c, step.outputs);
  step.words = "The block brings the weights of " + std::to_string(share_of(p, maps).sources) +
               " planes at a time into shared memory. Each thread makes four neighbouring outputs" +
               (rows > 1 ? " in each of " + std::to_string(rows) + " rows" : std::string()) + ", of " +
               std::to_string(std::min(maps, c.group_targets())) +
               " planes at once, so that a weight serves them all. For each it adds " + products_text(c) + ".";
  return {.steps = {std::move(step)}, .words = {}};
}

}  // namespace

extern const Strategy strategy{
    .id = "register-block",
    .title = "Register block",
    .idea =
        "A thread makes four neighbouring outputs of 16 maps. The weights come from shared memory, four maps in one "
        "load for the whole warp, because a product whose weight is an operand from constant memory runs at half the "
        "rate.",
    .reading = "PMPP 4th ed., ch. 6.3 (thread coarsening) and 16.3; Volkov & Demmel 2008",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, layer_roundings(p)); },
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<RegisterBlockPlan>(p, t);
    },
    .costs = model,
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::register_block
