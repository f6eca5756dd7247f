// A window sliding in registers. Idea: a thread makes up to 36 neighbouring outputs and holds the samples that four
// taps need for them: 36 × 4 products from 4 taps and 39 samples. The next four taps want four new samples, which
// replace the four oldest; the loop is written out until the window has turned once, so that no sample ever moves.
// Traffic: (B+2n)/B loads of the input per output for blocks of B outputs; from shared memory 8 floats for every 4 × 36
// products, four at a time.
// Limits: arithmetic, 90 registers' worth of it in flight. Taps are filled up with zeros to whole fours. What blocks
// are left over for a second turn take as long as all of the first, so the outputs of a thread follow from the length.
#include <limits>

#include "kernels/device/global_weights.cuh"
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/signal_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::signal::register_stream {

namespace {

constexpr int threads = 128;

constexpr int quads_of_taps(int tap_count) { return ceil_div(tap_count, 4); }
constexpr int samples_floats(int tap_count, int outputs) { return threads * outputs + 4 * quads_of_taps(tap_count); }

// An odd number of quads, so that of any eight threads that read 16 bytes each no two meet in the same banks; and the
// blocks that a multiprocessor's registers hold.
struct Built {
  int outputs, resident;
};
constexpr Built built[] = {{4, 12}, {12, 10}, {20, 9}, {28, 6}, {36, 5}};
constexpr int resident_of(int outputs) {
  for (const Built& each : built)
    if (each.outputs == outputs) return each.resident;
  return 1;
}

template <int Outputs>
__global__ void __launch_bounds__(threads, resident_of(Outputs))
    convolve_register_stream(ImageView<const float> in, ImageView<float> out, int radius, Border border,
                             Epilogue epilogue, const float* taps) {
  constexpr int block = threads * Outputs, own_quads = Outputs / 4, window_quads = own_quads + 1;
  const int tx = threadIdx.x, channel = blockIdx.y, first = blockIdx.x * block;
  const int tap_count = 2 * radius + 1, tap_quads = quads_of_taps(tap_count), tap_floats = 4 * tap_quads;
  const int sample_floats = samples_floats(tap_count, Outputs);

  const Shared<float> tap_room = shared_memory<float>(0, tap_floats);
  for (int i = tx; i < tap_floats; i += threads) tap_room[i] = i < tap_count ? taps[i] : 0.0f;
  const Shared<float> sample_room = shared_memory<float>(tap_floats * sizeof(float), sample_floats);
  const float* const row = pixel_address(in, 0, channel);
  const int wanted = min(block, out.width - first) + 2 * radius;
  for (int i = tx; i < sample_floats; i += threads) {
    const int source = i < wanted ? border_index(first - radius + i, in.width, border) : -1;
    async_copy<4>(sample_room, i, row + max(source, 0), source >= 0);
  }
  async_commit();
  async_wait<0>();
  __syncthreads();

  const int own = first + tx * Outputs;
  if (own >= out.width) return;
  const Shared<float4> tap_fours = shared_memory<float4>(0, tap_quads);
  const Shared<float4> sample_fours = shared_memory<float4>(tap_floats * sizeof(float), sample_floats / 4);
  float sums[Outputs] = {}, window[4 * window_quads];
  const auto load = [&](int quad, int slot) {
    const float4 four = sample_fours[tx * own_quads + quad];
    window[4 * slot] = four.x;
    window[4 * slot + 1] = four.y;
    window[4 * slot + 2] = four.z;
    window[4 * slot + 3] = four.w;
  };
  CONVOSCOPE_UNROLL
  for (int k = 0; k < own_quads; ++k) load(k, k);
  CONVOSCOPE_KEEP_LOOP
  for (int turn = 0; turn < tap_quads; turn += window_quads) {
    CONVOSCOPE_UNROLL
    for (int p = 0; p < window_quads; ++p) {
      if (turn + p == tap_quads) break;
      load(turn + p + own_quads, (p + own_quads) % window_quads);
      const float4 four = tap_fours[turn + p];
      const float tap[4] = {four.x, four.y, four.z, four.w};
      CONVOSCOPE_UNROLL
      for (int t = 0; t < 4; ++t) CONVOSCOPE_UNROLL
      for (int j = 0; j < Outputs; ++j) sums[j] = fmaf(tap[t], window[(4 * p + j + t) % (4 * window_quads)], sums[j]);
    }
  }

  float* const results = pixel_at(out, own, channel);
  const bool aligned = reinterpret_cast<std::uintptr_t>(results) % sizeof(float4) == 0;
  CONVOSCOPE_UNROLL
  for (int j = 0; j < Outputs; j += 4) {
    const float4 four = make_float4(apply(epilogue, sums[j]), apply(epilogue, sums[j + 1]),
                                    apply(epilogue, sums[j + 2]), apply(epilogue, sums[j + 3]));
    if (aligned && own + j + 4 <= out.width) {
      *reinterpret_cast<float4*>(results + j) = four;
      continue;
    }
    const float value[4] = {four.x, four.y, four.z, four.w};
    for (int k = 0; k < 4; ++k)
      if (own + j + k < out.width) results[j + k] = value[k];
  }
}

constexpr int outputs_of_a_thread[] = {0, 4, 12, 20, 28, 36};
constexpr Tunable tunables[] = {
    {"outputs", "Outputs of a thread",
     "Neighbours that a thread sums at once. More of them load less for each product. 0: those with which the "
     "multiprocessor that has most to do has least, and few for few taps",
     outputs_of_a_thread, 0},
};

int chosen_outputs(const Problem& p, const Tuned& t, int multiprocessors) {
  if (const int chosen = t["outputs"]) return chosen;
  const int most = p.filter.width <= 32 ? 4 : p.filter.width <= 96 ? 12 : 36;
  int best = 4;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [outputs, resident] : built) {
    if (outputs > most) break;
    const double blocks = static_cast<double>(ceil_div(p.width, threads * outputs)) * p.height;
    const double turn = std::ceil(blocks / std::max(multiprocessors, 1));  // blocks of a multiprocessor
    const double blocks_in_time = turn <= resident ? turn : std::ceil(turn / resident) * resident;
    // Beside its products every four taps take some six instructions.
    const double time = blocks_in_time * (4 * outputs + 6);
    if (time < least) least = time, best = outputs;
  }
  return best;
}

template <int Outputs>
std::unique_ptr<Plan> make_plan(const Problem& p) {
  const int shared = 4 * quads_of_taps(p.filter.width) + samples_floats(p.filter.width, Outputs);
  return std::make_unique<GlobalWeightsPlan<SignalViews>>(p, "convolve_register_stream",
                                                          convolve_register_stream<Outputs>,
                                                          launch_shape(p, threads * Outputs, threads, shared));
}

}  // namespace

extern const Strategy strategy{
    .id = "register-stream",
    .title = "Window in registers",
    .idea =
        "A thread makes up to 36 neighbouring outputs and keeps the samples they need in registers, where four taps at "
        "a time meet all of them before the next samples come. So the multiplies hardly ever wait for a load.",
    .reading = "PMPP 4th ed., ch. 6.3, thread coarsening; Volkov, Better performance at lower occupancy, 2010",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem&, const Device&, const Tuned& t) -> std::string {
      const int outputs = t["outputs"];
      if (outputs == 0 || resident_of(outputs) > 1) return {};
      return std::to_string(outputs) + " outputs of a thread are not built: choose 4, 12, 20, 28 or 36";
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      const int outputs = chosen_outputs(p, t, device.multiprocessors);
      return with_number<4, 12, 20, 28, 36>(outputs, [&]<int Outputs>() { return make_plan<Outputs>(p); });
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const int outputs = chosen_outputs(p, t, 0), block = threads * outputs;
          Cost cost = tiled_cost(p, block, 1);
          cost.weight_loads_per_output = static_cast<double>(p.filter.width) / block;
          cost.shared_loads_per_output = 8.0 * quads_of_taps(p.filter.width) / outputs + 1;
          return cost;
        },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const int outputs = chosen_outputs(p, t, device.multiprocessors);
          KernelStep step = one_thread_per_output("convolve_register_stream", threads * outputs, 1, at.x, at.y);
          const int first = step.outputs[0].x, tx = (at.x - first) / outputs;
          step.thread = {tx, 0, 0};
          step.block_size = {threads, 1, 1};
          step.thread_outputs = {{first + tx * outputs, at.y, outputs, 1}};
          step.tile = {grown(clipped(step.outputs[0], p.width, p.height), p.filter.rx(), 0)};
          step.words =
              "The block brings samples and taps into shared memory. Each thread then goes through the taps "
              "four at a time, with the " +
              std::to_string(outputs + 3) + " samples that its " + std::to_string(outputs) +
              " outputs need for them in registers.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
    .kind = &signal_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::signal::register_stream
