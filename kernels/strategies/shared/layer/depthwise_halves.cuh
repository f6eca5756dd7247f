#pragma once
// Depthwise layers of float16 numbers, forward and to the input. Channel by channel (nhwc), two channels are a word: a
// thread walks down a strip of a few columns of such a pair, and what it has loaded of a row serves K rows of outputs,
// whose sums wait in registers beside the K² weights. Other problems: an output a thread.
// Traffic: (X+K−1)/X loads of a word for a pair of outputs, for X columns; DRAM moves the planes once.
#include "kernels/contract/data/half.h"
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/layer_numbers.cuh"
#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/strips.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::depthwise {

struct HalvesTask {
  Strided<const Half> in;
  Strided<Half> out;
  Correlation c;
  LayerEpilogue epilogue;
  bool forward;
  int rows;           // of a strip
  const float* bank;  // K² weights of each target and source of its group
};

template <int K>
struct PairStrip {
  static constexpr int columns = K == 3 ? 8 : K == 5 ? 4 : 2, seen = columns + K - 1;
  static constexpr int threads = 128, resident = K == 3 ? 4 : K == 5 ? 3 : 2;
  static constexpr int rows_ahead = 2;  // that L2 is asked for
};

// Grid: strips side by side, strips below one another, runs of pairs of all samples. Block: pairs, strips.
template <int K>
__global__ void __launch_bounds__(PairStrip<K>::threads, PairStrip<K>::resident)
    layer_depthwise_pairs(HalvesTask task) {
  wait_for_kernel_before();
  constexpr int columns = PairStrip<K>::columns, seen = PairStrip<K>::seen, ahead = PairStrip<K>::rows_ahead;
  const Correlation& c = task.c;
  const int pairs = c.targets / 2, runs = ceil_div(pairs, static_cast<int>(blockDim.x));
  const int pair = static_cast<int>(blockIdx.z) % runs * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x),
            sample = static_cast<int>(blockIdx.z) / runs;
  const int left = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y) * columns,
            top = static_cast<int>(blockIdx.y) * task.rows;
  if (pair >= pairs || left >= c.out_width) return;

  float weights[K * K][2], biases[2];
  CONVOSCOPE_UNROLL
  for (int i = 0; i < 2; ++i) {
    CONVOSCOPE_UNROLL
    for (int tap = 0; tap < K * K; ++tap) weights[tap][i] = __ldg(task.bank + (2 * pair + i) * K * K + tap);
    biases[i] = task.forward ? __ldg(task.epilogue.biases + 2 * pair + i) : 0.0f;
  }
  const int first_row = top - c.padding, first = left - c.padding, rows = min(task.rows, c.out_height - top) + K - 1;
  const bool inside = first >= 0 && first + seen <= c.width, whole = left + columns <= c.out_width;
  const auto exists = [&](int row) { return row < rows && first_row + row >= 0 && first_row + row < c.height; };
  const auto there = [&](int column) { return first + column >= 0 && first + column < c.width; };
  const int in_column = static_cast<int>(task.in.column), out_column = static_cast<int>(task.out.column);
  const Half* from = task.in.at(sample, 2 * pair) + first_row * task.in.row + first * task.in.column;
  unsigned words[seen];
  const auto load = [&](int column) {
    words[column] = __ldg(reinterpret_cast<const unsigned*>(from + column * in_column));
  };
  const auto load_row = [&](bool row_exists) {
    if (row_exists && inside) {
      CONVOSCOPE_UNROLL
      for (int column = 0; column < seen; ++column) load(column);
    } else {
      CONVOSCOPE_UNROLL
      for (int column = 0; column < seen; ++column) {
        words[column] = 0;
        if (row_exists && there(column)) load(column);
      }
    }
  };
  load_row(exists(0));
  Half* out = task.out.at(sample, 2 * pair) + left * task.out.column + top * task.out.row;
  float sums[K][columns][2] = {};  // the row of outputs that began n rows of sources ago, …
  CONVOSCOPE_KEEP_LOOP
  for (int turn = 0; turn < rows; turn += K) {
    CONVOSCOPE_UNROLL
    for (int phase = 0; phase < K; ++phase) {  // … has the slot (phase − n) mod K
      const int row = turn + phase;
      if (row >= rows) break;
      float numbers[seen][2];
      CONVOSCOPE_UNROLL
      for (int column = 0; column < seen; ++column)
        numbers[column][0] = low_half(words[column]), numbers[column][1] = high_half(words[column]);
      from += task.in.row;
      load_row(exists(row + 1));
      if (exists(row + 1 + ahead))  // threads of neighbouring pairs see the same lines: each asks for another column's
        for (int column = static_cast<int>(threadIdx.x); column < columns; column += static_cast<int>(blockDim.x))
          if (there(column))
            prefetch(from - 2 * static_cast<int>(threadIdx.x) + ahead * task.in.row + column * in_column);
      CONVOSCOPE_UNROLL
      for (int column = 0; column < seen; ++column) {
        CONVOSCOPE_UNROLL
        for (int tap = 0; tap < K * K; ++tap) {
          const int x = column - tap % K;
          if (x < 0 || x >= columns) continue;
          float(&sum)[2] = sums[(phase - tap / K + K) % K][x];
          CONVOSCOPE_UNROLL
          for (int i = 0; i < 2; ++i) sum[i] = fmaf(numbers[column][i], weights[tap][i], tap == 0 ? 0.0f : sum[i]);
        }
      }
      if (row < K - 1) continue;
      CONVOSCOPE_UNROLL
      for (int x = 0; x < columns; ++x) {
        if (!whole && left + x >= c.out_width) break;
        float values[2];
        CONVOSCOPE_UNROLL
        for (int i = 0; i < 2; ++i) {
          values[i] = sums[(phase + 1) % K][x][i] + biases[i];
          if (task.forward && task.epilogue.relu) values[i] = fmaxf(values[i], 0.0f);
        }
        *reinterpret_cast<unsigned*>(out + x * out_column) = pack_half2(values[0], values[1]);
      }
      out += task.out.row;
    }
  }
}

// Any filter, stride, dilation and layout. Grid: columns, rows, planes of the targets.
__global__ void __launch_bounds__(128) layer_depthwise_halves(HalvesTask task) {
  wait_for_kernel_before();
  const Correlation& c = task.c;
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= c.out_width || y >= c.out_height) return;
  const int plane = static_cast<int>(blockIdx.z), target = plane % c.targets, sample = plane / c.targets;
  const float* weight = task.bank + target * c.group_sources() * c.filter * c.filter;
  float sum = 0;
  for (int s = 0; s < c.group_sources(); ++s) {
    const Half* const source = task.in.at(sample, target / c.group_targets() * c.group_sources() + s);
    for (int i = 0; i < c.filter; ++i)
      for (int j = 0; j < c.filter; ++j, ++weight) {
        const int row = c.source_index(y, i, c.height), column = c.source_index(x, j, c.width);
        if (row < 0 || column < 0) continue;
        sum = fmaf(__ldg(weight), value_of<Half>(__ldg(source + row * task.in.row + column * task.in.column)), sum);
      }
  }
  if (task.forward) sum = task.epilogue.finish(sum, target);
  *(task.out.at(sample, target) + y * task.out.row + x * task.out.column) = number_of<Half>(sum);
}

inline bool in_pairs(const Problem& p) {
  const Correlation c = correlation_of(p);
  return p.layer.layout == Layout::nhwc && c.sources == c.targets && c.targets % 2 == 0 && unrolled(p);
}

// Calls f.template operator()<K>().
template <class F>
auto with_pair_filter(int filter, F&& f) {
  if (filter == 3) return f.template operator()<3>();
  return filter == 5 ? f.template operator()<5>() : f.template operator()<7>();
}

struct PairsLaunch {
  int columns, rows;  // of a strip
  dim3 grid, block;
};
inline PairsLaunch pairs_launch(const Problem& p, const Device& device) {
  const Correlation c = correlation_of(p);
  return with_pair_filter(c.filter, [&]<int K>() {
    using Strip = PairStrip<K>;
    int across = 1;
    while (across < 32 && across < c.targets / 2) across *= 2;
    const int strips = Strip::threads / across, runs = ceil_div(c.targets / 2, across),
              beside = ceil_div(c.out_width, strips * Strip::columns);
    const int rows = strip_rows(c.out_height, K, beside * runs * c.samples,
                                Strip::resident * std::max(device.multiprocessors, 1), 1);
    return PairsLaunch{Strip::columns, rows, dim3(beside, ceil_div(c.out_height, rows), runs * c.samples),
                       dim3(across, strips)};
  });
}

class HalvesPlan final : public Plan {
 public:
  // otherwise: for an output a thread.
  HalvesPlan(const Problem& problem, const Device& device, const LaunchShape& otherwise)
      : problem_(problem),
        correlation_(correlation_of(problem)),
        pairs_(in_pairs(problem) ? pairs_launch(problem, device) : PairsLaunch{}),
        otherwise_(otherwise),
        biases_(problem),
        bank_(problem.filter.weights.size()) {
    early_ = starts_early(layer_depthwise_halves);
    HalvesPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    std::vector<float> bank = chunked_bank(problem_, filter, 1);
    for (float& weight : bank) weight = as_multiplied(weight, Precision::f16);
    bank_.set(std::move(bank));
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const HalvesTask task{strided<const Half>(in[0]),
                          strided<Half>(out[0]),
                          correlation_,
                          biases_.epilogue(),
                          forward(),
                          pairs_.rows,
                          bank_.data()};
    if (!in_pairs(problem_) || !words_of(in[0]) || !words_of(out[0]))
      return launch(early_, layer_depthwise_halves, otherwise_.grid, otherwise_.block, 0, stream, task);
    with_pair_filter(correlation_.filter, [&]<int K>() {
      launch(early_, layer_depthwise_pairs<K>, pairs_.grid, pairs_.block, 0, stream, task);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    if (!in_pairs(problem_))
      return {describe("layer_depthwise_halves", layer_depthwise_halves, otherwise_.grid, otherwise_.block, 0)};
    return with_pair_filter(correlation_.filter, [&]<int K>() -> std::vector<KernelInfo> {
      return {describe("layer_depthwise_pairs", layer_depthwise_pairs<K>, pairs_.grid, pairs_.block, 0)};
    });
  }
  std::string note() const override {
    if (in_pairs(problem_))
      return "pairs of channels, strips of " + std::to_string(pairs_.columns) + " × " + std::to_string(pairs_.rows) +
             " outputs";
    return "an output a thread: pairs take nhwc, an even number of channels, one filter each, K = 3, 5 or 7, stride "
           "and dilation 1";
  }

 private:
  bool forward() const { return problem_.layer.pass == Pass::forward; }
  // Two channels of every pixel lie in a word.
  static bool words_of(const Tensor& tensor) {
    bool all = reinterpret_cast<std::uintptr_t>(tensor.data) % 4 == 0;
    for (const int d : {0, 3, 4}) all &= tensor.stride[d] % 4 == 0;
    return all;
  }

  Problem problem_;
  Correlation correlation_;
  PairsLaunch pairs_;
  LaunchShape otherwise_;
  LayerBiases biases_;
  GlobalFloats bank_;
  bool early_ = false;
};

// Of strips as high as they are on a large device.
inline Cost pairs_cost(const Problem& p, Cost cost) {
  const PairsLaunch launch = pairs_launch(p, {.compute_capability = 90, .multiprocessors = 132});
  const double outputs = 1.0 * launch.columns * launch.rows, seen = p.filter.width - 1;
  cost.global_loads_per_output = (launch.columns + seen) * (launch.rows + seen) / outputs;
  cost.weight_loads_per_output = p.filter.width * p.filter.width / outputs;
  return cost;
}

inline Explanation explain_pairs(const Problem& p, const Device& device, const OutputIndex& at) {
  const Correlation c = correlation_of(p);
  const PairsLaunch launch = pairs_launch(p, device);
  const int across = static_cast<int>(launch.block.x), strips = static_cast<int>(launch.block.y), pair = at.channel / 2,
            strip = at.x / launch.columns, runs = ceil_div(c.targets / 2, across),
            top = at.y / launch.rows * launch.rows;
  const int first_target = at.sample * c.targets, first_pair = pair / across * across;
  KernelStep step;
  step.kernel = "layer_depthwise_pairs";
  step.block = {strip / strips, at.y / launch.rows, at.sample * runs + pair / across};
  step.thread = {pair % across, strip % strips, 0};
  step.block_size = {across, strips, 1};
  step.outputs = {{strip / strips * strips * launch.columns, top, strips * launch.columns, launch.rows}};
  step.thread_outputs = {{strip * launch.columns, top, launch.columns, launch.rows}};
  step.output_planes = run_of_planes(first_target + 2 * first_pair, std::min(2 * across, c.targets - 2 * first_pair));
  step.thread_planes = run_of_planes(first_target + 2 * pair, 2);
  step.input_planes = source_planes(c, at);
  step.direct = windows_of(c, clipped(step.outputs[0], c.out_width, c.out_height));
  step.words = "Each thread makes the outputs of two neighbouring channels in a strip of " +
               std::to_string(launch.columns) + " columns, down which it walks; what it loads of a row serves " +
               std::to_string(c.filter) + " rows of outputs. For each output it adds " + products_text(c) + ".";
  return {.steps = {std::move(step)}, .words = {}};
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::depthwise
