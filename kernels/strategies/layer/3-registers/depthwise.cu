// A layer in which each channel has its own filters (groups = C): there is no product of matrices to make, only memory
// to stream. Idea: a thread makes four neighbouring outputs in several rows, one below the other; the rows of the input
// above slide along in its registers, beside the K² weights of its map. To the input the same with the filter turned
// about; to the weights a thread keeps K² gradients while it walks down a strip, and the strips are added by a second
// kernel. Traffic: (R+K−1)·(K+3)/4R loads per output for R rows, nearly all from L1; DRAM moves the planes once.
// Limits: memory bandwidth; loops unrolled for K = 3, 5 and 7, stride and dilation 1, else a slower path.
// Float16 numbers: depthwise_halves.cuh.
#include "kernels/strategies/shared/layer/depthwise_halves.cuh"
#include "kernels/strategies/shared/layer/quads.cuh"
#include "kernels/strategies/shared/layer/weight_sums.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::depthwise {

namespace {

constexpr int block_threads = 128;

// Grid: columns, rows, planes of the targets. bank: K² weights of each target and source of its group. Any filter,
// stride and dilation, an output a thread.
__global__ void __launch_bounds__(block_threads)
    layer_depthwise_anyhow(Planes<const float> in, Planes<float> out, Correlation c, LayerEpilogue epilogue,
                           int forward, const float* bank) {
  wait_for_kernel_before();
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= c.out_width || y >= c.out_height) return;
  const int plane = static_cast<int>(blockIdx.z), target = plane % c.targets, taps = c.filter * c.filter;
  const int first_source = plane / c.targets * c.sources + target / c.group_targets() * c.group_sources();
  float sums[1][1] = {};
  for (int s = 0; s < c.group_sources(); ++s) {
    const float* const weights = bank + (target * c.group_sources() + s) * taps;
    add_source_anyhow(sums, in.at(first_source + s, 0), in.row, y, x, c,
                      [&](int tap, int) { return __ldg(weights + tap); });
  }
  out.at(plane, y, x) = forward ? epilogue.finish(sums[0][0], target) : sums[0][0];
}

// The same for filters of K × K at stride and dilation 1, four columns and Rows rows a thread.
template <int K, int Rows, Reach reach>
__global__ void __launch_bounds__(block_threads)
    layer_depthwise(Planes<const float> in, Planes<float> out, Correlation c, LayerEpilogue epilogue, int forward,
                    const float* bank) {
  wait_for_kernel_before();
  constexpr int seen = Rows + K - 1, held = seen * (K + 3) <= 80 ? seen : 1;  // rows, as registers allow
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * 4;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * Rows;
  if (x >= c.out_width || y >= c.out_height) return;
  const int plane = static_cast<int>(blockIdx.z), target = plane % c.targets;
  const int first_source = plane / c.targets * c.sources + target / c.group_targets() * c.group_sources();

  float sums[Rows][4] = {};
  CONVOSCOPE_KEEP_LOOP
  for (int s = 0; s < c.group_sources(); ++s) {
    float weights[K * K];
    CONVOSCOPE_UNROLL
    for (int tap = 0; tap < K * K; ++tap) weights[tap] = __ldg(bank + (target * c.group_sources() + s) * K * K + tap);
    const float* const first = in.at(first_source + s, y - c.padding) + x - c.padding;
    float window[held][K + 3];
    const auto load_row = [&](int i) {
      const int row = y - c.padding + i;
      load_neighbours<K, reach>(window[i % held], first + i * in.row, row >= 0 && row < c.height, x, c.padding,
                                c.width);
    };
    CONVOSCOPE_UNROLL
    for (int i = 0; i < (held > 1 ? seen : 0); ++i) load_row(i);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < seen; ++i) {
      if (held == 1) load_row(i);
      CONVOSCOPE_UNROLL
      for (int r = 0; r < Rows; ++r) {
        if (i - r < 0 || i - r >= K) continue;
        CONVOSCOPE_UNROLL
        for (int j = 0; j < K; ++j) CONVOSCOPE_UNROLL
        for (int p = 0; p < 4; ++p) sums[r][p] = fmaf(weights[(i - r) * K + j], window[i % held][p + j], sums[r][p]);
      }
    }
  }
  const float bias = forward ? __ldg(epilogue.biases + target) : 0.0f;
  CONVOSCOPE_UNROLL
  for (int r = 0; r < Rows; ++r) {
    if (y + r >= c.out_height) break;
    if (forward) finish_quad(sums[r], epilogue, bias);
    store_quad<reach>(out.at(plane, y + r) + x, sums[r], x, c.out_width);
  }
}

constexpr int row_choices[] = {2, 4, 8}, widths[] = {32, 64, 128};
constexpr Tunable tunables[] = {
    {"rows", "Rows", "Rows of four outputs that a thread makes, one below the other; of float32", row_choices, 4},
    {"block_width", "Block width", "Threads along a row, of the 128 of a block", widths, 64},
    strip_rows_tunable,
};

bool halves(const Problem& p) { return p.layer.precision == Precision::f16; }
bool in_quads(const Problem& p) { return unrolled(p) && !halves(p); }
int rows_of(const Problem& p, const Tuned& t) { return in_quads(p) ? t["rows"] : 1; }
int columns_of(const Problem& p) { return in_quads(p) ? 4 : 1; }

LaunchShape launch_of(const Problem& p, const Tuned& t) {
  const Correlation c = correlation_of(p);
  const int across = t["block_width"], down = block_threads / across;
  return {dim3(ceil_div(c.out_width, across * columns_of(p)), ceil_div(c.out_height, down * rows_of(p, t)),
               c.samples * c.targets),
          dim3(across, down)};
}

using Kernel = void (*)(Planes<const float>, Planes<float>, Correlation, LayerEpilogue, int, const float*);

template <int K, Reach reach>
Kernel kernel_for(int rows) {
  if (rows == 2) return layer_depthwise<K, 2, reach>;
  return rows == 4 ? layer_depthwise<K, 4, reach> : layer_depthwise<K, 8, reach>;
}
template <Reach reach>
Kernel kernel_of(const Problem& p, int rows) {
  if (!unrolled(p)) return layer_depthwise_anyhow;
  return p.filter.width == 3   ? kernel_for<3, reach>(rows)
         : p.filter.width == 5 ? kernel_for<5, reach>(rows)
                               : kernel_for<7, reach>(rows);
}
OfReaches<Kernel> kernels_of(const Problem& p, int rows) {
  return {kernel_of<Reach::singles>(p, rows), kernel_of<Reach::pairs>(p, rows), kernel_of<Reach::quads>(p, rows)};
}

const char* kernel_name(const Problem& p) { return unrolled(p) ? "layer_depthwise" : "layer_depthwise_anyhow"; }

class DepthwisePlan final : public Plan {
 public:
  DepthwisePlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem),
        launch_(launch_of(problem, tuning)),
        fitting_(fitting(correlation_of(problem))),
        kernels_(kernels_of(problem, rows_of(problem, tuning))),
        biases_(problem),
        bank_(problem.filter.weights.size()) {
    early_ = starts_early(kernels_[fitting_.usually()]);
    DepthwisePlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    bank_.set(chunked_bank(problem_, filter, 1));
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const auto from = planes_of<const float>(in[0]);
    const auto to = planes_of<float>(out[0]);
    launch(early_, kernels_[fitting_.in(from, to)], launch_.grid, launch_.block, 0, stream, from, to,
           correlation_of(problem_), biases_.epilogue(), problem_.layer.pass == Pass::forward, bank_.data());
  }
  std::vector<KernelInfo> kernels() const override {
    return {describe(kernel_name(problem_), kernels_[fitting_.usually()], launch_.grid, launch_.block, 0)};
  }

 private:
  Problem problem_;
  LaunchShape launch_;
  Fitting fitting_;
  OfReaches<Kernel> kernels_;
  bool early_ = false;
  LayerBiases biases_;
  GlobalFloats bank_;
};

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (std::string reason = float_planes_reason(p); !reason.empty()) {
    if (!halves(p)) return reason;
    if (p.layer.pass == Pass::to_weights) return "Its gradient to the weights is of float32 alone. " + reason;
  }
  if (p.layer.groups != p.layer.channels)
    return "Each channel must be a group of its own; here " + std::to_string(p.layer.channels) + " channels are in " +
           std::to_string(p.layer.groups) + (p.layer.groups == 1 ? " group" : " groups");
  if (p.layer.pass == Pass::to_weights) return weight_sums_reason(p, device, single_weight_sums(p), t["strip_rows"]);
  const int rows = t["rows"], width = t["block_width"];
  if (!std::ranges::count(row_choices, rows)) return std::to_string(rows) + " rows are not built: choose 2, 4 or 8";
  if (!std::ranges::count(widths, width))
    return "A block of " + std::to_string(width) + " columns is not built: choose 32, 64 or 128";
  return grid_reason(launch_of(p, t).grid);
}

Cost model(const Problem& p, const Tuned& t) {
  if (p.layer.pass == Pass::to_weights) return weight_sums_cost(p, single_weight_sums(p));
  Cost cost = direct_cost(p);
  if (halves(p) && in_pairs(p)) return pairs_cost(p, cost);
  const double rows = rows_of(p, t);
  cost.weight_loads_per_output = cost.global_loads_per_output / (rows * columns_of(p));
  const double k = p.filter.width;
  if (in_quads(p)) cost.global_loads_per_output *= (rows + k - 1) * (k + 3) / (4 * rows * k * k);
  return cost;
}

Explanation explain(const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
  if (!is_explained(p)) return explain_weights_pass();
  if (halves(p) && in_pairs(p)) return explain_pairs(p, device, at);
  const Correlation c = correlation_of(p);
  const int rows = rows_of(p, t);
  const int columns = columns_of(p);
  KernelStep step = explain_rows_below(halves(p) ? "layer_depthwise_halves" : kernel_name(p), c, launch_of(p, t).block,
                                       rows, at, columns);
  step.block[2] = at.sample * c.targets + at.channel;
  // Threads without an output read nothing; the others read for all of theirs.
  PixelArea made = step.outputs[0];
  made.width = std::min(made.width, ceil_div(c.out_width - made.x, columns) * columns);
  made.height = std::min(made.height, ceil_div(c.out_height - made.y, rows) * rows);
  step.direct = explain_sliding(c, in_quads(p), made);
  step.words = "Each thread makes " +
               (columns == 1 ? std::string("an output")
                             : "four neighbouring outputs in each of " + std::to_string(rows) + " rows") +
               "; the rows above slide along in its registers, beside the weights. For each output it adds " +
               products_text(c) + ".";
  return {.steps = {std::move(step)}, .words = {}};
}

}  // namespace

extern const Strategy strategy{
    .id = "depthwise",
    .title = "Depthwise",
    .idea =
        "Each channel has filters of its own, so there is no sum over channels and nothing but bandwidth to win. A "
        "thread makes four neighbouring outputs in several rows, from rows that slide along in its registers. Of "
        "float16 "
        "channel by channel, it makes those of two channels at once.",
    .reading = "PMPP 4th ed., ch. 6.3 (thread coarsening); Howard et al., MobileNets, 2017",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = sums_or_strips_bound,
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      if (halves(p)) return std::make_unique<HalvesPlan>(p, device, launch_of(p, t));
      if (p.layer.pass != Pass::to_weights) return std::make_unique<DepthwisePlan>(p, t);
      return std::make_unique<WeightSumsPlan>(p, device, single_weight_sums(p), t["strip_rows"]);
    },
    .costs = model,
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::depthwise
