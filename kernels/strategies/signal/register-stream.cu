// A window sliding in registers. Idea: a thread makes 4, 8 or 16 neighbouring outputs and holds two chunks of as many
// samples. With one chunk of taps these are all that its outputs need: 16 × 16 products from 16 taps and 31 samples.
// The next taps want the next samples, so a new chunk replaces the older of the two; the loop is written out twice,
// and the chunks change their roles instead of their places.
// Traffic: (B+2n)/B loads of the input per output for blocks of B outputs; from shared memory 2 floats for every 16
// products, four at a time.
// Limits: arithmetic, 60 registers' worth of it in flight. Taps are filled up with zeros to whole chunks.
#include "kernels/device/global_weights.cuh"
#include "kernels/device/wide_pixel.cuh"
#include "kernels/strategies/shared/signal_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::signal::register_stream {

extern const Strategy strategy;

namespace {

constexpr int threads = 128;

constexpr int chunks_of_taps(int tap_count, int outputs) { return ceil_div(tap_count, outputs); }
// Threads that read 16 bytes each from chunks side by side would meet in the same banks: 4 floats between the chunks
// keep any eight of them apart.
constexpr int stride(int outputs) { return outputs > 4 ? outputs + 4 : outputs; }
constexpr int taps_floats(int tap_count, int outputs) { return chunks_of_taps(tap_count, outputs) * outputs; }
constexpr int samples_floats(int tap_count, int outputs) {
  return (threads + chunks_of_taps(tap_count, outputs)) * stride(outputs);
}

template <int Outputs>
__device__ inline void load_chunk(float (&chunk)[Outputs], const Shared<float4>& samples, int index) {
  CONVOSCOPE_UNROLL
  for (int k = 0; k < Outputs / 4; ++k) {
    const float4 four = samples[index * (stride(Outputs) / 4) + k];
    chunk[4 * k] = four.x;
    chunk[4 * k + 1] = four.y;
    chunk[4 * k + 2] = four.z;
    chunk[4 * k + 3] = four.w;
  }
}

// Output j takes sample j + t for tap t: the later outputs' last ones lie in the second chunk.
template <int Outputs>
__device__ inline void add_products(float (&sums)[Outputs], const Shared<float4>& taps, int chunk,
                                    const float (&first)[Outputs], const float (&second)[Outputs]) {
  CONVOSCOPE_UNROLL
  for (int k = 0; k < Outputs / 4; ++k) {
    const float4 four = taps[chunk * (Outputs / 4) + k];
    const float tap[4] = {four.x, four.y, four.z, four.w};
    CONVOSCOPE_UNROLL
    for (int t = 0; t < 4; ++t) CONVOSCOPE_UNROLL
    for (int j = 0; j < Outputs; ++j) {
      const int at = j + 4 * k + t;
      sums[j] = fmaf(tap[t], (at < Outputs ? first : second)[at % Outputs], sums[j]);
    }
  }
}

template <int Outputs>
__global__ void __launch_bounds__(threads, 8)
    convolve_register_stream(ImageView<const float> in, ImageView<float> out, int radius, Border border,
                             Epilogue epilogue, const float* taps) {
  constexpr int block = threads * Outputs;
  const int tx = threadIdx.x, channel = blockIdx.y, first = blockIdx.x * block;
  const int tap_count = 2 * radius + 1, chunks = chunks_of_taps(tap_count, Outputs);
  const int tap_floats = taps_floats(tap_count, Outputs), sample_floats = samples_floats(tap_count, Outputs);

  const Shared<float> tap_room = shared_memory<float>(0, tap_floats);
  for (int i = tx; i < tap_floats; i += threads) tap_room[i] = i < tap_count ? taps[i] : 0.0f;
  const Shared<float> sample_room = shared_memory<float>(tap_floats * sizeof(float), sample_floats);
  const int wanted = min(block, out.width - first) + 2 * radius;
#pragma unroll 8
  for (int i = tx; i < (threads + chunks) * Outputs; i += threads)
    sample_room[i / Outputs * stride(Outputs) + i % Outputs] =
        i < wanted ? load_sample(in, first - radius + i, channel, border) : 0.0f;
  __syncthreads();

  const int own = first + tx * Outputs;
  if (own >= out.width) return;
  const Shared<float4> tap_fours = shared_memory<float4>(0, tap_floats / 4);
  const Shared<float4> sample_fours = shared_memory<float4>(tap_floats * sizeof(float), sample_floats / 4);
  float sums[Outputs] = {}, even[Outputs], odd[Outputs];
  load_chunk(even, sample_fours, tx);
  int chunk = 0;
  for (; chunk + 1 < chunks; chunk += 2) {
    load_chunk(odd, sample_fours, tx + chunk + 1);
    add_products(sums, tap_fours, chunk, even, odd);
    load_chunk(even, sample_fours, tx + chunk + 2);
    add_products(sums, tap_fours, chunk + 1, odd, even);
  }
  if (chunk < chunks) {
    load_chunk(odd, sample_fours, tx + chunk + 1);
    add_products(sums, tap_fours, chunk, even, odd);
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

constexpr int outputs_of_a_thread[] = {0, 4, 8, 16};
constexpr Tunable tunables[] = {
    {"outputs", "Outputs of a thread",
     "Neighbours that a thread sums at once. More of them load less for each product. 0: more for more taps, fewer "
     "for a signal so short that some multiprocessors would have nothing to do",
     outputs_of_a_thread, 0},
};

int chosen_outputs(const Problem& p, const Tuning& t, int multiprocessors) {
  if (const int chosen = tuned(strategy, t, "outputs")) return chosen;
  int outputs = p.filter.width <= 32 ? 4 : p.filter.width <= 96 ? 8 : 16;
  const auto blocks = [&] { return static_cast<long>(ceil_div(p.width, threads * outputs)) * p.height; };
  while (outputs > 4 && blocks() < 2L * multiprocessors) outputs /= 2;
  return outputs;
}

template <int Outputs>
std::unique_ptr<Plan> make_plan(const Problem& p) {
  const int shared = taps_floats(p.filter.width, Outputs) + samples_floats(p.filter.width, Outputs);
  return std::make_unique<GlobalWeightsPlan<SignalViews>>(p, "convolve_register_stream",
                                                          convolve_register_stream<Outputs>,
                                                          launch_shape(p, threads * Outputs, threads, shared));
}

}  // namespace

const Strategy strategy{
    .id = "register-stream",
    .title = "Window in registers",
    .idea =
        "A thread makes up to 16 neighbouring outputs and keeps the samples they need in registers, where every sample "
        "meets up to 16 taps before the next ones come. So the multiplies hardly ever wait for a load.",
    .reading = "PMPP 4th ed., ch. 6.3, thread coarsening; Volkov, Better performance at lower occupancy, 2010",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .unsupported = [](const Problem&, const Device&, const Tuning&) { return std::string(); },
    .plan = [](const Problem& p, const Device& device, const Tuning& t) -> std::unique_ptr<Plan> {
      const int outputs = chosen_outputs(p, t, device.multiprocessors);
      return outputs == 4 ? make_plan<4>(p) : outputs == 8 ? make_plan<8>(p) : make_plan<16>(p);
    },
    .model =
        [](const Problem& p, const Tuning& t) {
          const int outputs = chosen_outputs(p, t, 0), block = threads * outputs;
          Cost cost = tiled_cost(p, block, 1);
          cost.weight_loads_per_output = static_cast<double>(p.filter.width) / block;
          cost.shared_loads_per_output = 2.0 * chunks_of_taps(p.filter.width, outputs) + 1;
          return cost;
        },
    .explain =
        [](const Problem& p, const Device& device, const Tuning& t, const OutputIndex& at) {
          const int outputs = chosen_outputs(p, t, device.multiprocessors);
          KernelStep step = one_thread_per_output("convolve_register_stream", threads * outputs, 1, at.x, at.y);
          const int first = step.outputs[0].x, tx = (at.x - first) / outputs;
          step.thread = {tx, 0, 0};
          step.block_size = {threads, 1, 1};
          step.thread_outputs = {{first + tx * outputs, at.y, outputs, 1}};
          step.tile = {grown(clipped(step.outputs[0], p.width, p.height), p.filter.rx(), 0)};
          step.words = "The block brings samples and taps into shared memory. Each thread then goes through the taps " +
                       std::to_string(outputs) + " at a time, with the " + std::to_string(2 * outputs) +
                       " samples that its " + std::to_string(outputs) + " outputs need for them in registers.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
    .kind = &signal_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::signal::register_stream
